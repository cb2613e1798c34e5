#!/bin/sh
# Test suites that pass, amplified: tests/programs/amplify. NAME.sh is a suite of NAME.c, NAME-WORD.sh another one. What is known
# of a program stands in comments:
#
#   /* bug: KIND... */       in the line of its one bug: the kind, or kinds, depending on where the access goes
#   /* bug: KIND in NAME */  where the line does not say it: a stack overflows anywhere in the function NAME
#   /* distance: N */        at its head: the bug is found at that distance, or nearer
#   /* argument: WHY */      at its head: the sanitizers do not see it without veer
#   /* clean */              at its head: there is no bug
#
# A suite with a distance of its own says "# distance: N".
. "$(dirname "$0")/lib.sh"
SUITES=$VEER_SOURCE/tests/programs/amplify
CLEAN_DISTANCE=3

# field NAME FILE...: what its comment says, from the first file that has it
field() {
	name=$1
	shift
	sed -n -e "s,^/\* $name: \(.*\) \*/\$,\1,p" -e "s,^# $name: ,,p" "$@" | head -n 1
}

is_clean() { grep -q '^/\* clean \*/$' "$1"; }

# findings LEVEL...: of the campaign in `out`, a line each: ID KIND FILE LINE FUNCTION DISTANCE
findings() {
	perl -MJSON::PP -0777 -e '
		my $results = decode_json(<STDIN>);
		for my $f (@{$results->{findings}}) {
			my ($file) = $f->{file} =~ m,([^/]*)$,;
			print join(" ", $f->{id}, $f->{kind}, $file, $f->{line}, $f->{function}, $f->{distance}), "\n"
				if grep { $_ eq $f->{level} } @ARGV;
		}' "$@" <out/results.json
}

# amplify SUITE DISTANCE: NAME.c is built, its suite passes (or veer fails as it does), and is amplified up to the
# distance
amplify() {
	veer-cc -g -O1 -w "$source" -o "$NAME"
	# It ends when the distance is done; on a machine that has other work to do, that may take its time.
	veer test -o out --budget 60s --max-distance "$2" -- sh "$1" >said 2>&1 || die "$(cat said)"
}

# is_marked KIND FILE LINE FUNCTION: is that the bug?
is_marked() {
	mark=$(sed -n 's,.*/\* bug: \(.*\) \*/$,\1,p' "$source")
	[ "$2" = "$NAME.c" ] || return 1
	case $mark in
	*" in "*) [ "$1 in $4" = "$mark" ] ;;
	*) case " $mark " in *" $1 "*) ;; *) return 1 ;; esac
		[ "$3" = "$(grep -n '/\* bug: ' "$source" | cut -d: -f1)" ] ;;
	esac
}

# reproduced ID: a plain build reports something, or is killed, and the program's own exit status is neither
reproduced() {
	[ -z "$(field argument "$source")" ] || return 0
	[ -e plain ] || "$CLANG" -w -g -fsanitize=address,undefined "$source" -o plain
	code=$(PROGRAM=$PWD/plain status "out/findings/$1/reproduce.sh" 2>report </dev/null | tail -n 1)
	[ "$code" -lt 128 ] || return 0
	grep -q -e 'ERROR: AddressSanitizer' -e 'runtime error' report || die "$1 does not show on a plain build: $(cat report)"
}

found() {
	distance=$(field distance "$SUITE_FILE" "$source")
	amplify "$SUITE_FILE" "$distance"
	findings error >errors
	[ -s errors ] || die "no error was found: $(cat said)"
	while read -r id kind file line function at; do
		is_marked "$kind" "$file" "$line" "$function" || die "an error that is none: $kind, $file:$line in $function"
		[ "$at" -le "$distance" ] || die "$id is at distance $at, not $distance"
		reproduced "$id"
	done <errors
}

nothing() {
	amplify "$SUITE_FILE" $CLEAN_DISTANCE
	same "" "$(findings error resource warning)"
}

veer test --help >/dev/null 2>&1 || {
	echo "skip $SUITE: this veer has no command test"
	exit 0
}
for SUITE_FILE in "$SUITES"/*.sh; do
	suite=$(basename "$SUITE_FILE" .sh)
	NAME=${suite%%-*}
	source=$SUITES/$NAME.c
	if is_clean "$source"; then
		try "$suite.sh: nothing is found in a program that is right" nothing
	else
		try "$suite.sh: the bug behind it is found" found
	fi
done
finish
