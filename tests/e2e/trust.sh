#!/bin/sh
# Silence that can be trusted: which recorded tests were analysed, which were not and why, and that nothing looks done
# that was not.
. "$(dirname "$0")/lib.sh"

# --- files of others ---------------------------------------------------------------------------------

# Creates a file beside the one that it reads.
writer() {
	cat >writer.c <<-'END'
		#include <errno.h>
		#include <stdio.h>
		int main(int argc, char **argv)
		{
			char line[64] = "";
			FILE *in = fopen(argv[argc - 1], "r"), *out = fopen("written", "w");
			if (!in || !out)
				return errno;
			if (fgets(line, sizeof line, in) && line[0] == 'x')
				fputs("x", out);
			return fclose(out) ? 1 : 0;
		}
	END
	veer-cc -g -O1 writer.c -o writer
	echo hello >input
}

others_folder() {
	[ "$(id -u)" = 0 ] || skip "only root can write to the folder of another user"
	mkdir project && cd project
	writer
	chown 12345:12345 . ./*
	veer test -o ../out -v --budget 20s --max-distance 0 -- ./writer input >../said 2>&1 || die "$(cat ../said)"
	lacks "$(cat ../said)" "not amplified"
}

others_group() {
	[ "$(id -u)" = 0 ] || skip "only root can give a file to another group"
	cat >both.c <<-'END'
		#include <errno.h>
		#include <stdio.h>
		int main(int argc, char **argv)
		{
			char line[64] = "";
			FILE *in = fopen(argv[1], "r+"), *out = fopen("folder/new", "w");
			if (argc != 2 || !in || !out)
				return errno;
			return fgets(line, sizeof line, in) && line[0] == 'x';
		}
	END
	veer-cc -g -O1 both.c -o both
	echo hello >input
	mkdir folder
	chmod 755 "$SCRATCH"
	chown -R 12345:12345 .
	chown 12345:12346 input folder
	HOME=$PWD VEER_CACHE_DIR=$PWD/cache
	export HOME VEER_CACHE_DIR
	somebody() { setpriv --reuid 12345 --regid 12345 --clear-groups "$@"; }
	somebody veer --version >/dev/null 2>&1 || skip "another user cannot run veer here"
	somebody veer test -o out -v --budget 20s --max-distance 0 -- ./both input >said 2>&1 || die "$(cat said)"
	lacks "$(cat said)" "not amplified"
}

# --- traced and native runs --------------------------------------------------------------------------

# A program that sees whether it is traced, and does something else then: what its first byte says.
differing() {
	cat >differing.c <<-'END'
		#include <stdio.h>
		#include <stdlib.h>
		#include <string.h>
		#include <time.h>
		#include <unistd.h>
		static int is_traced(void)
		{
			char line[4096];
			int traced = 0;
			FILE *f = fopen("/proc/self/maps", "r");
			while (f && fgets(line, sizeof line, f))
				traced |= strstr(line, "libveer-trace") != NULL;
			if (f)
				fclose(f);
			return traced;
		}
		static void write_file(const char *text)
		{
			FILE *f = fopen("written", "w");
			if (f && (fputs(text, f) < 0 || fclose(f)))
				exit(9);
		}
		static void fail(void)
		{
			abort(); // here
		}
		int main(void)
		{
			char line[64] = "", text[32];
			if (!fgets(line, sizeof line, stdin))
				return 2;
			switch (line[0]) {
			case 'a': if (is_traced()) fail(); break;
			case 'e': return is_traced() ? 3 : 0;
			case 'o': printf("hello %s", is_traced() ? "there\n" : "world\n"); break;
			case 'f': write_file(is_traced() ? "b" : "a"); break;
			case 'n': if (!is_traced()) write_file("a"); break;
			case 't': snprintf(text, sizeof text, "%ld", (long)time(NULL)); write_file(text); break;
			case 'w': if (is_traced()) sleep(1); snprintf(text, sizeof text, "%ld", (long)time(NULL)); write_file(text); break;
			case 'p': if (is_traced()) sleep(1); printf("%ld\n", (long)time(NULL)); break;
			case 'l': for (; is_traced();); break;
			default: if (line[1] == 'x') puts("x");
			}
			return 0;
		}
	END
	veer-cc -g -O0 differing.c -o differing
}

# results FIELD...: numbers of results.json, by the words of outcomes.def
results() {
	perl -MJSON::PP -0777 -e 'my $r = decode_json(<STDIN>); print join(" ", map { $r->{tests}{$_} } @ARGV), "\n"' "$@" \
		<out/results.json
}

# differs BYTE WORDS: the test that has this byte is noticed, and nothing is analysed
differs() {
	echo "$1" >input
	rm -rf out written
	same 1 "$(status veer test -o out --budget 20s -- sh -c './differing <input' 2>said | tail -n 1)"
	contains "$(grep 'differently traced than natively' said)" "1 of the first 1 tests (100%)"
	contains "$(grep 'differently traced than natively' said)" "$2"
	contains "$(cat said)" "0 of 1 recorded tests were analysed; 1 ended differently traced"
	lacks "$(cat said)" "complete"
	same "1 0 1" "$(results recorded analysed differs)"
	contains "$(cat out/results.json)" '"differing": ['
}

differences() {
	differing
	differs a "traced: signal 6, natively exit status 0; it ended at $PWD/differing.c:$(grep -n '// here' differing.c | cut -d: -f1) in fail"
	differs e "traced: exit status 3, natively exit status 0; last seen at"
	differs o 'traced: output at byte 6: expected "world\n", got "there\n"'
	differs f "traced: file $PWD/written: other content"
	differs n "traced: file $PWD/written: not written"
	contains "$(veer report -o out --format text)" "0 of 1 recorded tests were analysed; 1 ended differently traced"
	contains "$(veer report -o out --format text)" "file $PWD/written: not written"
	veer report -o out --format html >/dev/null
	contains "$(cat out/report.html)" "Tests analysed</dt><dd>0 <small>of 1; 0 in part, 0 cut, 1 ended differently traced"
	contains "$(cat out/report.html)" "written: not written"
}

# path_says BYTE: what `veer path` says when the program is given this byte
path_says() {
	echo "$1" >input
	rm -f written
	veer path --sym stdin -- ./differing <input 2>&1 >/dev/null | grep 'not what the program does' || true
}

path_differences() {
	differing
	contains "$(path_says e)" "exit status 3, natively exit status 0"
	contains "$(path_says f)" "file $PWD/written: other content"
	contains "$(path_says n)" "file $PWD/written: not written"
	same "" "$(path_says t)"
	same "" "$(path_says w)"
	same "" "$(path_says p)"
	same "" "$(path_says x)"
}

# What a clock, or a process number, makes of a file is no difference; and one that differs leaves the others alone.
no_differences() {
	differing
	printf 't\n' >time
	printf 'e\n' >other
	for i in 1 2 3; do echo "$i$i" >"$i"; done
	suite='for i in time other 1 2 3; do ./differing <$i; done; exit 0'
	veer test -o out -v --budget 30s --max-distance 0 -- sh -c "$suite" >said 2>&1 || die "$(cat said)"
	contains "$(cat said)" "1 of the first 5 tests (20%)"
	same "5 4 1" "$(results recorded analysed differs)"
	contains "$(cat said)" "(differing) is not amplified: traced: exit status 3"
	lacks "$(cat said)" "complete"
	# What was compared is known; what differed is compared again, and counts once.
	veer amplify -o out --budget 30s --max-distance 0 >said 2>&1 || die "$(cat said)"
	contains "$(cat said)" "1 of the first 5 tests (20%)"
	contains "$(cat said)" " 0 runs; "
	same "5 4 1" "$(results recorded analysed differs)"
	same 0 "$(status veer amplify -o out --budget 30s --max-distance 0 --min-analysed 80% 2>/dev/null)"
	same 1 "$(status veer amplify -o out --budget 30s --max-distance 0 --min-analysed 81% 2>said)"
	contains "$(cat said)" "80.0% of the tests were wholly analysed, --min-analysed asks for 81%"
	same 7 "$(status sh -c 'exit 7')"
	same 7 "$(status veer test -o out --budget 5s --max-distance 0 --min-analysed 100 -- sh -c "${suite%0}7" 2>/dev/null)"
	same 2 "$(status veer amplify -o out --min-analysed many 2>said)"
	one_line "$(cat said)"
}

explored_differences() {
	differing
	echo e >input
	same 1 "$(status veer explore -o out --budget 10s -- ./differing <input 2>said | tail -n 1)"
	contains "$(cat said)" "1 of the first 1 inputs (100%) end differently traced than natively"
	contains "$(cat said)" "exit status 3, natively exit status 0"
	same 1 "$(status veer explore -o out --budget 10s -- ./differing <input 2>said | tail -n 1)" # it goes on no better
	echo 1 >input
	veer explore -o other --budget 10s --runs 5 -- ./differing <input >said 2>&1 || die "$(cat said)"
	lacks "$(cat said)" "differently"
}

# --- nothing was done ------------------------------------------------------------------------------------

no_program() {
	same 1 "$(status veer test -o out --error-exitcode=7 -- true 2>said)"
	contains "$(cat said)" "no program was recorded"
	same 1 "$(status veer test -q -o out -- true 2>said)"
	contains "$(cat said)" "no program was recorded"
	same 3 "$(status veer test -o out -- sh -c 'exit 3' 2>/dev/null)"
}

no_input() {
	echo 'int main(void) { return 0; }' >quiet.c
	veer-cc quiet.c -o quiet
	same 1 "$(status veer test -o out -- ./quiet 2>said)"
	contains "$(cat said)" "0 of 1 recorded tests were analysed; 1 without input that veer can change"
	lacks "$(cat said)" "show nothing"
	lacks "$(cat said)" "complete"
	same "1 0 1" "$(results recorded analysed no_input)"
	same 1 "$(status veer explore -o explored --budget 10s -- ./quiet </dev/null 2>said | tail -n 1)"
	contains "$(cat said)" "no run had input that veer can change"
}

other_sandboxes() {
	writer
	for mode in "--sandbox landlock" --unsafe-no-sandbox; do
		# shellcheck disable=SC2086
		same 1 "$(status veer test -o out $mode -- sh -c 'touch ran; ./writer input' 2>said)"
		one_line "$(cat said)"
		contains "$(cat said)" "a sandbox of namespaces"
		[ ! -e ran ] || die "the suite ran, for nothing: $mode"
	done
}

# A recorded test that does not run again: its output has the process number.
not_reproduced() {
	cat >number.c <<-'END'
		#include <stdio.h>
		#include <unistd.h>
		int main(int argc, char **argv)
		{
			printf("%s %d\n", argv[argc - 1], (int)getpid());
			return 0;
		}
	END
	veer-cc number.c -o number
	same 1 "$(status veer test -o out --error-exitcode=7 -- ./number x 2>said | tail -n 1)"
	contains "$(cat said)" "1 not reproducible"
	lacks "$(cat said)" "complete"
	same "1 0 1" "$(results recorded analysed not_reproduced)"
}

# --- limits ------------------------------------------------------------------------------------------------

# Longer than the limit of a run, natively, too: the limit follows the native time.
slow() {
	cat >slow.c <<-'END'
		int main(int argc, char **argv)
		{
			for (volatile long i = 0; i < 50000000; i++)
				;
			return argc > 1 && argv[1][0] == 'x';
		}
	END
	veer-cc -g -O1 slow.c -o slow
	veer test -o out --budget 60s --timeout 10 --max-distance 0 -- ./slow abc >said 2>&1 || die "$(cat said)"
	same "1 1 0" "$(results recorded analysed cut_time)"
}

cut_by_time() {
	differing
	echo l >input
	same 1 "$(status veer test -o out --budget 4s -- sh -c './differing <input' 2>said)"
	contains "$(cat said)" "0 of 1 recorded tests were analysed; 1 cut by time"
	lacks "$(cat said)" "complete"
	same "1 0 1" "$(results recorded analysed cut_time)"
}

cut_by_trace() {
	cat >long.c <<-'END'
		#include <stdio.h>
		int main(void)
		{
			int c, n = 0;
			while ((c = getchar()) != EOF)
				for (int i = 0; i < 64; i++)
					n += c > i;
			return n & 1;
		}
	END
	veer-cc -g -O0 long.c -o long
	head -c 2000 /dev/zero | tr '\0' 'a' >input
	same 0 "$(status veer test -o out --budget 5s --max-distance 0 -- sh -c './long <input || true' 2>said)"
	contains "$(cat said)" "0 of 1 recorded tests were analysed; 1 analysed in part (cut by the size of the trace)"
	lacks "$(cat said)" "complete"
	lacks "$(cat said)" "nothing analysed"
	same "1 0 1 0" "$(results recorded analysed part_trace cut_trace)"
	contains "$(veer report -o out --format text)" "1 analysed in part (cut by the size of the trace)"
	veer report -o out --format html >html
	contains "$(cat out/report.html)" "Tests analysed</dt><dd>0 <small>of 1; 1 in part, 0 cut"
	# What was solved is not solved again: it stays analysed in part. For a share, only whole tests count.
	same 0 "$(status veer amplify -o out --budget 5s --max-distance 0 2>/dev/null)"
	same "1 0 1 0" "$(results recorded analysed part_trace cut_trace)"
	same 1 "$(status veer amplify -o out --budget 5s --max-distance 0 --min-analysed 1% 2>said)"
	contains "$(cat said)" "0.0% of the tests were wholly analysed, --min-analysed asks for 1%"
}

try "root, in a folder of another user" others_folder
try "files and folders of another group" others_group
try "a traced run that differs is noticed, and not analysed" differences
try "a traced run that differs is noticed by veer path" path_differences
try "the others are analysed; --min-analysed" no_differences
try "exploring: first inputs that differ" explored_differences
try "no program was recorded" no_program
try "tests without input" no_input
try "sandboxes that cannot amplify" other_sandboxes
try "tests that are not reproducible" not_reproduced
try "a slow test has its time" slow
try "cut by time" cut_by_time
try "cut by the trace" cut_by_trace
finish
