#!/bin/sh
# The budget of `veer test`: what is built first is used first, each phase shows where it is, what is left of the time goes
# into the search, and the end comes in time.
. "$(dirname "$0")/lib.sh"

# programs N: p1 to pN, each with units of its own and one that all share, and a suite of one test each
programs() {
	# shellcheck disable=SC2016
	echo 'int shared(const char *s) { int n = 0; while (*s) n = n * 10 + *s++; return n; }' >shared.c
	veer-cc -g -c shared.c -o shared.o
	: >suite.sh
	for i in $(seq "$1"); do
		cat >"p$i.c" <<-END
			int shared(const char *s);
			static int table$i[8];
			int main(int argc, char **argv) { return argc > 1 && shared(argv[1]) == $i ? table$i[argv[1][0] & 15] : 0; }
		END
		veer-cc -g "p$i.c" shared.o -o "p$i"
		echo "./p$i ab" >>suite.sh
	done
}

phases() {
	programs 3
	veer test -o out --budget 60s --max-distance 1 -- sh suite.sh >said 2>&1
	grep -n -e 'building variants: [0-9]* of 3 programs' said | head -n 1 | cut -d: -f1 >first
	[ -s first ] || die "building is not shown: $(cat said)"
	# Progress is printed twice a second at most: a phase that is over sooner has no line.
	seconds=$(sed -n 's/^veer: ended after \([0-9]*\)\..*/\1/p' said)
	grep -n -e ' s, distance [01]: ' said | tail -n 1 | cut -d: -f1 >second
	[ -s second ] || [ "$seconds" -lt 3 ] || die "distances are not shown: $(cat said)"
	[ ! -s second ] || [ "$(cat first)" -lt "$(cat second)" ] || die "out of order: $(cat said)"
	grep -q '3 tests of 3 programs' said || die "$(cat said)"
	lacks "$(cat said)" "not analysed"
}

# A unit that programs share is instrumented once, whoever comes first.
shared_units() {
	programs 4
	veer test -o out --budget 60s --max-distance 0 -- sh suite.sh >said 2>&1
	same 10 "$(find "$VEER_CACHE_DIR/units" -name '*.o' | wc -l)" # 4 programs and 1 shared, 2 variants
	same 0 "$(find "$VEER_CACHE_DIR/units" -name '*.lock' | wc -l)"
}

# large N FUNCTIONS: programs that take long to build
large() {
	: >suite.sh
	for i in $(seq "$1"); do
		{
			for k in $(seq "$2"); do
				echo "int f${i}_$k(const char *s, int *t) { int n = $i; for (int i = 0; s[i]; i++)" \
					"{ if (s[i] == $k % 128) n += t[i % 7]; else if (s[i] > n) n ^= t[n & 3]; else n *= s[i]; }" \
					"return n; }"
			done
			echo "int main(int argc, char **argv) { int t[8] = {1}, n = 0; if (argc < 2) return 0;"
			for k in $(seq "$2"); do echo "n += f${i}_$k(argv[1], t);"; done
			echo "return n == 12345; }"
		} >"q$i.c"
		veer-cc -g "q$i.c" -o "q$i"
		echo "./q$i ab" >>suite.sh
	done
}

# With no time for building all, the end comes all the same, and says what was not analysed; what was built is kept.
too_short() {
	large 6 150
	started=$(date +%s)
	large_ended=$(status veer test -o out --budget 2s --max-distance 0 -- sh suite.sh 2>&1 | tee said | tail -n 1)
	case $large_ended in 0 | 1) ;; *) die "status $large_ended: $(cat said)" ;; esac # 1: not one was analysed
	[ $(($(date +%s) - started)) -lt 60 ] || die "it took $(($(date +%s) - started)) s: $(cat said)"
	contains "$(cat said)" "tests were not analysed, since the variants of"
	lacks "$(cat said)" "complete"
	find "$VEER_CACHE_DIR" -type f | sort >before # nobody goes on in the background
	sleep 2
	find "$VEER_CACHE_DIR" -type f | sort | cmp before -
}

# A bug that no distance within reach leads to: its path differs from the test's in many decisions.
deep() {
	cat >deep.c <<-'END'
		#include <stdio.h>
		#include <string.h>
		int main(void)
		{
			static const char word[] = "believe!";
			char line[64], small[4];
			int state = 0;
			if (!fgets(line, sizeof line, stdin))
				return 1;
			for (int i = 0; line[i] && line[i] != '\n'; i++)
				state = line[i] == word[state] ? state + 1 : 0;
			if (state == 8)
				strcpy(small, line);
			puts(state ? "some" : "none");
			return 0;
		}
	END
	veer-cc -g deep.c -o deep
	echo 'echo aaaaaaaaaaaaaaaaaaaa | ./deep' >suite.sh
}

out_of_reach() {
	deep
	veer test -o near --budget 60s --max-distance 2 -- sh suite.sh >said 2>&1
	lacks "$(cat said)" "stack-buffer-overflow"
	lacks "$(cat said)" "complete"
	contains "$(cat said)" "up to distance 2"
	veer test -o far --budget 12s -- sh suite.sh >said 2>&1
	contains "$(cat said)" "stack-buffer-overflow"
	contains "$(cat said)" ", by search"
	contains "$(cat said)" "candidates left"
	contains "$(cat said)" " s, search: "
	lacks "$(cat said)" "complete"
	grep -q '"kind": "stack-buffer-overflow".*"distance": -1,' far/results.json || die "$(cat far/results.json)"
	grep -q '"search": {"runs": [1-9]' far/results.json || die "$(cat far/results.json)"
	contains "$(veer explain -o far F1)" "by the search from all tests"
}

# sizes: a program that can be explored completely, and an overflow that no check on the test's path shows
sizes() {
	cat >sizes.c <<-'END'
		#include <stdio.h>
		#include <stdlib.h>
		int main(void)
		{
			unsigned char h[4];
			if (fread(h, 1, 4, stdin) != 4)
				return 1;
			char *b = malloc(h[1] * 2 + 8);
			for (int i = 0; i < (h[2] & 31) + (h[3] & 31); i++)
				b[i] = 0;
			free(b);
			return 0;
		}
	END
	veer-cc -g sizes.c -o sizes
	printf '%s\n' "printf '\\001\\012\\003\\004' | ./sizes" >suite.sh
}

complete() {
	sizes
	veer test -o out --budget 120s -- sh suite.sh >said 2>&1
	contains "$(cat said)" "heap-buffer-overflow"
	contains "$(cat said)" "complete after"
	contains "$(cat said)" " 0 candidates left"
	veer amplify -o out --budget 120s >said 2>&1 # again: there is nothing new
	contains "$(cat said)" "complete after"
	contains "$(cat said)" ", 0 runs;"
}

# Killed while it searches, it goes on.
killed() {
	deep
	veer test -q -o out --budget 60s -- sh suite.sh >said 2>&1 &
	pid=$!
	for i in $(seq 300); do
		n=$(sqlite3 out/veer.db "SELECT coalesce(sum(value), 0) FROM counters WHERE name = 'searched'" 2>/dev/null || echo 0)
		[ "${n:-0}" -le 50 ] || break
		sleep 0.1
	done
	kill -9 $pid
	wait $pid 2>/dev/null || true
	[ "${n:-0}" -gt 50 ] || die "it did not come to the search: $(cat said)"
	veer amplify -o out --budget 10s --stats >said 2>&1
	contains "$(cat said)" " s, search: "
	grep -q '^[0-9.]* s: .* [1-9][0-9]* again;' said || die "nothing was taken up: $(cat said)"
	contains "$(cat out/results.json)" '"kind": "stack-buffer-overflow"'
	same "" "$(sqlite3 out/veer.db 'SELECT path FROM flips WHERE answer = 2 GROUP BY path HAVING count(*) > 1 LIMIT 1')"
}

# The suite in an environment that its first run changed: the same paths have solutions, of a test that is gone.
another_environment() {
	cat >writes.c <<-'END'
		#include <stdio.h>
		int main(void)
		{
			char b[16] = {0};
			FILE *f = fopen("written", "w");
			if (!f || !fgets(b, 16, stdin))
				return 1;
			for (int i = 0; i < 15; i++) {
				if (b[i] == 'a' + i)
					fputc(b[i], f);
				if (b[i] > 'm')
					fputc('x', f);
			}
			return fclose(f) != 0;
		}
	END
	veer-cc -g writes.c -o writes
	echo abcdefghijklmno >input
	for i in 1 2 3; do
		veer test -o out --budget 3s -- sh -c './writes <input' >said 2>&1 || die "$(cat said)"
		contains "$(cat said)" "searched from the tests"
	done
	same 2 "$(sqlite3 out/veer.db 'SELECT count(*) FROM snapshots')"
}

try "each phase shows where it is" phases
try "a unit of several programs is instrumented once" shared_units
try "variants that are not built in time do not delay the end" too_short
try "what no distance leads to is found by the search" out_of_reach
try "complete is said when nothing is left" complete
try "a campaign that is killed while it searches goes on" killed
try "a suite goes on in another environment" another_environment
finish
