#!/bin/sh
# input/snapshot.h: recorded tests, made by hand, run again in the sandbox, natively and as variants.
. "$(dirname "$0")/lib.sh"
PROGRAMS=$VEER_SOURCE/tests/programs

# replay VARIANT OPTION...: lines for the driver on standard input
replay() { variant=$1; shift; test-execute -b namespaces -v "$variant" "$@" ./scene; }

# The program, where the machine allows the sandbox.
prepare() {
	veer-cc -D_GNU_SOURCE -g -O1 "$PROGRAMS/scene.c" -o scene 2>warnings || { cat warnings; return 1; }
	test-execute -b namespaces ./scene </dev/null >no 2>&1 || skip "$(cat no)"
}

# ask QUESTION...: a run
ask() { echo clear; echo arg ./scene; for q; do echo "arg $q"; done; echo run; }

# In each variant: what it gets, and that runs get it again and leave nothing behind.
test_surroundings() {
	prepare
	for variant in native traced sanitized; do
		got=$({
			printf 'scene %s/gone/deeper\nvariable A=b\nvariable LC_ALL=xx\nvariable odd\numask 27\nclock 1234567890\nshow\n' "$PWD"
			ask d u e
			echo env LC_ALL yy
			echo run
			echo hide
			ask d u
		} | env -i PATH="$PATH" VEER_CACHE_DIR="$VEER_CACHE_DIR" HOME=/ "$(command -v test-execute)" -b namespaces -v $variant ./scene)
		same "exited 0
| $PWD/gone/deeper
| umask 27
| A=b
| LC_ALL=xx
| odd
exited 0
| $PWD/gone/deeper
| umask 27
| A=b
| odd
| LC_ALL=yy
exited 0
| $PWD
| umask $(umask | sed 's/^0*//')" "$got"
		[ ! -e gone ]
	done
}

# Every kind of entry, where nothing is, where something else is, and where it is the same.
test_entries() {
	prepare
	mkdir there there/sub
	echo today >there/file
	echo today >there/turned
	echo today >there/away
	echo today >there/sub/inner
	ln -s elsewhere there/link
	mkdir there/was-folder
	touch there/was-folder/x
	for variant in native traced sanitized; do
		got=$({
			printf 'scene %s/there\n' "$PWD"
			printf "entry folder $PWD/there 750 1000\n"
			printf "entry file $PWD/there/file 640 1001 as it was\n"
			printf "entry unknown $PWD/there/zeros 444 1002 3\n"
			printf "entry file $PWD/there/secret 0 1003 s\n"
			printf "entry link $PWD/there/link 777 1004 file\n"
			printf "entry pipe $PWD/there/pipe 622 1005\n"
			printf "entry absent $PWD/there/away\n"
			printf "entry absent $PWD/there/never\n"
			printf "entry folder $PWD/there/turned 711 1006\n"
			printf "entry file $PWD/there/turned/deep/er 600 1007 \n"
			printf "entry file $PWD/there/was-folder 600 1008 no folder\n"
			printf "entry absent $PWD/there/sub\n"
			printf 'clock 99\nshow\n'
			ask s. sfile cfile szeros czeros ssecret slink clink spipe saway snever sturned sturned/deep sturned/deep/er \
				swas-folder cwas-folder ssub l.
			ask wfile wnew raway rlink cfile l.
			ask cfile l. s.
		} | replay $variant)
		same "exited 0
| .: folder 750 1000.5
| file: file 640 1001.5
| file <as it was>
| zeros: file 444 1002.5
| zeros <000>
| secret: file 0 1003.5
| link: link 0 1004.5 -> file
| link <as it was>
| pipe: pipe 622 1005.5
| away: No such file or directory
| never: No such file or directory
| turned: folder 711 1006.5
| turned/deep: folder 755 99.0
| turned/deep/er: file 600 1007.5
| was-folder: file 600 1008.5
| was-folder <no folder>
| sub: No such file or directory
| .: . .. file link pipe secret turned was-folder zeros
exited 0
| file <own(mark)>
| .: . .. file new pipe secret turned was-folder zeros
exited 0
| file <as it was>
| .: . .. file link pipe secret turned was-folder zeros
| .: folder 750 1000.5" "$got"
	done
	same today "$(cat there/file)"
	same elsewhere "$(readlink there/link)"
}

# A folder that was listed has nothing in it that came later; one that was not is as it is.
test_listed() {
	prepare
	mkdir dir other
	touch dir/old dir/later other/later
	mkdir dir/new-folder
	touch -d @77 dir
	got=$({
		printf "scene $PWD\nentry listed $PWD/dir 755 77\nentry folder $PWD/other 755 78\n"
		printf "entry unknown $PWD/dir/old 644 1 0\nentry file $PWD/dir/gone 644 1 x\nshow\n"
		ask ldir lother sdir sdir/gone
		ask ldir
	} | replay native)
	same "exited 0
| dir: . .. gone old
| other: . .. later
| dir: folder 755 77.5
| dir/gone: file 644 1.5
exited 0
| dir: . .. gone old" "$got"
}

# What is there and the same is not put: it keeps its owner, its number, and where its links lead.
test_same() {
	prepare
	mkdir dir
	printf same >dir/file
	printf SAME >dir/written-again
	touch -d @5.000000005 dir/file dir/written-again dir
	got=$({
		printf "scene $PWD/dir\nentry folder $PWD/dir 755 5\nentry file $PWD/dir/file 644 5 same\n"
		printf "entry file $PWD/dir/written-again 644 5 as it\nshow\n"
		printf 'arg ./scene\narg cfile\narg sfile\narg cwritten-again\narg s.\nrun\n'
	} | sed 's/as it/once/' | replay native)
	same "exited 0
| file <same>
| file: file 644 5.5
| written-again <once>
| .: folder 755 5.5" "$got"
}

# The input's files take the place of the scene's, with its permissions and times.
test_input() {
	prepare
	for variant in native traced; do
		got=$({
			printf "scene $PWD/gone\nentry folder $PWD/gone 700 3\nentry file $PWD/gone/a 400 4 scene\n"
			printf "entry file $PWD/gone/b 644 5 scene\nshow\n"
			ask ca sa cb s.
			printf "file $PWD/gone/a input\nrun\n"
			printf "file $PWD/gone/b scene\nfile $PWD/gone/c new\narg cc\n"
			printf "file /proc/version no\nfile $PWD no\nrun\n" # cannot be put
			ask ca l.
		} | replay $variant)
		same "exited 0
| a <scene>
| a: file 400 4.5
| b <scene>
| .: folder 700 3.5
exited 0
| a <input>
| a: file 400 4.5
| b <scene>
| .: folder 700 3.5
exited 0
| a <input>
| a: file 400 4.5
| b <scene>
| .: folder 700 3.5
| c <new>
exited 0
| a <scene>
| .: . .. a b" "$(printf '%s\n' "$got" | sed 's/^| \.: folder 700 [1-9][0-9]\{5,\}\..*/| .: folder 700 3.5/')"
	done
}

# For the trace, files that were put are input, and those that the run writes are not.
test_symbolic() {
	prepare
	printf real >real
	got=$({
		printf "scene $PWD/gone\nentry file $PWD/gone/put 644 1 p!\nshow\n"
		for i in 1 2 3; do
			ask cput cmine wown cown "c$PWD/real" wput cput
			printf "file $PWD/gone/mine m!\nrun\n"
		done
	} | replay traced -i -s files)
	same 6 "$(printf '%s\n' "$got" | grep -c "^input $PWD/gone/put: p!")"
	same 3 "$(printf '%s\n' "$got" | grep -c "^input $PWD/gone/mine: m!")"
	same 6 "$(printf '%s\n' "$got" | grep -c "^input $PWD/real: real")"
	lacks "$got" "input $PWD/gone/own"
	same 6 "$(printf '%s\n' "$got" | grep -c '^| own <own(mark)>')"
}

test_streams() {
	prepare
	for variant in native traced sanitized; do
		got=$({
			printf 'scene /\nstream 1 closed\nshow\n'
			ask o
			printf 'scene /\nstream 1 full\nstream 0 closed\nshow\n'
			ask o
			printf 'scene /\nstream 0 null\nstream 1 null\nshow\n'
			ask o
			printf 'scene /\nstream 2 null\nshow\n'
			ask o
			printf 'scene /\nstream 0 closed\nstream 1 closed\nstream 2 closed\nshow\n'
			ask o x3
			printf 'scene /\nshow\n'
			ask o
		} | replay $variant)
		same "exited 0
| 0 file
| 2 file
| output: Bad file descriptor
exited 0
| 1 device
| 2 file
| output: No space left on device
exited 0
| 0 device
| 1 device
| 2 file
| output: fine
exited 0
| to output
exited 3
exited 0
| 0 file
| 1 file
| 2 file
| to output
| output: fine" "$got"
	done
}

test_clock() {
	prepare
	got=$({
		printf 'scene /\nclock 1000000000\nshow\n'
		ask t
		printf 'scene /\nclock 1100000000\nshow\n'
		ask t
		echo hide
		ask t
	} | replay traced -S)
	same "exited 0
| 1000000000
exited 0
| 1100000000
exited 0
| 1700000000" "$got"
}

test_matches() {
	prepare
	got=$({
		printf 'scene /\nended 0 2 /\\n\nshow\n'
		ask d; echo matches
		ask x1; echo matches
		ask k15; echo matches
		ask; echo matches
		printf 'scene /tmp\nended 0 2 /\\n\nshow\n'
		ask d; echo matches
		printf 'scene /\nended 15 2 x\\n\nshow\n'
		ask d k15; echo matches
		ask d x0; echo matches
		printf 'scene /\nended 768 2 x\\n\nshow\n'
		ask d x3; echo matches
	} | replay native | grep -v '^|')
	same "exited 0
matches
exited 1
exit status 1, recorded was exit status 0
signal 15
signal 15, recorded was exit status 0
exited 0
0 bytes of output, recorded were 2
exited 0
5 bytes of output, recorded were 2
signal 15
0 bytes of output, recorded were 2
exited 0
exit status 0, recorded was signal 15
exited 3
another output of the same size (2 bytes)" "$got"
}

# Scenes in turn, larger than what is kept of them together; one whose content is gone; one that nobody can be in.
test_turns() {
	prepare
	head -c 1500000 /dev/zero | tr '\0' x >big
	big=$(head -c 60000 big)
	got=$({
		for i in $(seq 40); do
			printf "scene $PWD/gone\nentry file $PWD/gone/n 644 1 $i\nentry unknown $PWD/gone/z 644 1 90000000\n"
			printf "entry file $PWD/gone/b 644 1 $i$big\nshow\n"
			ask cn
		done
	} | replay traced | grep '^|')
	same "$(seq 40 | sed 's/.*/| n <&>/')" "$got"
	got=$({ printf "scene $PWD/scene/no\nshow\n"; ask d; } | replay native) || true
	contains "$got" "error: cannot run ./scene"
	got=$({ printf 'scene /tmp\nshow\n'; ask d; } | test-execute -b landlock -v native ./scene 2>&1) || true
	contains "$got" "error: "
}

# Libraries that are found by the scene's environment only.
test_libraries() {
	prepare
	mkdir lib1 lib2 elsewhere
	echo 'int number(void); int main(void) { return number(); }' >uses.c
	for i in 1 2; do
		echo "int number(void) { return $i; }" >lib.c
		veer-cc -g -shared -fPIC lib.c -o lib$i/libnumber.so
	done
	veer-cc -g uses.c -Llib1 -lnumber -o uses
	for variant in native traced sanitized; do
		got=$({
			printf "scene $PWD/elsewhere\nvariable LD_LIBRARY_PATH=../lib1\nshow\n"
			printf 'arg ./uses\nrun\nrun\n'
			printf "scene $PWD\nvariable LD_LIBRARY_PATH=/none:lib2\nshow\nrun\n"
		} | test-execute -b namespaces -v $variant ./uses 2>no-variant-of-it)
		same "exited 1
exited 1
exited 2" "$got"
	done
}

# A finding whose folder and variables are gone: veer replays it, and its script shows it to another build.
test_finding() {
	prepare
	cat >fails.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv)
{
	char line[100] = "", *copy = calloc(1, 4);
	FILE *f = fopen("data", "r");
	if (f && fgets(line, sizeof line, f) && getenv("SUITE_MODE") && argc == 2 && fopen(argv[1], "r"))
		strcpy(copy, line);
	puts(copy);
	return 0;
}
END
	veer-cc -g -w fails.c -o fails
	"$LLVM/clang" -g -w -O0 -fsanitize=address,undefined fails.c -o plain
	mkdir test
	echo too long >test/data
	here=$PWD
	(cd test && SUITE_MODE=on test-judge -w ../veer-out -c "$PWD/data" "$here/fails" "$PWD/data" >../said)
	contains "$(cat said)" "error heap-buffer-overflow main fails.c:"
	rm -r test
	contains "$(veer replay F1)" "F1: again: heap-buffer-overflow in main, "
	contains "$(veer replay --native F1 || true)" "F1: heap-buffer-overflow in main, "
	[ ! -e test ]
	for where in . /; do
		got=$(cd $where && "$here/veer-out/findings/F1/reproduce.sh" "$here/plain" 2>&1) && die "nothing is wrong"
		contains "$got" "ERROR: AddressSanitizer: heap-buffer-overflow"
	done
	contains "$(cat veer-out/findings/F1/report.txt)" 'SUITE_MODE=on'
	if command -v gdb >/dev/null; then
		text=$(veer replay --gdb F1 -batch -ex run -ex backtrace 2>&1 </dev/null)
		contains "$text" "heap-buffer-overflow"
	fi
	# Merged into another campaign, which then has all it needs.
	veer explore -o all --budget 1s -q -- "$here/fails" </dev/null >/dev/null 2>&1 || true
	contains "$(veer merge all veer-out)" "1 findings"
	contains "$(veer replay -o all F1)" "F1: again: heap-buffer-overflow in main, "
	same "$(cd veer-out/findings/F1 && ls -lR files)" "$(cd all/findings/F1 && ls -lR files)"
	rm -r veer-out/files
	veer replay F1 2>err && die "it has no content"
	one_line "$(cat err)"
}

try "environment, folder, umask" test_surroundings
try "files, folders, links, pipes, absent" test_entries
try "folders that were listed" test_listed
try "what is the same" test_same
try "files of the input" test_input
try "symbolic files" test_symbolic
try "streams" test_streams
try "the clock" test_clock
try "as recorded" test_matches
try "one scene after the other" test_turns
try "libraries" test_libraries
try "findings" test_finding
finish
