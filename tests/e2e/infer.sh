#!/bin/sh
# veer infer, on a simulated device.
. "$(dirname "$0")/lib.sh"
example=$VEER_SOURCE/examples/infer
model=$SCRATCH/model firmware=$SCRATCH/valve.elf

# record NAME DAY OPTION...
record() {
	name=$1 day=$2
	shift 2
	veer infer simulate -q -o "$name" --stdin "$example/day$day.txt" "$@" "$firmware" >"$name.out"
}

prepare() {
	grep -q CONFIG_DEVICE "$VEER_BUILD/config.h" || skip "veer was built without Unicorn"
	command -v arm-none-eabi-gcc >/dev/null || skip "there is no arm-none-eabi-gcc"
	"$example/board/build" "$firmware" "$example/valve.c"
	for day in 1 2 3; do record train$day $day --seed $day; done
	veer infer train -o "$model" "$firmware" train1.sigmf-meta train2.sigmf-meta train3.sigmf-meta >out
	grep -q '^.*model: [0-9]* of [0-9]* segments' out || die "$(cat out)"
}

ready() { [ -e "$model" ] || skip "there is no model"; }

# accuracy RECORDING [OPTION...]: in hundredths of a per cent
accuracy() {
	file=$1
	shift
	veer infer score --format json "$@" "$model" "$file" | sed 's/.*"accuracy": \([0-9]*\)\.\([0-9][0-9]\).*/\1\2/'
}

paths() { # of inputs that training did not see, also with much noise and drift
	ready
	record quiet 4 --seed 11
	record loud 4 --seed 12 --snr 3 --drift 300 --gain 0.2
	same "$(cat quiet.out)" "$(cat loud.out)"
	grep -q open quiet.out || die "$(cat quiet.out)"
	[ "$(accuracy quiet.sigmf-meta)" -ge 9900 ] || die "quiet: $(accuracy quiet.sigmf-meta)"
	[ "$(accuracy loud.sigmf-meta)" -ge 9700 ] || die "loud: $(accuracy loud.sigmf-meta)"
	[ "$(accuracy loud.sigmf-meta)" -ge "$(accuracy loud.sigmf-meta --stateless)" ] || die "stateless is better"
}

seeded() { # the same seed, the same recording
	ready
	record a 4 --seed 5
	record b 4 --seed 5
	record c 4 --seed 6
	cmp a.sigmf-data b.sigmf-data
	cmp a.path b.path
	! cmp -s a.sigmf-data c.sigmf-data || die "another seed gives the same noise"
}

truth_is_not_read() { # inference gives the same without the true path
	ready
	record a 4 --seed 5
	veer infer run "$model" a.sigmf-meta >with
	rm a.path
	veer infer run "$model" a.sigmf-meta >without
	cmp with without
	grep -q 'control .*valve.c:' with || die "$(head with)"
}

shown() {
	ready
	record a 4 --seed 5
	for format in text json trace html; do veer infer run --format $format --to out.$format "$model" a.sigmf-meta; done
	for format in json trace; do perl -MJSON::PP -0777 -ne 'decode_json($_)' out.$format; done
	[ "$(grep -c '"function": "control"' out.json)" -gt 20 ] || die "control is not called"
	same "$(grep -c '"ph": "B"' out.trace)" "$(grep -c '"ph": "E"' out.trace)"
	contains "$(cat out.html)" '<canvas'
	contains "$(cat out.html)" 'enum state control'
	lacks "$(cat out.html)" 'src="'
}

other_formats() { # the samples as .npy and WAV
	ready
	record a 4 --seed 5
	veer infer run "$model" a.sigmf-meta | sed 's/^ *[0-9.]* us *//' >expected
	perl -e '
		local $/; open F, "<:raw", "a.sigmf-data"; my $d = <F>; my $n = length($d) / 2;
		my $h = "{\"descr\": \"<i2\", \"fortran_order\": False, \"shape\": ($n,), }\n"; $h =~ tr/"/\x27/;
		open O, ">:raw", "a.npy"; print O "\x93NUMPY\x01\x00", pack("v", length $h), $h, $d;
		open O, ">:raw", "a.wav"; print O "RIFF", pack("V", 36 + length $d), "WAVEfmt ",
			pack("VvvVVvv", 16, 1, 1, 64000000, 128000000, 2, 16), "data", pack("V", length $d), $d'
	veer infer run "$model" a.npy | sed 's/^ *[0-9.]* *//' >npy
	veer infer run "$model" a.wav | sed 's/^ *[0-9.]* us *//' >wav
	cmp expected npy
	cmp expected wav
}

foreign_part() { # the firmware with a part that training never saw, called in the middle
	ready
	sed 's/^static unsigned checksum/unsigned rare(unsigned n)\n{\n\tunsigned x = 7;\n\twhile (n--)\n\t\tx = x * 1103515245 % 65521 ^ x << 3;\n\treturn x;\n}\n\n&/
		s/target = atoi(line + 1);/target = atoi(line + 1), target += rare(300) > 70000000;/' "$example/valve.c" >other.c
	"$example/board/build" other.elf other.c
	veer infer simulate -q -o other --stdin "$example/day4.txt" --seed 3 other.elf >/dev/null
	grep -q ' rare/' other.path || die "it is not executed"
	veer infer run --format json "$model" other.sigmf-meta >out.json
	perl -MJSON::PP -e '
		my $rare = 0; my $found = 0; my @rare; my $after = 0;
		open P, "other.path"; while (<P>) { my ($b, $n, $l) = split; push @rare, [$b, $b + $n] if $l =~ /^rare/; }
		local $/; open J, "out.json"; my $d = decode_json(<J>);
		for my $r (@rare) { $rare += $$r[1] - $$r[0];
			for (grep { $_->{unknown} } @{$d->{segments}}) {
				my ($a, $b) = ($_->{begin} > $$r[0] ? $_->{begin} : $$r[0], $_->{end} < $$r[1] ? $_->{end} : $$r[1]);
				$found += $b - $a if $b > $a; } }
		my $last = $rare[-1][1];
		$after = grep { $_->{begin} > $last && !$_->{unknown} } @{$d->{segments}};
		die "unknown: $found of $rare samples\n" if $found < 0.7 * $rare;
		die "$after segments behind it\n" if $after < 100;'
}

planned() { # training runs from veer cover, recorded without labels
	grep -q CONFIG_DEVICE "$VEER_BUILD/config.h" || skip "veer was built without Unicorn"
	command -v arm-none-eabi-gcc >/dev/null || skip "there is no arm-none-eabi-gcc"
	veer-cc -g -O1 "$example/valve.c" -o valve
	mkdir days
	cp "$example"/day[123].txt days
	veer cover -q -o campaign --budget 8s --seeds days -- ./valve --sym-stdin 400 >/dev/null
	flags="-mcpu=cortex-m3 -mthumb -O1 -ffreestanding -I$example/board/include"
	veer infer plan -o plan --campaign campaign --cflags "$flags" "$firmware" >out
	grep -q '^plan: [0-9]* runs (inp [1-9][0-9]*, ext [1-9]' out || die "$(cat out)"
	veer infer simulate -q -o recordings --repeat 2 plan >/dev/null
	grep '^[0-9]' plan/plan | cut -d ' ' -f 2 >expected
	for run in $(sed -n 's/^run \([^ ]*\) .*/\1/p' plan/plan); do cut -d ' ' -f 3 "recordings/$run.path"; done >made
	cmp expected made
	rm recordings/*.path # training takes labels of the plan
	veer infer train -o planned.model plan recordings >out
	record field 4 --seed 31
	[ "$(veer infer score --format json planned.model field.sigmf-meta | sed 's/.*"accuracy": \([0-9]*\).*/\1/')" -ge 95 ] ||
		die "$(veer infer score planned.model field.sigmf-meta)"
	veer infer plan -o cs --strategy cs --campaign campaign --cflags "$flags" "$firmware" >out
	grep -q 'ext 0, stub 0, int 0' out || die "$(cat out)"
	for arguments in "--strategy all $firmware" "--campaign . $firmware" "--campaign campaign $VEER_BUILD/veer" \
		"--campaign campaign --cc false $firmware" "--campaign campaign --ram 3 $firmware" ""; do
		status=0
		# shellcheck disable=SC2086
		veer infer plan -o bad $arguments >out 2>err || status=$?
		[ $status = 1 ] || [ $status = 2 ] || die "$arguments: status $status"
		one_line "$(cat err)"
	done
	sed 's/^24 /x /; 5s/^/?/' plan/plan >plan/damaged && mv plan/damaged plan/plan
	! veer infer train plan recordings 2>err || die "a damaged plan"
	one_line "$(cat err)"
}

bad_input() {
	ready
	record a 4 --seed 5
	printf 'no model' >junk
	head -c 1000 "$model" >cut
	printf '{"global": {"core:datatype": "ri16_le"}' >b.sigmf-meta
	for arguments in "run junk a.sigmf-meta" "run cut a.sigmf-meta" "run $model b.sigmf-meta" "run $model none.npy" \
		"run $model junk" "train junk a.sigmf-meta" "train $VEER_BUILD/veer a.sigmf-meta" "score $model ." \
		"simulate junk" "simulate --from nobody $firmware" "run --format nonsense $model a.sigmf-meta" "nonsense" \
		"simulate --snr loud $firmware"; do
		status=0
		# shellcheck disable=SC2086
		veer infer $arguments >out 2>err || status=$?
		[ $status = 1 ] || [ $status = 2 ] || die "$arguments: status $status"
		one_line "$(cat err)"
	done
}

try "a model of recordings" prepare
try "paths of other inputs" paths
try "seeds" seeded
try "the true path is not read" truth_is_not_read
try "text, JSON, trace, page" shown
try ".npy and WAV" other_formats
try "what is not in the model" foreign_part
try "training runs of veer cover" planned
try "bad input" bad_input
finish
