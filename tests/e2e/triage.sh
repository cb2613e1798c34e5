#!/bin/sh
# What is told of findings: one bug once, warnings counted, the tests' own code apart, what the tests show by themselves.
. "$(dirname "$0")/lib.sh"

# A library of which one line is reached from three functions, and a driver in tests/ with a bug of its own.
project() { # folder of the sources
	mkdir -p "$1/src" "$1/tests"
	cat >"$1/src/field.c" <<-'END'
		#include <stdlib.h>
		static int at(const char *block, int n)
		{
			return block[n];
		}
		int first(const char *b, int n) { return at(b, n) + 1; }
		int second(const char *b, int n) { return at(b, n) + 2; }
		int third(const char *b, int n) { return at(b, n) + 3; }
		char *make(void) { return calloc(1, 8); }
	END
	cat >"$1/tests/driver.c" <<-'END'
		#include <assert.h>
		#include <stdlib.h>
		int first(const char *b, int n), second(const char *b, int n), third(const char *b, int n);
		char *make(void);
		int main(int argc, char **argv)
		{
			if (argc != 3)
				return 2;
			assert(argv[2][0] != 'x');
			char *block = make();
			int n = argv[2][0] - '0', r = 0;
			switch (argv[1][0]) {
			case '1': r = first(block, n); break;
			case '2': r = second(block, n); break;
			case '3': r = third(block, n); break;
			}
			free(block);
			return r > 200;
		}
	END
	echo 'for i in 1 2 3; do ./driver $i 4; done' >"$1/suite"
}

# results EXPRESSION: of results.json, by python
results() { python3 -c "import json; r = json.load(open('veer-out/results.json')); print($1)"; }

built() { # folder of the sources: into this folder
	for f in src/field tests/driver; do veer-cc -g -O1 -c "$1/$f.c" -o "$(basename $f).o"; done
	veer-cc field.o driver.o -o driver
}

# The place is the project's although a test driver led there; what the driver does wrong is another group.
whose_code() {
	project "$PWD"
	built .
	code=0
	veer test -j1 --budget 20s --max-distance 1 --error-exitcode 7 -- sh suite >log 2>&1 || code=$?
	same 7 $code
	same 1 "$(grep -c '^veer: F[0-9]* error: ' log)"
	contains "$(grep '^veer: F[0-9]* error: ' log)" "heap-buffer-overflow at $PWD/src/field.c:4 in at"
	contains "$(cat log)" "; 1 error, 0 warnings, 0 others"
	contains "$(cat log)" "veer: in the tests' own code: 1 error, 0 warnings, 0 others; --error-exitcode does not count"
	contains "$(sed -n "/in the tests' own code/,\$p" log)" "error: assertion at $PWD/tests/driver.c:9 in main"
	same "2" "$(results 'len(r["findings"])')"
	same "['src/field.c', 'tests/driver.c']" "$(results "sorted(f['file'][len('$PWD/'):] for f in r['findings'])")"
	same "[False, True]" "$(results "[f['test_code'] for f in sorted(r['findings'], key=lambda f: f['file'])]")"
	same "2" "$(results "[len(f['also']) for f in r['findings'] if not f['test_code']][0]")"
	veer report --quick >said
	contains "$(cat said)" "1 error, 0 warnings"
	contains "$(cat said)" "the same bug, found in other ways: F"
	contains "$(sed -n "/^In the tests' own code: 1 error/,\$p" said)" "breaks an assertion"
	lacks "$(sed "/^In the tests' own code/,\$d" said)" "breaks an assertion"
	same 1 "$(veer report --quick --format junit --to - | grep -c '<failure')"
	contains "$(veer report --quick --format sarif --to -)" '"level": "note"'
	contains "$(veer report --quick --test-code none)" "2 errors, 0 warnings"
}

# Only the tests' own code is wrong: that is no failure unless it is asked for.
only_tests() {
	project "$PWD"
	sed -i 's/return block\[n\]/return n >= 0 \&\& n < 8 ? block[n] : 0/' src/field.c
	built .
	status veer test -q -j1 --budget 20s --max-distance 1 --error-exitcode 7 -- sh suite >log 2>&1
	same 0 "$(tail -n 1 log)"
	contains "$(cat log)" "0 errors, 0 warnings, 0 others"
	contains "$(cat log)" "in the tests' own code: 1 error, "
	status veer test -q -j1 --budget 5s --max-distance 1 --error-exitcode 7 --test-code-errors -- sh suite >log 2>&1
	same 7 "$(tail -n 1 log)"
	contains "$(cat log)" "in the tests' own code: 1 error (found before), "
	status veer test -q -j1 --budget 5s --max-distance 1 --error-exitcode 7 --test-code none -- sh suite >log 2>&1
	same 7 "$(tail -n 1 log)"
	contains "$(cat log)" "; 1 error (found before), "
	lacks "$(cat log)" "in the tests' own code"
	status veer test -q -j1 --budget 5s --max-distance 1 --error-exitcode 7 --test-code 'driver.c' -- sh suite >log 2>&1
	same 0 "$(tail -n 1 log)"
}

# `veer explore` of a driver has the same groups; warnings are counted, and listed on request.
explored() {
	project "$PWD"
	sed -i 's/char \*block = make();/int big = 2147483447; big += (unsigned char)argv[2][0]; &/' tests/driver.c
	built .
	status veer explore -q -j1 --runs 400 --error-exitcode 7 -- ./driver 1 4 >log 2>&1
	same 7 "$(tail -n 1 log)"
	same 1 "$(grep -c '^F[0-9]* error: ' log)"
	contains "$(cat log)" "error: heap-buffer-overflow at $PWD/src/field.c:4 in at"
	contains "$(cat log)" "; 1 error, 0 warnings, 0 others"
	contains "$(cat log)" "veer: in the tests' own code: 1 error, 1 warning, 0 others; --error-exitcode does not count"
	contains "$(sed -n "/in the tests' own code/,\$p" log)" "error: assertion at $PWD/tests/driver.c:9 in main"
	contains "$(cat log)" "the warning is not listed"
	lacks "$(cat log)" "signed-add-overflow"
	same "[False, True, True]" "$(results "[f['test_code'] for f in sorted(r['findings'], key=lambda f: f['file'])]")"
	contains "$(veer report --quick)" "In the tests' own code: 1 error"
	veer explore -q -v -j1 --runs 400 -o other --test-code none -- ./driver 1 4 >log 2>&1
	contains "$(cat log)" "warning: signed-add-overflow at $PWD/tests/driver.c:"
	contains "$(cat log)" "; 2 errors, 1 warning, 0 others"
}

# All of a project may lie in a folder called test: then that says nothing.
all_in_a_test_folder() {
	mkdir test && cd test
	project "$PWD"
	cp src/field.c tests/driver.c .
	for f in field driver; do veer-cc -g -O1 -c $f.c -o $f.o; done
	veer-cc field.o driver.o -o driver
	veer test -q -j1 --budget 20s --max-distance 1 -- sh suite >log 2>&1
	contains "$(cat log)" "; 2 errors, 0 warnings, 0 others"
	lacks "$(cat log)" "in the tests' own code"
	cd ..
	rm -rf test/veer-out
	veer test -q -j1 --budget 20s --max-distance 1 -- sh -c 'cd test && sh suite' >log 2>&1
	contains "$(cat log)" "; 2 errors, 0 warnings, 0 others"
}

# Names are those of the project, wherever it is built; the page says what was tested, how and when.
out_of_tree() {
	mkdir project build
	project "$PWD/project"
	: >project/configure.ac
	cd build
	built ../project
	veer test -q -j1 --budget 20s --max-distance 1 -- sh ../project/suite >log 2>&1
	contains "$(cat log)" "; 1 error, 0 warnings, 0 others"
	contains "$(cat log)" "in the tests' own code: 1 error, "
	contains "$(veer report --quick)" "
src/field.c:4"
	contains "$(veer report --quick)" "
tests/driver.c:9"
	veer report --quick --format html >/dev/null
	contains "$(cat veer-out/report.html)" "<h1>project</h1>"
	contains "$(cat veer-out/report.html)" "<code>veer test -q -j1 --budget 20s --max-distance 1 -- sh ../project/suite</code>"
	contains "$(cat veer-out/report.html)" "<time>$(date -u +%Y-%m-)"
	contains "$(cat veer-out/report.html)" ", veer $(veer --version | sed 's/veer //; s/ .*//; q')"
	contains "$(cat veer-out/report.html)" "<code>src/field.c:4</code>"
	contains "$(cat veer-out/report.html)" "In the tests' own code</h2>"
}

# The second time nothing is new, and the totals say what the exit status says.
again() {
	project "$PWD"
	built .
	for time in first second; do
		status veer test -q -j1 --budget 20s --max-distance 0 --error-exitcode 7 -- sh suite >$time 2>&1
		same 7 "$(tail -n 1 $time)"
	done
	contains "$(cat first)" "; 1 error, 0 warnings, 0 others"
	contains "$(cat second)" "veer: found before: F1 error: heap-buffer-overflow"
	same 1 "$(grep -c 'found before: F' second)"
	contains "$(cat second)" "; 1 error (found before), 0 warnings, 0 others"
}

# What a test shows as it is, it shows under a sanitizer alone.
by_itself() {
	project "$PWD"
	built .
	echo './driver 1 9; ./driver 2 1' >suite
	veer test -q -j1 --budget 20s --max-distance 0 -- sh suite >log 2>&1
	contains "$(cat log)" "veer: F1 error: your test S1 already does this under AddressSanitizer: heap-buffer-overflow at"
	contains "$(veer explain F1 | sed -n 2p)" "Your test S1 (driver 1 9) already does this under AddressSanitizer: driver, in at"
}

# A macro that is used three times, and a line of its own.
warnings() {
	cat >p.c <<-'END'
		#include <limits.h>
		#define MORE(x, y) ((x) + (y))
		int main(int argc, char **argv)
		{
			int big = INT_MAX - '5', a = 0;
			if (argc < 4)
				return 0;
			a ^= MORE(big, argv[1][0]);
			a ^= MORE (big, argv[2][0]);
			a ^= MORE(big, argv[3][0]);
			a ^= big + argv[1][1];
			return a == 3;
		}
	END
	veer-cc -g -O1 p.c -o p
	veer test -q -j1 --budget 20s --max-distance 0 -- ./p 01 2 3 >log 2>&1
	lacks "$(cat log)" "signed-add-overflow"
	contains "$(cat log)" "; 0 errors, 2 warnings, 0 others"
	contains "$(cat log)" "the warnings are not listed: \`veer report --warnings\`, or -v, does"
	veer report --quick >said
	contains "$(cat said)" "2 warnings (--warnings lists them)"
	lacks "$(cat said)" "p.c:"
	veer report --quick --warnings >said
	same 2 "$(grep -c '^p.c:' said)"
	veer test -q -v -j1 --budget 20s --max-distance 0 -- ./p 01 2 3 >log 2>&1
	contains "$(cat log)" "found before: F1 warning: signed-add-overflow at $PWD/p.c:"
}

# A project's own sanitizers: variants do without them, the program keeps them, and nothing else ends it.
own_sanitizers() {
	project "$PWD"
	for flags in address,undefined leak; do
		for f in src/field tests/driver; do veer-cc -g -O1 "-fsanitize=$flags" -c "$f.c" -o "$(basename $f).o"; done
		veer-cc "-fsanitize=$flags" field.o driver.o -o driver
		same 0 "$(status sh suite)"
		same 0 "$(status veer test -j1 -o "$flags" --budget 20s --max-distance 0 -- sh suite 2>log)"
		contains "$(cat log)" "heap-buffer-overflow at $PWD/src/field.c:4 in at"
		contains "$(cat log)" "; 1 error, 0 warnings, 0 others"
		lacks "$(cat log)" "were not amplified"
		contains "$(veer replay -o "$flags" F1)" "F1: again: heap-buffer-overflow"
		same 0 "$(status veer run -- sh suite 2>log)"
		lacks "$(cat log)" LeakSanitizer
	done
	grep -q __asan_init driver || nm driver | grep -q __lsan_init || die "the program lost its sanitizer"
}

# A program that does not load is none that can be amplified, and says why; others are.
not_loading() {
	project "$PWD"
	built .
	veer-cc -g -O1 -shared -fPIC -o libfield.so src/field.c
	veer-cc -g -O1 tests/driver.c -L. -lfield -o unloadable
	echo './unloadable 1 2; ./driver 1 4' >suite
	veer test -q -j1 --budget 20s --max-distance 0 -- sh suite >log 2>&1
	contains "$(cat log)" "; 1 error, 0 warnings, 0 others"
	contains "$(cat log)" "unloadable does not load: libfield.so: cannot open shared object file"
	same 1 "$(status veer explore -q --budget 5s -o explored -- ./unloadable 1 2 2>err)"
	one_line "$(cat err)"
	contains "$(cat err)" "unloadable does not load: libfield.so: cannot open shared object file"
	contains "$(cat err)" "; set LD_LIBRARY_PATH"
}

try "whose code it is" whose_code
try "a build with sanitizers of its own" own_sanitizers
try "a program that does not load" not_loading
try "errors in the tests' own code only" only_tests
try "of a program that is explored" explored
try "a project in a folder called test" all_in_a_test_folder
try "built out of tree" out_of_tree
try "a second campaign" again
try "tests that fail by themselves" by_itself
try "warnings" warnings
finish
