#!/bin/sh
# Segments: paths of functions from marker to marker, counted by the fragment variant.
. "$(dirname "$0")/lib.sh"

# Writes what segments.c adds calls of.
write_logger() {
	cat >logger.c <<-'END'
		#include <stdio.h>
		#include <stdlib.h>
		static FILE *out;
		static unsigned frames, entries;
		void __asan_handle_no_return(void) {} // clang has it called in the bitcode
		unsigned segments_enter(void)
		{
			return frames++;
		}
		void segments_block(unsigned function, unsigned frame, unsigned block)
		{
			unsigned entry[] = {function, frame, block};
			if (!out && !(out = fopen("log", "wb")))
				abort();
			if (entries++ > 2000000)
				_Exit(99);
			fwrite(entry, sizeof entry, 1, out);
			fflush(out);
		}
	END
}

# reference PROGRAM ARGUMENT...: into `expected`; fails when the program runs too long for it
reference() {
	program=$1
	shift
	veer bitcode "$program" -o p.bc
	"$VEER_BUILD/test-segments" log p.bc logged.bc
	"$LLVM/clang" -w -O1 logged.bc logger.c -lm -o logged
	rm -f log
	status=0
	timeout 60 ./logged "$@" >native 2>/dev/null || status=$?
	[ $status != 99 ] && [ $status != 124 ] || return 1
	"$VEER_BUILD/test-segments" count p.bc <log | sort >expected
}

# by_counters PROGRAM ARGUMENT...: the same by veer's counters, into `actual`
by_counters() {
	veer path --segments --no-compare -- "$@" 2>err |
		sed -n 's/^[^ ]* \([^ ]*\) segment \([0-9]*\) \([a-z]*\): .*/\1 \2 \3/p' |
		awk '{ all[$1]++; if ($3 == "covered") at[$1] = at[$1] " " $2 }
			END { for (f in all) {
				print f ": " all[f]
				n = split(at[f], v, " ")
				for (i = 1; i <= n; i++) print f ": " v[i] " of " all[f]
			} }' | sort >actual
}

random_programs() { # csmith's
	write_logger
	checked=0
	seed=${VEER_CSMITH_SEED:-1}
	while [ $checked -lt "${VEER_CSMITH_PROGRAMS:-12}" ]; do
		csmith --seed "$seed" --no-packed-struct --max-funcs 5 --max-block-size 4 --max-expr-complexity 6 >p.c
		veer-cc -g -w -O1 -I/usr/include/csmith -I/usr/include/csmith-2.3.0 p.c -o p
		seed=$((seed + 1))
		timeout 5 ./p >/dev/null || continue
		reference ./p || continue
		by_counters ./p
		diff expected actual || die "seed $((seed - 1))"
		checked=$((checked + 1))
	done
}

# Joins at ends of scopes, switches into loops, loops by goto, computed goto, what does not return.
write_flows() {
	cat >flows.c <<-'END'
		#include <stdio.h>
		#include <stdlib.h>
		#include <string.h>
		static int h(int *p) { return (*p += 3) % 4 == 0; }
		static void leave(int x) { if (x == 77) exit(5); }
		static int scopes(int a, int n)
		{
			int s = 0;
			for (int i = 0; i < n; i++) {
				int x = a * i;
				if (x % 11 == 10) return s;
				if (x == 7) continue;
				for (int j = i;; j++) {
					int z = x + j;
					if (h(&z)) { int q = z; if (h(&q)) goto next; break; }
					if (z > 40) goto out;
					s += z;
				}
				s--;
			next:;
			}
		out:
			return s > 0 ? s : -s;
		}
		static int device(char *to, const char *from, int count)
		{
			int n = (count + 7) / 8;
			switch (count % 8) {
			case 0: do { *to++ = *from++;
			case 7: *to++ = *from++;
			case 6: *to++ = *from++;
			case 5: *to++ = *from++;
			case 4: *to++ = *from++;
			case 3: *to++ = *from++;
			case 2: *to++ = *from++;
			case 1: *to++ = *from++;
				} while (--n > 0);
			}
			return count;
		}
		static int machine(const char *code)
		{
			static void *jumps[] = {&&add, &&twice, &&end};
			int r = 1;
		next:
			goto *jumps[*code ? *code++ % 2 : 2];
		add: r += 3; goto next;
		twice: r *= 2; if (r > 1000) leave(77); goto *jumps[r % 3 ? 0 : 2];
		end: return r;
		}
		static int tree(int n)
		{
			return n < 2 ? 1 : n % 2 ? tree(n - 1) + 1 : tree(n / 2) + tree(n / 2 - 1);
		}
		static int branches(unsigned a)
		{
			int r = 0;
			if (a & 1) r++; if (a & 2) r += 2; if (a & 4) r += 3; if (a & 8) r *= 2; if (a & 16) r--;
			if (a & 32) r++; if (a & 64) r += 2; if (a & 128) r += 3; if (a & 256) r *= 2; if (a & 512) r--;
			return r;
		}
		int main(int argc, char **argv)
		{
			char to[64];
			int n = atoi(argv[1]), m = atoi(argv[2]), v[n > 0 ? n : 1];
			memset(v, 0, sizeof v);
			v[0] = scopes(n, m) + tree(m) + branches((unsigned)(n * 37 + m));
			if (m > 0) v[0] += device(to, argv[0], m);
			printf("%d %d\n", v[0], machine(argv[1]));
			if (argc > 3) abort();
			leave(n);
			return 0;
		}
	END
	veer-cc -g -w flows.c -o flows
}

flows() {
	write_logger
	write_flows
	for arguments in "1 0" "2 5" "3 9" "7 14" "77 3" "10 8" "5 21" "9 40" "13 33" "121212121 2" "1 1 1"; do
		# shellcheck disable=SC2086
		reference ./flows $arguments
		# shellcheck disable=SC2086
		by_counters ./flows $arguments
		diff expected actual || die "$arguments"
	done
}

second_returns() { # of setjmp: the segment goes on as it was at the first
	cat >a.c <<-'END'
		#include <setjmp.h>
		static jmp_buf b;
		static int deep(int n)
		{
			for (int i = 0; i < n; i++)
				if (i == 3)
					longjmp(b, 1);
			return 0;
		}
		int main(int argc, char **argv)
		{
			int r = argc > 1;
			if (r)
				r = 0;
			if (setjmp(b) == 0) {
				while (argc-- > -9)
					deep(2);
				deep(9);
			}
			return r;
		}
	END
	veer-cc -g -O2 a.c -o p
	veer path --segments -- ./p 2>err | grep ' main segment [0-9]* covered' | sed 's/.*segment/segment/' >actual
	cat >expected <<-'END'
		segment 2 covered: entry 10 -> loop 16:1: 12 13 15 16
		segment 3 covered: entry 10 -> exit: 12 13 15 20
		segment 4 covered: loop 16:1 -> loop 16:1: 16 17 16
	END
	diff expected actual
}

shown() { # as text, with the length of the run
	cat >a.c <<-'END'
		int f(int n)
		{
			int s = 0;
			for (int i = 0; i < n; i++)
				if (i % 2)
					s += i;
			return s;
		}
		int main(int argc, char **argv)
		{
			return f(argc) > 5;
		}
	END
	veer-cc -g a.c -o p
	veer path --segments --stats -- ./p 1 2 >out 2>err
	cat >expected <<-'END'
		a.c:1 f segment 0 covered: entry 1 -> loop 4:1: 3 4
		a.c:1 f segment 1 covered: loop 4:1 -> loop 4:1: 4 5 6 5 4
		a.c:1 f segment 2 covered: loop 4:1 -> loop 4:1: 4 5 4
		a.c:1 f segment 3 covered: loop 4:1 -> exit: 4 7
		a.c:9 main segment 0 covered: entry 9 -> exit: 11
	END
	sed -n 's,^/.*/a\.c:\(.* segment .*\),a.c:\1,p' out | diff expected -
	contains "$(cat err)" "5/5 100.0%"
	contains "$(cat err)" "6 segments were passed through"
	veer path --segments --stats -- ./p >out 2>err
	contains "$(cat out)" "segment 1 not:"
	contains "$(cat err)" "4 segments were passed through"
	veer path --segments --repeat 3 --stats -- ./p 1 2 >out 2>err
	contains "$(cat err)" "18 segments were passed through"
}

elsewhere() { # other variants count none
	cat >a.c <<-'END'
		int main(void) { return 0; }
	END
	veer-cc -g a.c -o p
	veer path --coverage --stats -- ./p >out 2>err
	lacks "$(cat out err)" segment
}

same_path() { # as traced: the counters change no condition
	for p in kinds klee objects; do
		veer-cc -w -O1 -std=gnu2x -I"$VEER_SOURCE/include" "$VEER_SOURCE/tests/programs/$p.c" -o $p -lm
		same "$(veer run --variant traced -- ./$p)" "$(veer run --variant fragment -- ./$p)"
		veer path --events -- ./$p >traced 2>err
		veer path --segments --events --self-check --stats -- ./$p 2>err |
			grep -vE ':[0-9]+ (covered|not)$| segment [0-9]+ ' >counted
		contains "$(cat err)" " 0 mismatches"
		sed -i 's/0x[0-9a-f]\{12\}/ADDRESS/g' traced counted
		cmp traced counted
	done
}

programs() { # of bench/cover: their own tests, and the same with counters of segments
	folder=$VEER_SOURCE/bench/cover/programs here=$PWD
	CC=veer-cc BUILD=$PWD sh "$folder/check" >log || die "$(cat log)"
	for p in replace schedule tokens mdns; do
		for cmd in "$folder/$p"/tests/*.cmd; do
			status=0
			(cd "$folder/$p/tests" && eval "veer run --variant fragment -- '$here/$p' $(cat "$cmd")") \
				<"${cmd%.cmd}.in" >out 2>&1 || status=$?
			sed -i '/^veer: no error/d; /^veer: building /d' out # the second on a slow machine
			echo "exit $status" >>out
			diff "${cmd%.cmd}.out" out
		done
	done
}

try "random programs" random_programs
try "all kinds of control flow" flows
try "setjmp" second_returns
try "as text" shown
try "other variants" elsewhere
try "paths as traced" same_path
try "programs of bench/cover" programs
finish
