#!/bin/sh
# veer cover: functions and fragments that no whole run reaches. Budgets are in processor time, as other programs have the
# machine, too; campaigns end sooner, when everything that is asked for is covered.
. "$(dirname "$0")/lib.sh"
PROGRAMS=$VEER_SOURCE/tests/programs/covering

build() { veer-cc -g -O1 -w "$PROGRAMS/shop.c" -o shop "$@"; }

# field NAME KEY: of a function in results.json
field() { sed -n "s/.*{\"name\": \"$1\", .*\"$2\": \([0-9]*\).*/\1/p" veer-out/results.json; }
# phase NAME: segments that this phase covered first
phase() { sed -n "s/.*\"segments\": {.*\"$1\": \([0-9]*\).*/\1/p" veer-out/results.json | head -n 1; }

every_function() {
	build
	veer cover -q --cpu-time --budget 60s ./shop >out
	for function in main average total find accept; do
		[ "$(field "$function" segments)" -gt 0 ] || die "$function has no segments: $(cat out)"
		same "$function $(field "$function" lines)" "$function $(field "$function" lines_covered)"
	done
	contains "$(cat veer-out/results.json)" '"command": "cover"'
}

# What whole runs do not reach, later phases do: a function that nobody calls, and what is behind a checksum.
phases() {
	build
	veer cover -q --budget 5s --phases inp ./shop -- x >out
	same 0 "$(field average lines_covered)"
	[ "$(field find lines_covered)" -eq 0 ]
	same 0 "$(phase ext)"
	rm -r veer-out
	veer cover -q --cpu-time --budget 20s --phases ext,stub --function 'a*' ./shop >out
	same "$(field average lines)" "$(field average lines_covered)"
	same "$(field accept lines)" "$(field accept lines_covered)"
	[ "$(phase ext)" -gt 0 ] && [ "$(phase stub)" -gt 0 ] && same 0 "$(phase inp)"
	same "" "$(field total lines)"
	contains "$(veer coverage)" "segments by phase: ext"
	contains "$(veer coverage --functions)" " average"
	contains "$(veer coverage --segments)" average
}

# Whole runs end when nothing is left that they could cover, however many paths there are: what nobody calls is not
# theirs to cover.
whole_runs_end() {
	cat >count.c <<-'END'
		#include <stdio.h>
		int lonely(int x) { return x > 3; }
		int main(void)
		{
			int c, n = 0;
			while ((c = getchar()) != EOF)
				if (c == 'a')
					n++;
			return n > 2;
		}
	END
	veer-cc -g -O1 count.c -o count
	veer cover -q --budget 100s --phases inp ./count -- --sym-stdin 40 >out
	contains "$(cat out)" "complete after"
	[ "$(sed -n 's/^complete after \([0-9]*\).*/\1/p' out)" -lt 50 ] || die "$(cat out)"
	same "$(field main segments)" "$(field main segments_covered)"
	same 0 "$(field lonely segments_covered)"
}

# Segments that nothing leads to are told from those that were not covered yet, and no time is spent on them.
reach() {
	mkdir -p a/b
	(cd a/b && veer-cc -g -O1 "../../$1/reach.c" -o ../../reach)
	veer cover -q --budget 60s --phases ext,stub,int ./reach >out
	same "4 2 2" "$(field twice segments) $(field twice segments_covered) $(field twice segments_out_of_reach)"
	same "4 2 2" "$(field shifted segments) $(field shifted segments_covered) $(field shifted segments_out_of_reach)"
	same 5 "$(field digits segments)" # a run that ends before its marker settles nothing
	[ "$(field digits segments_out_of_reach)" -le 2 ]
	same "$(field rounds segments) 0" "$(field rounds segments_covered) $(field rounds segments_out_of_reach)"
	same 2 "$(veer coverage --segments | grep -c 'twice .* not: .*\[infeasible\]')"
	same 2 "$(veer coverage --segments | grep -c 'shifted .* not: .*\[out of reach\]')"
	lacks "$(veer coverage --segments)" "but covered"
	contains "$(veer coverage --functions | grep twice)" "ext 2, out of reach 2"
	contains "$(veer coverage --functions | grep shifted)" "ext 2, out of reach 2"
	contains "$(veer coverage)" "lines by phase: ext"
}
out_of_reach() {
	ln -s "$PROGRAMS" programs
	reach programs
}

# A stub changes whatever its function may change: with callees as stubs, nothing is out of reach that real ones lead to.
changed_by_callees() {
	veer-cc -g -O1 "$PROGRAMS/changed.c" -o changed
	veer cover -q --cpu-time --budget 30s --phases stub,int ./changed >out
	for function in behind elsewhere third untyped text called_back; do
		same "$function 2 2 0" "$function $(field $function segments) $(field $function segments_covered) $(field $function segments_out_of_reach)"
	done
	same 0 "$(field removed segments_out_of_reach)"
	same "2 1 1" "$(field unchanged segments) $(field unchanged segments_covered) $(field unchanged segments_out_of_reach)"
}

# Functions that have another name for the linker.
other_symbols() {
	cat >symbols.c <<-'END'
		int renamed(int x) __asm__("other_name");
		static int numbered(int x) __asm__("numbered.1");
		#define spelled spelled_otherwise
		int renamed(int x) { if (x > 3) return 1; return 2; }
		static int numbered(int x) { if (x == 7) return 5; return 3; }
		int spelled(int x) { if (numbered(x) > 4) return 1; return 2; }
		int main(int argc, char **argv) { return renamed(argc) + spelled(argc); }
	END
	veer-cc -g -O1 symbols.c -o symbols
	veer cover -q --cpu-time --budget 20s --phases ext ./symbols >out
	for function in renamed numbered spelled_otherwise; do
		same "$function 2 2" "$function $(field $function segments) $(field $function segments_covered)"
	done
	contains "$(veer coverage --functions | grep other_name)" "ext 2"
	veer cover -q -o by --cpu-time --budget 20s --phases ext --function other_name ./symbols >out
	contains "$(cat out)" "1 function is covered whole"
}

# Whole runs begin with recorded tests, and with inputs of other tools.
seeds() {
	cat >secret.c <<-'END'
		#include <stdio.h>
		#include <string.h>
		int main(int argc, char **argv)
		{
			char line[16] = "";
			if (argc < 2 || !fgets(line, sizeof line, stdin))
				return 1;
			if (strcmp(line, "kx93Qz") != 0 || strcmp(argv[1], "open") != 0)
				return 2;
			return puts("open"), 0;
		}
	END
	veer-cc -g -O1 secret.c -o secret
	printf kx93Qz >word
	veer record -q -o rec -- sh -c './secret open <word'
	veer cover -q --runs 2 -j1 --phases inp --tests rec ./secret -- x >out
	lacks "$(veer coverage --uncovered | grep -o "secret.c:.*")" 10 # the last line
	rm -r veer-out
	same 1 "$(status veer cover -q --tests none ./secret 2>err)"
	one_line "$(cat err)"
	mkdir corpus && cp word corpus/1
	veer cover -q --runs 2 -j1 --phases inp --seeds corpus ./secret -- open >out
	lacks "$(veer coverage --uncovered | grep -o "secret.c:.*")" 10
}

# A bug of a made-up run is a possible one: listed on request, and never an error.
possible() {
	build
	veer cover -q --cpu-time --budget 20s --function average --error-exitcode=9 ./shop >out # status 0
	contains "$(cat out)" "1 possible finding (--possible lists it)"
	contains "$(cat out)" "0 errors"
	lacks "$(cat out)" division
	same 1 "$(field average possible)"
	lacks "$(veer report)" division
	contains "$(veer report --possible)" division-by-zero
	veer report --possible --format sarif >/dev/null
	contains "$(cat veer-out/report.sarif)" '"level": "note"'
	contains "$(veer explain F1)" "divides by zero"
	contains "$(veer replay F1)" "F1: again: division-by-zero in average"
	same 1 "$(status veer replay --native F1 2>err)"
	one_line "$(cat err)"
	same 125 "$(status sh veer-out/findings/F1/reproduce.sh 2>err)"
	rm -r veer-out
	contains "$(veer cover -q --possible --cpu-time --budget 20s --function average ./shop)" "possible: division-by-zero at"
}

# Unit tests of what was covered, which need no veer, and fail when the code changes.
unit_tests() {
	cp "$PROGRAMS/shop.c" .
	veer-cc -g -O1 -w shop.c -o shop
	veer cover -q --cpu-time --budget 20s ./shop >out
	veer export --as c --to generated >said
	contains "$(cat said)" " tests with "
	[ "$(sed -n 's/^\([0-9]*\) tests with .*/\1/p' said)" -ge 8 ] || die "$(cat said)"
	env PATH=/usr/bin:/bin make -s -C generated check >passed 2>&1 || die "$(cat passed)"
	sed 's/i->count > limit/i->count >= limit + 2/' shop.c >changed.c
	mv changed.c shop.c
	env PATH=/usr/bin:/bin make -s -C generated clean >/dev/null 2>&1 || true
	touch generated/*_test.c
	if env PATH=/usr/bin:/bin make -s -C generated check >failed 2>&1; then die "no test fails: $(cat failed)"; fi
}

libraries() {
	build -shared -fPIC -o libshop.so
	veer cover -q --cpu-time --budget 20s --function average ./libshop.so >out
	same "$(field average lines)" "$(field average lines_covered)"
	veer export --as c --to generated >said
	make -s -C generated check >passed 2>&1 || die "$(cat passed)"
	contains "$(cat passed)" "ok I"
	rm -r veer-out generated
	veer-cc -g -O1 -w -Dmain=unused -c "$PROGRAMS/shop.c" -o shop.o
	echo 'double sin(double); double wave(double x) { return x > 1 ? sin(x) : 0; }' >wave.c # needs -lm
	veer-cc -g -O1 -w -c wave.c
	ar rc libshop.a shop.o wave.o
	veer cover -q --cpu-time --budget 20s --function average libshop.a >out
	same "$(field average lines)" "$(field average lines_covered)"
	veer export --as c --to generated >said
	make -s -C generated check >passed 2>&1 || die "$(cat passed)"
	contains "$(cat passed)" "ok I"
	rm -r veer-out
	echo 'int gone(void); int needs(void) { return gone(); }' >wave.c
	veer-cc -w -c wave.c
	ar rc libshop.a wave.o
	same 1 "$(status veer cover libshop.a 2>err)"
	contains "$(cat err)" 'undefined reference to `gone'
	one_line "$(cat err)"
}

# Builds outside of the source folder name sources with "..".
other_folder() {
	mkdir -p src build
	cp "$PROGRAMS/shop.c" src
	cd build
	veer-cc -g -O1 -w -c ./../src//shop.c -o shop.o
	veer-cc shop.o -o shop
	veer cover -q --cpu-time --budget 20s --phases ext --function average --file src/shop.c ./shop >out
	same "$(field average lines)" "$(field average lines_covered)"
	[ "$(field average lines)" -gt 0 ]
	[ "$(field average possible)" -gt 0 ]
}

# A campaign that was killed goes on; one that is complete has nothing left to run.
resumes() {
	build
	veer cover -q --cpu-time --budget 60s ./shop >out 2>&1 &
	pid=$!
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		[ -s veer-out/veer.db ] && break
		sleep 0.5
	done
	sleep 1
	kill -9 $pid 2>/dev/null || true
	wait $pid 2>/dev/null || true
	veer cover -q --cpu-time --budget 60s --function average ./shop >out
	veer cover -q --cpu-time --budget 60s --function average ./shop >again
	contains "$(cat again)" " 0 runs"
	same "$(field average lines)" "$(field average lines_covered)"
}

# What cannot be done is said in a line.
bad_input() {
	build
	same 2 "$(status veer cover --phases all ./shop 2>err)"
	contains "$(head -n 1 err)" "there is no phase all; the phases are inp, ext, stub, int"
	same 1 "$(status veer cover --function nobody ./shop 2>err)"
	one_line "$(cat err)"
	contains "$(cat err)" "no function of"
	same 1 "$(status veer cover ./missing 2>err)"
	one_line "$(cat err)"
	same 1 "$(status veer cover /bin/true 2>err)"
	contains "$(cat err)" "veer-cc"
	same 2 "$(status veer cover --depth 1000 ./shop 2>err)"
}

try "every function of a program" every_function
try "each phase covers what those before it cannot" phases
try "whole runs end when they have nothing to cover" whole_runs_end
try "bugs of made-up runs are possible ones" possible
try "segments out of reach" out_of_reach
try "callees that change other objects" changed_by_callees
try "names for the linker" other_symbols
try "seeds of whole runs" seeds
try "unit tests in C" unit_tests
try "shared libraries and archives" libraries
try "sources in another folder" other_folder
try "a killed campaign goes on" resumes
try "bad input" bad_input
finish
