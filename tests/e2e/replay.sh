#!/bin/sh
# Replaying findings and seeds of recorded tests, on layouts that projects have: a relative campaign folder, builds out
# of tree, libtool's wrappers with libraries in .libs.
. "$(dirname "$0")/lib.sh"

# prints STATUS COMMAND...: it ends with that status, and what it prints is in `said`
prints() {
	expected=$1
	shift
	same "$expected" "$(if "$@" >said; then echo 0; else echo $?; fi)"
}

# A library with a bug and a program that uses it, built into $1 as libtool does it: $2... is the compiler.
build() { # folder compiler...
	to=$1
	shift
	mkdir -p "$to/src/.libs" "$to/tests/.libs"
	"$@" -g -O1 -shared -fPIC "$SCRATCH/t/project/src/field.c" -o "$to/src/.libs/libfield.so"
	"$@" -g -O1 "$SCRATCH/t/project/tests/try.c" -L"$to/src/.libs" -lfield -o "$to/tests/.libs/try"
	cat >"$to/tests/try" <<-END
		#! /bin/sh
		LD_LIBRARY_PATH="$to/src/.libs\${LD_LIBRARY_PATH:+:\$LD_LIBRARY_PATH}"
		export LD_LIBRARY_PATH
		exec "$to/tests/.libs/try" "\$@"
	END
	chmod +x "$to/tests/try"
}

project() {
	mkdir -p project/src project/tests
	cat >project/src/field.c <<-'END'
		#include <stdlib.h>
		int field(const char *text, int n)
		{
			char *copy = malloc(4);
			for (int i = 0; i < 4; i++)
				copy[i] = text[i % 2];
			int value = copy[n];
			free(copy);
			return value;
		}
	END
	cat >project/tests/try.c <<-'END'
		#include <stdio.h>
		int field(const char *text, int n);
		int main(int argc, char **argv)
		{
			FILE *f = argc > 1 ? fopen(argv[1], "r") : NULL;
			char line[8] = "";
			FILE *more = argc > 2 ? fopen(argv[2], "r") : NULL;
			if (!f || !fgets(line, sizeof line, f) || !more || getc(more) != 'y')
				return 1;
			printf("%c\n", line[2] < '9' ? field(line, line[2] - '0') : '?');
			return 0;
		}
	END
	echo ab2 >project/tests/data
	cat >project/suite <<-'END'
		cd tests && echo yes >temporary && "$1/tests/try" data temporary
		code=$?
		rm temporary
		exit $code
	END
	build "$1" veer-cc
}

replays_anywhere() {
	project "$PWD/project"
	cd project
	veer test -j1 --budget 20s --max-distance 0 -- sh suite "$PWD" >log 2>&1 || die "$(cat log)"
	contains "$(cat log)" "heap-buffer-overflow at $PWD/src/field.c:7 in field"
	for folder in veer-out ./veer-out "$PWD/veer-out" ../project/veer-out; do
		contains "$(veer replay -o "$folder" F1)" "F1: again: heap-buffer-overflow in field"
	done
	contains "$(veer replay F1)" "F1: again: heap-buffer-overflow in field"
	there=$PWD
	mkdir ../elsewhere
	cd ../elsewhere
	contains "$(veer replay -o ../project/veer-out F1)" "F1: again: heap-buffer-overflow in field"
	contains "$(veer replay -o "$there/veer-out" S1)" "native: exit status 0, 2 bytes of output, as recorded"
	contains "$(veer explain -o ../project/veer-out F1)" "offset = "
}

# Built out of tree, recorded from the source's folder.
out_of_tree() {
	project "$PWD/build dir"
	cd project
	veer test -j1 --budget 20s --max-distance 0 -- sh suite "$SCRATCH/t/build dir" >log 2>&1 || die "$(cat log)"
	contains "$(veer replay F1)" "F1: again: heap-buffer-overflow in field"
	cd "../build dir"
	contains "$(veer replay -o ../project/veer-out F1)" "F1: again: heap-buffer-overflow in field"
}

# reproduce.sh gives a build its own libraries: with the recorded ones a sanitizer build would look clean.
own_libraries() {
	project "$PWD/project"
	build "$PWD/asan" "$LLVM/clang" -fsanitize=address
	cd project
	veer test -j1 --budget 20s --max-distance 0 -- sh suite "$PWD" >log 2>&1 || die "$(cat log)"
	script=$PWD/veer-out/findings/F1/reproduce.sh
	for shell in dash bash; do
		for program in ../asan/tests/try ../asan/tests/.libs/try "$SCRATCH/t/asan/tests/.libs/try"; do
			contains "$($shell "$script" "$program" 2>&1)" "in field $PWD/src/field.c:7"
			contains "$(PROGRAM=$program $shell "$script" 2>&1)" "in field $PWD/src/field.c:7"
		done
		lacks "$($shell "$script" 2>&1)" "cannot open shared object" # the recorded program, with its libraries
		prints 0 $shell "$script"
	done
	# Elsewhere, and found by the user's own variable.
	mkdir -p ../other/bin ../other/lib
	cp ../asan/tests/.libs/try ../other/bin/renamed
	cp ../asan/src/.libs/libfield.so ../other/lib
	contains "$(sh "$script" ../other/bin/renamed 2>&1 || :)" "cannot open shared object"
	contains "$(LD_LIBRARY_PATH=$SCRATCH/t/other/lib sh "$script" ../other/bin/renamed 2>&1)" "in field $PWD/src/field.c:7"
}

seeds() {
	cat >p.c <<-'END'
		#include <stdio.h>
		#include <stdlib.h>
		#include <string.h>
		#include <unistd.h>
		int main(int argc, char **argv)
		{
			puts("first line");
			if (argc > 1 && strcmp(argv[1], "pid") == 0)
				printf("%0*d\n", getpid() % 7 + 10, getpid());
		#if __has_feature(address_sanitizer) /* so it is in variants */
			if (argc > 1 && strcmp(argv[1], "status") == 0)
				return 3;
			if (argc > 1 && strcmp(argv[1], "abort") == 0)
				abort();
			puts(argc > 1 && strcmp(argv[1], "output") == 0 ? "second LINE" : "second line");
		#else
			puts("second line");
		#endif
			return 0;
		}
	END
	veer-cc -g -O1 p.c -o p
	echo './p same; ./p status; ./p abort; ./p output; :' >suite
	veer record -- sh suite >log 2>&1
	prints 0 veer replay S1
	contains "$(cat said)" "native: exit status 0, 23 bytes of output, as recorded"
	contains "$(cat said)" "traced: the same exit status and output as natively"
	prints 1 veer replay S2
	contains "$(cat said)" "traced: exit status 3, natively exit status 0"
	prints 1 veer replay S3
	contains "$(cat said)" "traced: signal 6 (Aborted), natively exit status 0"
	prints 1 veer replay S4
	same "  traced: output differs from the native run's at byte 18, line 2
    native: second line
    traced: second LINE" "$(sed '1,2d' said)"
	# A test that cannot be repeated.
	sed 's/getpid() % 7/atoi(getenv("WIDTH"))/' p.c >q.c
	veer-cc -g -O1 -w q.c -o q
	WIDTH=3 veer record -o changing -- sh -c './q pid' >log 2>&1
	veer-cc -g -O1 -w p.c -o q
	prints 1 veer replay -o changing S1
	contains "$(cat said)" "native: differs from the recorded run: "
	same 1 "$(status veer replay S9 2>err)"
	same "veer: there is no seed S9 in veer-out" "$(cat err)"
	for word in S Sx SF1 S1x S-1; do
		same 2 "$(status veer replay "$word" 2>err)"
		one_line "$(head -n 1 err)"
	done
	same 2 "$(status veer replay S1 S2 2>err)"
	same 2 "$(status veer replay --native S1 2>err)"
}

# Of a campaign that has no recording, too.
seeds_of_exploring() {
	printf '%s\n' '#include <stdio.h>' 'int main(int n, char **v) { puts(n > 1 && *v[1] == 65 ? "A" : "other"); return 0; }' >p.c
	veer-cc -g -O1 p.c -o p
	veer explore -q -j1 --budget 5s -- ./p x >/dev/null 2>&1
	contains "$(veer replay S1)" "native: exit status 0, 6 bytes of output
  traced: the same exit status and output as natively"
}

# --sym env:NAME: what the variable was is part of the input, however it is run again.
variable() {
	cat >v.c <<'END'
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv)
{
	const char *x = getenv("WORD");
	if (argc > 1 && argv[1][0] == 'q' && x && strcmp(x, "it's a value") == 0)
		abort();
	return x && x[0] == 'z';
}
END
	veer-cc -g -o v v.c
	WORD="it's a value" veer explore -q -j1 --runs 30 --sym argv,env:WORD -o out -- ./v q >/dev/null
	WORD="it's a value" veer test -q -j1 --budget 20s --max-distance 0 --sym argv,env:WORD -o tested -- \
		./v q >/dev/null 2>&1 || true
	for folder in out tested; do
		same 134 "$(status sh $folder/findings/F1/reproduce.sh 2>/dev/null | tail -n 1)"
		same 134 "$(WORD=other status sh $folder/findings/F1/reproduce.sh 2>/dev/null | tail -n 1)"
		contains "$(veer replay -o $folder F1 2>&1)" "F1: again: abort"
		contains "$(WORD=other veer replay -o $folder F1 2>&1)" "F1: again: abort"
	done
}

try "findings of recorded tests, from any folder" replays_anywhere
try "built out of tree" out_of_tree
try "another build has its own libraries" own_libraries
try "seeds" seeds
try "seeds of exploring" seeds_of_exploring
try "a variable that is input has the value of the seed" variable
finish
