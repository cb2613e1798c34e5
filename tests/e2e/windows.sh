#!/bin/sh
# Analysis scopes of recorded tests: large files, and files that all tests read alike, start concrete and become
# symbolic window by window; the report says how each input was treated; a killed campaign goes on.
. "$(dirname "$0")/lib.sh"

# lookup.c: a table in a file that all tests read, and a file of each test's own
program() {
	mkdir -p tests data
	cat >lookup.c <<-'END'
		#include <stdio.h>
		#include <string.h>
		int main(int argc, char **argv)
		{
			char table[64] = "", own[64] = "";
			FILE *f = fopen("../data/table", "r"), *g = argc > 1 ? fopen(argv[1], "r") : NULL;
			if (!f || !g || !fgets(table, sizeof table, f) || !fgets(own, sizeof own, g))
				return 2;
			if (own[0] == table[0])
				puts("first");
			if (table[1] == 'x')
				puts("x");
			return 0;
		}
	END
	veer-cc -g -O1 lookup.c -o lookup
	echo abcdef >data/table
	echo 'cd tests' >suite.sh
	for i in 1 2 3 4 5; do
		echo "own $i" >"tests/own$i"
		echo "../lookup own$i" >>suite.sh
	done
}

# treated: a line for each input in results.json: NAME TREATMENT GROUP TESTS WHOLE WINDOWS CONCRETE
treated() {
	perl -MJSON::PP -0777 -e '
		for my $i (@{decode_json(<STDIN>)->{inputs}}) {
			my ($name) = $i->{name} =~ m,([^/]*)$,;
			print join(" ", $name, map { $i->{$_} } qw(treatment group tests whole windows concrete)), "\n"
		}' <out/results.json | sort
}

# started OPTION...: `veer amplify` with its process in $pid, when it has done a window
started() {
	veer amplify -o out --budget 60s "$@" >said 2>&1 &
	pid=$!
	for _ in $(seq 600); do
		n=$(sqlite3 -readonly out/veer.db 'SELECT count(*) FROM scopes WHERE number > 0 AND level >= 0' 2>/dev/null || echo 0)
		[ "$n" -lt 1 ] || return 0
		sleep 0.1
	done
	die "no window was analysed: $(cat said)"
}

alike() {
	program
	veer test -o out -v --budget 60s --max-distance 0 -- sh suite.sh >said 2>&1
	# They are symbolic in their turn, when all tests have been checked.
	same "own1 whole own 1 1 0 0
own2 whole own 1 1 0 0
own3 whole own 1 1 0 0
own4 whole own 1 1 0 0
own5 whole own 1 1 0 0
table whole alike 5 5 0 0" "$(treated)"
	same 10 "$(sqlite3 out/veer.db 'SELECT count(*) FROM scopes')" # two for each test
	veer report -o out --format text >text
	lacks "$(cat text)" "read alike"
	# Asked for by name it is the tests' own: one target each.
	veer amplify -o out --budget 60s --max-distance 0 --sym argv,files,file:"$PWD/data/table" >said 2>&1
	same "table whole own 5 5 0 0" "$(treated | grep table)"
	same 5 "$(sqlite3 out/veer.db 'SELECT count(*) FROM scopes')"
}

# Time for the first scopes only: the rest is told of.
reported() {
	cat >slow.c <<-'END'
		#include <stdio.h>
		int main(void)
		{
			static char data[1 << 20];
			FILE *f = fopen("big", "r");
			size_t n = f ? fread(data, 1, sizeof data, f) : 0, lines = 0;
			for (size_t i = 0; i < n; i++)
				lines += data[i] == '\n';
			printf("%zu\n", lines);
			return 0;
		}
	END
	veer-cc -g -O1 slow.c -o slow
	awk 'BEGIN { for (i = 0; i < 60000; i++) printf "0123456789" }' >big
	veer record -o out -- ./slow >/dev/null 2>&1
	started -v
	kill -INT $pid
	status=0
	wait $pid || status=$?
	same 130 $status
	contains "$(cat said)" "of 1 input file (and standard input) 0 symbolic as a whole"
	contains "$(cat said)" "/big, 600000 bytes, large, in 1 test: "
	same "big windows own 1 0 1 0" "$(treated)"
	contains "$(veer report -o out --format text)" "bytes symbolic so far, window by window, in 1"
	veer report -o out --format html >/dev/null 2>&1
	contains "$(cat out/report.html)" "bytes symbolic so far, window by window, in 1"
}

# What is said of a finding in a large file is of the bytes near those that were changed.
explained() {
	veer-cc -g -O1 -w "$VEER_SOURCE/tests/programs/amplify/far.c" -o far
	veer test -o out --budget 60s --max-distance 0 -- sh "$VEER_SOURCE/tests/programs/amplify/far.sh" >said 2>&1
	veer explain -o out F1 >text
	contains "$(cat text)" "when byte 200000 of file $PWD/image is "
	contains "$(cat text)" "size = image[0x30d40] - '0' = "
	lacks "$(cat text)" "1 changed; " # how many are relevant: of those that were concrete nobody knows
	lacks "$(cat text)" "bytes relevant"
}

# A run that makes more decisions than are looked at: its beginning is analysed with all of its bytes, what lies behind
# in a window that begins there.
cut() {
	cat >long.c <<-'END'
		#include <stdio.h>
		int main(void)
		{
			unsigned char f[120] = "", one[400] = "", two[150] = "";
			FILE *in = fopen("data", "r");
			if (!in || fread(f, 1, 100, in) != 100)
				return 2;
			printf("%d\n", one[f[0] + f[90]]);
			for (unsigned i = 0, x = f[1]; i < 30000; i++, x = x * 5 + 1)
				if (x & 64)
					putchar('x');
			printf("%d\n", two[f[95]]);
			return 0;
		}
	END
	veer-cc -g -O1 long.c -o long
	awk 'BEGIN { for (i = 0; i < 100; i++) printf "a" }' >data
	veer test -o out -v --budget 60s --max-distance 0 -- ./long >said 2>&1 || : # it is not wholly analysed
	contains "$(cat said)" "long.c:8 in main"
	contains "$(cat said)" "long.c:12 in main"
	contains "$(cat said)" "1 analysed in part (cut by the size of the trace)"
}

# Killed at any time, it goes on with the windows that it had, none of them twice.
killed() {
	program
	awk 'BEGIN { for (i = 0; i < 300000; i++) print i % 10 }' >data/table
	for _ in 1 2 3 4 5; do # it may be done before it is killed
		rm -rf out
		veer record -o out -- sh suite.sh >/dev/null 2>&1
		started --max-distance 0
		kill -9 $pid 2>/dev/null && break
	done
	wait $pid 2>/dev/null || :
	sqlite3 out/veer.db 'SELECT snapshot, number, first, last FROM scopes' | sort >then
	[ -s then ] || die "nothing was kept"
	veer amplify -o out --budget 60s --max-distance 0 >said 2>&1
	contains "$(cat said)" "5 of 5 recorded tests were analysed"
	sqlite3 out/veer.db 'SELECT snapshot, number, first, last FROM scopes' | sort >now
	same "" "$(comm -23 then now)"
	same "" "$(sqlite3 out/veer.db 'SELECT a.snapshot, a.number FROM scopes a JOIN scopes b ON a.snapshot = b.snapshot AND a.number < b.number AND b.first < a.last')"
	same "table whole alike 5 5 0 0" "$(treated | grep table)"
}

# A window's run ends when what is analysed of it is recorded: how the test ends is known from its first scope.
heads() {
	cat >slow.c <<-'END'
		#include <stdio.h>
		int main(void)
		{
			static char data[1 << 16], seen[256];
			size_t n = fread(data, 1, sizeof data, stdin), odd = 0;
			for (size_t i = 0; i < n; i++)
				for (int bit = 0; bit < 8; bit++)
					if (data[i] >> bit & 1)
						odd ^= (size_t)bit, seen[data[i] & 255] = 1;
			for (volatile unsigned i = 0; i < 300000000; i++)
				;
			printf("%zu\n", odd + (size_t)seen['7']);
			return 0;
		}
	END
	veer-cc -g -O1 slow.c -o slow
	head -c 40000 /dev/zero | tr '\0' '7' >data
	# 31 windows: were each a whole run, and another one for the oracle, they would take three times what they take.
	veer test -o out -j1 --cpu-time --budget 60s --max-distance 0 -- sh -c './slow <data' >said 2>&1
	contains "$(cat said)" "done: the tests' paths"
	took=$(sed -n 's/^veer: ended after \([0-9]*\)\.[0-9]* s.*/\1/p' said)
	[ "$took" -lt 9 ] || die "it took $took s: $(cat said)"
	same 31 "$(sqlite3 out/veer.db 'SELECT count(*) FROM scopes WHERE number > 0 AND level >= 0')"
}

command -v sqlite3 >/dev/null || {
	echo "skip $SUITE: there is no sqlite3"
	exit 0
}
try "a file that all tests read alike is concrete at first" alike
try "the report says how inputs were treated" reported
try "a finding in a window is explained" explained
try "a run that is cut goes on in the next window" cut
try "runs of windows end when they are recorded" heads
try "killed, it goes on with its windows" killed
finish
