#!/bin/sh
# The budget of `veer test`: what is built first is used first, each phase shows where it is, and the end comes in time.
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
	grep -n -e ' s, distance [01]: ' said | tail -n 1 | cut -d: -f1 >second
	[ -s second ] || die "distances are not shown: $(cat said)"
	[ "$(cat first)" -lt "$(cat second)" ] || die "out of order: $(cat said)"
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
	veer test -o out --budget 2s --max-distance 0 -- sh suite.sh >said 2>&1
	[ $(($(date +%s) - started)) -lt 60 ] || die "it took $(($(date +%s) - started)) s: $(cat said)"
	contains "$(cat said)" "tests were not analysed, since the variants of"
	contains "$(cat said)" "ended after"
	lacks "$(cat said)" "complete"
	find "$VEER_CACHE_DIR" -type f | sort >before # nobody goes on in the background
	sleep 2
	find "$VEER_CACHE_DIR" -type f | sort | cmp before -
}

try "each phase shows where it is" phases
try "a unit of several programs is instrumented once" shared_units
try "variants that are not built in time do not delay the end" too_short
finish
