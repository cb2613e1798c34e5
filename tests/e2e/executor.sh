#!/bin/sh
# execute/executor.h: one input after the other, in each kind of sandbox that the machine allows.
. "$(dirname "$0")/lib.sh"
PROGRAMS=$VEER_SOURCE/tests/programs

# build NAME: one of the programs
build() { veer-cc -D_GNU_SOURCE -g -O1 "$PROGRAMS/$1.c" -o "$1" 2>warnings || { cat warnings; return 1; }; }

# endings WORD...: lines for the driver, a run each
endings() { for word; do printf 'clear\narg ./endings\narg %s\nrun\n' "$word"; done; }

# execute OPTION...: the driver, in the sandbox $MODE; Landlock has runs work in a copy of this folder, which is printed as this
execute() { test-execute -b "$MODE" "$@" | sed "s|/tmp/veer-box-[^/]*/cwd|$PWD|"; }

# in_sandbox MODE FUNCTION: the test with that sandbox; skipped where it is not allowed
in_sandbox() {
	MODE=$1
	build told
	test-execute -b "$MODE" ./told </dev/null >no 2>&1 || skip "$(cat no)"
	"$2"
}

test_given() {
	build told
	printf 'old' >data
	got=$({
		printf 'arg ./told\narg abc\nenv V vw\nstdin xy\\nz\nfile %s/data dd\nrun\n' "$PWD"
		printf 'clear\narg other/name\nrun\n'
		printf 'clear\narg ./told\narg 1\\0hidden\narg \narg 2\nenv V \nstdin xx\nrun\n'
	} | execute -i -s argv,stdin,env:V,file:data ./told)
	[ "$MODE" = none ] && second=d || second=o # without a sandbox the file stays
	[ "$MODE" = none ] && content=dd || content=old
	size=$(printf '%02d' ${#content})
	same "exited 2
| ./told told <abc> V=vw
| in <xy
| z>
| file d
| a!
| x!
| v!
| d!
input argc: \\x02\\x00\\x00\\x00
input argv[1]: abc\\x00
input V: vw\\x00
input stdin: xy\\x0az
input length(stdin): \\x04\\x00\\x00\\x00
input $PWD/data: dd
input length($PWD/data): \\x02\\x00\\x00\\x00" "$(printf '%s\n' "$got" | sed -n '1,16p')"
	contains "$got" "| other/name name V=none
| in <>
| file $second"
	contains "$got" "input argc: \\x01\\x00\\x00\\x00
input stdin: 
input length(stdin): \\x00\\x00\\x00\\x00
input $PWD/data: $content
input length($PWD/data): \\x$size\\x00\\x00\\x00"
	contains "$got" "exited 4
| ./told told <1> <> <2> V=
| in <xx>"
	contains "$got" "input argv[1]: 1\\x00
input argv[2]: \\x00
input argv[3]: 2\\x00
input V: \\x00
input stdin: xx"
	lacks "$got" descriptor
	lacks "$got" again
}

# Of each input the bytes inside its window have labels, whichever call reads them.
test_windows() {
	build windowed
	printf '0123456789' >data
	got=$({
		printf 'arg ./windowed\narg abcdef\nstdin xyz\nrun\n'
		printf 'window stdin 0 0\nwindow arg 1 1 3\nwindow file %s/data 3 6\nrun\n' "$PWD"
		printf 'all\nwindow file %s/data 8 end\nrun\n' "$PWD"
		printf 'all\nlimit 4\nrun\n'
		printf 'all\nrun\n'
	} | execute -s argv,stdin,file:data ./windowed | grep -v exited)
	all='| argument ssssss
| stdin sss
| length s
| pread sssss
| mmap ssssssssss
| fread ssssssssss
| end s
| getc ssssssssss'
	same "$all
| argument .ss...
| stdin ...
| length .
| pread .sss.
| mmap ...sss....
| fread ...sss....
| end .
| getc ...sss....
| argument ssssss
| stdin sss
| length s
| pread .....
| mmap ........ss
| fread ........ss
| end s
| getc ........ss
| argument ssss..
| stdin sss
| length .
| pread ss...
| mmap ssss......
| fread ssss......
| end .
| getc ssss......
$all" "$got"
}

test_view() {
	cat >writes.c <<'END'
#include <stdio.h>
int main(int argc, char **argv)
{
	FILE *f = fopen("made", "r");
	puts(f ? "there" : "new");
	f = fopen("made", "w");
	if (f) fputs("x", f), fclose(f);
	remove("kept");
	f = fopen("virtual", "r");
	return f && getc(f) == 'v' ? 1 : 2;
}
END
	veer-cc -g -O1 writes.c -o writes
	echo kept >kept
	got=$(printf 'arg ./writes\nfile %s/virtual vv\nrun\nrun\n' "$PWD" | execute -i -s file:virtual ./writes |
		grep -v conditions)
	same "exited 1
| new
input $PWD/virtual: vv
input length($PWD/virtual): \\x02\\x00\\x00\\x00
exited 1
| new
input $PWD/virtual: vv
input length($PWD/virtual): \\x02\\x00\\x00\\x00" "$got"
	same kept "$(cat kept)"
	[ ! -e made ] && [ ! -e virtual ]
}

test_endings() {
	build endings
	for variant in traced native; do
		got=$(endings z xA s a i t f m d z | execute -v $variant -m 200 -t 5000 ./endings | grep -v '^| f')
		same "exited 3
exited 65
signal 11
signal 6
signal 15
timeout
output
memory
exited 9
exited 3" "$got"
	done
}

test_reports() {
	build endings
	got=$(endings z eabc o s a h xA m t z | execute -v sanitized -h -m 200 -t 5000 ./endings)
	file="$PROGRAMS/endings.c"
	contains "$got" "exited 3
signal 6
report address: SUMMARY: AddressSanitizer: heap-buffer-overflow "
	contains "$got" "exited 3
report undefined: signed-add-overflow	$file"
	contains "$got" "AddressSanitizer: SEGV "
	contains "$got" "AddressSanitizer: ABRT "
	same 2 "$(echo "$got" | grep -c "^report address: SUMMARY: AddressSanitizer: heap-buffer-overflow ")"
	same "exited 65
memory
timeout
exited 3" "$(printf '%s\n' "$got" | tail -n 4)"
}

test_hostile() {
	build endings
	got=$(endings w z p k z k z | execute -i -s argv ./endings)
	lacks "$got" error
	contains "$got" "input argv[1]: z\\x00"
	contains "$got" "exited 7"
	contains "$got" "exited 8"
	contains "$got" "exited 3, server started again
input argc"
	same 3 "$(printf '%s\n' "$got" | grep -c 'argv\[1\]: z')"
}

test_scribble() {
	build endings
	got=$(endings w z | execute -i -s argv ./endings)
	contains "$got" "no trace: not a trace
exited 3
input argc: \\x02\\x00\\x00\\x00
input argv[1]: z\\x00"
}

test_steady() {
	build steady
	mkdir dir
	touch dir/z dir/b dir/a dir/y
	for variant in traced sanitized; do
		got=$(printf 'arg ./steady\nrun\n' | execute -v $variant -S ./steady)
		again=$(printf 'arg ./steady\narg longer\nrun\nclear\narg ./steady\nrun\n' |
			execute -v $variant -S ./steady | tail -n 10)
		if [ "$MODE" != namespaces ]; then # the number of the process is the machine's
			got=$(printf '%s\n' "$got" | grep -v process)
			again=$(printf '%s\n' "$again" | grep -v process)
		fi
		same "$got" "$again"
		contains "$got" "| 17000000"
		contains "$got" "| slept 107"
		contains "$got" "| . .. a b y z 1
| . .. a b y z "
	done
}

test_objects() {
	cat >objects.c <<'END'
#include <veer.h>
int main(void)
{
	int a;
	char b[2] = {0};
	veer_make_symbolic(&a, sizeof a, "a");
	veer_make_symbolic(b, sizeof b, "b");
	return a == 0x64636261 ? b[1] : 1;
}
END
	veer-cc -g -O1 objects.c -o objects
	got=$(printf 'objects abcdeA\nrun\nclear\nobjects xbcd\nrun\n' | execute -i ./objects)
	contains "$got" "exited 65
input a: abcd
input b: eA"
	contains "$got" "exited 1
input a: xbcd
input b: \\x00\\x00"
}

MODE=none
try "what a run is given" test_given
try "symbolic windows" test_windows
try "how runs end" test_endings
try "reports" test_reports
try "a damaged trace" test_scribble
try "steady runs" test_steady
try "objects" test_objects
sandboxed() { in_sandbox "$mode" "$run"; }
for run in test_given test_view test_endings test_reports test_hostile test_steady test_objects; do
	mode=namespaces
	try "in namespaces: $run" sandboxed
done
for run in test_given test_view test_endings test_reports test_scribble test_steady test_objects; do
	mode=landlock
	try "by Landlock: $run" sandboxed
done
finish
