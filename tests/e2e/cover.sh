#!/bin/sh
# Coverage: the explored variant and veer path --coverage.
. "$(dirname "$0")/lib.sh"

# lines FILE: of `out`, as "LINE covered" or "LINE not"
lines() { sed -n "s|.*/$1:||p" out; }

# by_gcov PROGRAM ARGUMENT...: the same of a.c, b.c ... by clang's own counters
by_gcov() {
	rm -rf gcov
	mkdir gcov
	cp ./*.[ch] gcov
	(
		cd gcov
		"$LLVM/clang" -w -g -O0 --coverage ./*.c -o p
		./p "$@" >/dev/null 2>&1 || true
		for notes in *.gcda; do "$LLVM/llvm-cov" gcov -t "$notes"; done 2>/dev/null >all
	)
}

gcov_lines() { # file: a line is covered when one of its units ran it
	awk -v file="$1" '
		/^ *-: *0:Source:/ { n = split($0, part, /[:\/]/); on = part[n] == file; next }
		on && !/^ *-:/ {
			split($0, f, ":"); gsub(/ /, "", f[1]); gsub(/ /, "", f[2])
			if (f[1] !~ /^[#=]/) hit[f[2]] = 1
			seen[f[2]] = 1
		}
		END { for (l in seen) print l, l in hit ? "covered" : "not" }' gcov/all | sort -n
}

several_files() {
	cat >a.h <<-'END'
		static inline int limit(int x)
		{
			if (x > 100)
				return 100;
			return x;
		}
		int kind(int c);
		int twice(int x);
	END
	cat >a.c <<-'END'
		#include "a.h"
		#include <stdio.h>
		#include <stdlib.h>
		#include <string.h>

		int never(void)
		{
			return 3;
		}

		static int checked(const char *s)
		{
			if (*s) {
				char copy[16];
				strncpy(copy, s, 15);
				if (copy[0] == 'q')
					return 1;
				printf("%d\n", kind(copy[0]));
			}
			return 0;
		}

		int main(int argc, char **argv)
		{
			int n = 0, i;
			for (i = 1; i < argc; i++) {
				int x = atoi(argv[i]);
				if (x < 0)
					continue;
				else if (x == 77)
					abort();
				n += limit(x) ? twice(x) : 5;
				if (checked(argv[i]) || x == 12345)
					break;
				while (x-- > 0 && x < 4)
					if (x == 2)
						goto out;
			}
		out:
			printf("%d\n", n);
			return n > 1000;
		}
	END
	cat >b.c <<-'END'
		#include "a.h"

		int kind(int c)
		{
			int k = 0;
			switch (c) {
			case '1': k = 4; /* falls through */
			case '2': k++; break;
			case '3' ... '5':
				return 2;
			case 'q':
				__builtin_unreachable();
			default:
				k = limit(c) + (c > 'm' ? 1 : 2);
			}
			return k;
		}

		int twice(int x)
		{
			return x *
				2;
		}
	END
	veer-cc -g -O2 ./*.c -o p
}

like_gcov() { # the lines that clang's own coverage has, and the same ones covered
	several_files
	for arguments in "" "1" "2" "3 4" "q" "-5 zz" "200" "3000 a" "77 1" "1 2 3 4 5"; do
		# shellcheck disable=SC2086
		by_gcov $arguments
		# shellcheck disable=SC2086
		veer path --coverage -- ./p $arguments >out 2>err
		[ "$arguments" != "77 1" ] || continue # gcov's counters do not survive abort()
		for f in a.c b.c a.h; do
			same "$(gcov_lines $f)" "$(lines $f)"
		done
	done
}

crash() { # what ran before it is covered, and what crashed
	several_files
	veer path --coverage -- ./p 1 77 2 >out 2>err
	contains "$(cat err)" "ended by signal 6"
	same "31 covered" "$(lines a.c | grep '^31 ')" # abort()
	same "40 not" "$(lines a.c | grep '^40 ')"
	cat >c.c <<-'END'
		int *null;
		int main(int argc, char **argv)
		{
			for (;;) {
				if (argc == 1)
					*null = 1;
				argc--;
			}
			return 0;
		}
	END
	veer-cc -g c.c -o c
	veer path --coverage -- ./c 1 2 >out 2>err
	contains "$(cat err)" "ended by signal 11"
	same "6 covered" "$(lines c.c | grep '^6 ')"
	same "7 covered" "$(lines c.c | grep '^7 ')"
}

branches() { # sides of branches and switches
	cat >a.c <<-'END'
		int main(int argc, char **argv)
		{
			int n = 0;
			if (argc > 1 && argv[1][0] == 'x')
				n = 1;
			switch (argc) {
			case 1: n = 3;
			case 2: case 7: n++; break;
			case 3: n = 2; break;
			}
			if (n)
				n = 0;
			return n;
		}
	END
	veer-cc -g a.c -o p
	# && has two branches; the switch goes to three places and past its end
	sides() { veer path --coverage --stats -- ./p "$@" 2>&1 >out | awk '$NF == "all" { print $3 }'; }
	same "3/10" "$(sides)"          # false; case 1; true
	same "4/10" "$(sides x)"        # true, true; case 2; true
	same "4/10" "$(sides a b)"      # true, false; case 3; true
	same "4/10" "$(sides a b c)"    # true, false; past the end; false
}

libraries() { # those that are needed, those that are loaded later; with and without a fork server
	mkdir lib
	cat >needed.c <<-'END'
		int needed(int x)
		{
			if (x)
				return 1;
			return 2;
		}
	END
	cat >later.c <<-'END'
		int later(int x)
		{
			if (x)
				return 1;
			return 2;
		}
	END
	cat >main.c <<-'END'
		#include <dlfcn.h>
		#include <stdio.h>
		int needed(int x);
		int main(int argc, char **argv)
		{
			int r = needed(0);
			for (int i = 0; argc > 1 && i < 3; i++) {
				void *l = dlopen(argv[1], RTLD_NOW);
				int (*f)(int) = (int (*)(int))dlsym(l, "later");
				r += f(i == 2);
				dlclose(l);
			}
			return r < 0;
		}
	END
	veer-cc -g -fPIC -shared needed.c -o lib/libneeded.so
	veer-cc -g -fPIC -shared later.c -o lib/liblater.so
	veer-cc -g main.c -Llib -lneeded -ldl -o p
	export LD_LIBRARY_PATH="$PWD/lib"
	veer path --coverage -- ./p "$PWD/lib/liblater.so" >out 2>err
	same "1 covered 3 covered 4 not 5 covered 6 covered" "$(lines needed.c | tr '\n' ' ' | sed 's/ $//')"
	same "1 covered 3 covered 4 covered 5 covered 6 covered" "$(lines later.c | tr '\n' ' ' | sed 's/ $//')"
	lacks "$(lines main.c)" not
	veer path --coverage --repeat 5 -- ./p >out 2>err
	same "1 covered 3 covered 4 not 5 covered 6 covered" "$(lines needed.c | tr '\n' ' ' | sed 's/ $//')"
	contains "$(lines main.c)" "9 not"
}

fork_server() { # runs add up, and each finds the counters at 0
	several_files
	veer path --coverage -- ./p 1 >out 2>err
	lines a.c >once
	veer path --coverage --repeat 50 -- ./p 1 >out 2>err
	same "$(cat once)" "$(lines a.c)"
	veer path --coverage --repeat 3 -- ./p 77 >out 2>err
	same "31 covered" "$(lines a.c | grep '^31 ')"
}

same_path() { # as traced: the counters change no condition
	for p in kinds klee objects; do
		veer-cc -w -O1 -std=gnu2x -I"$VEER_SOURCE/include" "$VEER_SOURCE/tests/programs/$p.c" -o $p -lm
		same "$(veer run --variant traced -- ./$p)" "$(veer run --variant explored -- ./$p)"
		veer path --events -- ./$p >traced 2>err
		veer path --coverage --events --self-check --stats -- ./$p 2>err | grep -vE ':[0-9]+ (covered|not)$' >explored
		contains "$(cat err)" " 0 mismatches"
		# Their addresses differ.
		sed -i 's/0x[0-9a-f]\{12\}/ADDRESS/g' traced explored
		cmp traced explored
	done
}

linkers() { # the table of places survives what links do
	several_files
	for flags in -s -Wl,--gc-sections "-fuse-ld=lld -Wl,--gc-sections -s" -static "-flto -O2"; do
		# shellcheck disable=SC2086
		veer-cc -g -ffunction-sections $flags ./*.c -o p 2>cc.err || { contains "$flags" lld; continue; }
		veer path --coverage -- ./p 1 >out 2>err
		contains "$(lines a.c)" "23 covered"
		contains "$(lines b.c)" "8 covered"
	done
}

left_out() { # functions that ask for it, and what veer itself adds
	cat >a.c <<-'END'
		#include <klee/klee.h>
		__attribute__((no_profile_instrument_function)) int f(int x)
		{
			return x;
		}
		int main(void)
		{
			int x;
			klee_make_symbolic(&x, sizeof x, "x");
			return f(x) == 9;
		}
	END
	veer-cc -g a.c -o p
	veer path --coverage -- ./p >out 2>err
	same "$(printf '%s\n' "6 covered" "9 covered" "10 covered")" "$(lines a.c)"
	same 3 "$(wc -l <out)"
}

try "the lines of gcov" like_gcov
try "a program that crashes" crash
try "branches and switches" branches
try "libraries" libraries
try "fork server" fork_server
try "paths as traced" same_path
try "linkers" linkers
try "what is left out" left_out
finish
