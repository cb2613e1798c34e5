#!/bin/sh
# Tests in C of cases that enter a function or a loop: docs/developers/FRAGMENTS.md. The cases are those of
# tests/unit/fragment_tool.c, the program is tests/programs/shapes/tested.c and tested_other.c.
. "$(dirname "$0")/lib.sh"

# build FOLDER OPTION...: the program, as a project would
build() {
	folder=$1
	shift
	mkdir -p "$folder"
	cp "$VEER_SOURCE"/tests/programs/shapes/tested*.[ch] "$folder"
	(cd "$folder" && veer-cc -std=gnu17 -O2 -Wall -Wextra "$@" -c tested.c && veer-cc -std=gnu17 -c tested_other.c &&
		veer-cc -o prog tested.o tested_other.o -lm)
}

# export_tests FOLDER [COMPILER [cmocka]]
export_tests() {
	folder=$1
	shift
	"$VEER_BUILD/tests/unit/fragment_tool" "$PWD/$folder/prog" "$VEER_BUILD/veer-instrument" "$PWD/out" "$@"
}

# The checks of a case that ends early: those before the statement that it would not survive.
ends_with() { contains "$(sed -n "/^static void $1_end(void)/,/^}/p" out/tested_test.c)" "assert($2);"; }

skips_what_is_no_test() {
	build p
	export_tests p >said
	contains "$(cat said)" "tests 34 "
	contains "$(cat said)" "skipped crashes: it faults (Segmentation fault)"
	contains "$(cat said)" "skipped stops: it ends the program"
	contains "$(cat said)" "skipped ask_asked: asked is not declared in the unit, and a stub writes it"
	contains "$(grep -A9 '^static void distance' out/tested_test.c)" "It comes back."
	contains "$(cat said)" "skipped unknown_marker: the function has no marker 99"
	ends_with early_null "limit == 61"
	ends_with early_exit "limit == 9"
	ends_with early_abort "limit == 10"
	ends_with early_case "early_case_2.value == 7"
	ends_with early_next "limit == 29"
	ends_with early_out "limit == 60"
	ends_with overfull "overfull_1[3] == 3"
	lacks "$(grep -a overfull out/tested_test.c)" "assert(overfull_1[4]"
	# What functions of the system return, write and leave in errno comes from the case, and nothing waits.
	for expected in none:-2 denied:-3 fails:-4 short:-5 elf:7 other:1 word:7; do
		contains "$(grep -a -A12 "^static void load_${expected%:*}(void)" out/tested_test.c)" \
			"assert(result == ${expected#*:});"
	done
	contains "$(cat out/Makefile)" "-Wl,--wrap=read"
	lacks "$(cat out/Makefile)" "-Wl,--wrap=stat"
	same 4 "$(grep -c . out/SKIPPED)"
	same "Makefile SKIPPED objects tested_other_test tested_other_test.c tested_test tested_test.c" \
		"$(cd out && echo *)"
}

# With both compilers, and warnings that the project does not ask for.
compiles_without_warnings() {
	build p
	export_tests p >said
	for compiler in gcc "$CLANG"; do
		command -v "$compiler" >/dev/null || continue
		for flags in "-Wall -Wextra -Werror" "-O0 -Wall -Wextra -Werror -Wpedantic -Wshadow" "-DNDEBUG"; do
			make -s -C out clean
			make -s -C out check CC="$compiler" CFLAGS="$flags" >log 2>&1 || die "$compiler $flags: $(cat log)"
			same 34 "$(grep -c '^ok ' log)"
			same 34 "$(grep -c . log)"
		done
	done
}

# check EDIT FAILING: a change of the source is seen by the tests of what it changed, and by no others
changed() {
	cp "$VEER_SOURCE/tests/programs/shapes/tested.c" p/tested.c
	sed -i "$1" p/tested.c
	cmp -s p/tested.c "$VEER_SOURCE/tests/programs/shapes/tested.c" && die "nothing changed: $1"
	make -s -C out check >log 2>&1 && die "not seen: $1"
	same "$2" "$(sed -n 's/^not ok //p' log | tr '\n' ' ')"
}

sees_changes() {
	build p
	export_tests p >said
	changed 's/calls++;/calls += 2;/' "sum_two "
	changed 's/first = list;/first = 0;/' "find_second "
	changed 's/v.y \* by/v.y + by/' "scale_half "
	changed 's/i < p->length/i + 1 < p->length/' "total_three "
	changed 's/n->level = 17/n->level = 16/' "renamed "
	changed 's/: v;/: v + 1;/' "callback_null "
	changed 's/= n\[0\];/= n[0], n[1].value++;/' "grown "
	changed 's/\* 31 + 7/* 31 + 9/' "ask_real " # the helper's stub does not notice
	changed 's/errno == ENOENT/errno == EACCES/' "load_none load_denied "
	changed 's/n < 0 ? -4 : -5/-5/' "load_fails "
	cp "$VEER_SOURCE/tests/programs/shapes/tested.c" p/tested.c
	sed -i 's/limit = turns;/return limit = turns;/' out/tested_test.c # the copy does not come there any more
	make -s -C out check >log 2>&1 && die "not seen: it comes back"
	same "early_null early_exit early_abort early_case early_next early_out " "$(sed -n 's/^not ok //p' log | tr '\n' ' ')"
}

# What starts in the middle is a copy of the text, as it was when the test was made.
knows_copies() {
	build p
	export_tests p >said
	contains "$(cat out/tested_test.c)" "goto veer_marker;"
	same 4 "$(grep -c 'goto veer_marker;' out/tested_test.c)"
	contains "$(grep -A12 '^static void again_label' out/tested_test.c)" "assert(result == 53);"
	contains "$(grep -A12 '^static void steps_do' out/tested_test.c)" "assert(result == 18);"
}

# One stub that does not compile takes those with it that need it, and no others.
names_what_does_not_compile() {
	build p
	cat >>p/tested.c <<-'END'
		#pragma GCC poison veer_call_half
	END
	export_tests p >said
	contains "$(cat said)" "tests 33 "
	contains "$(cat said)" 'skipped twice_stubbed: it does not compile: error: attempt to use poisoned "veer_call_half"'
}

# A macro that is a statement without a semicolon ends with the block around it: copies of the loop end there, too.
statements_without_semicolons() {
	mkdir -p m
	cat >m/unit.c <<-'END'
		#define STEP(n) { v -= (n); }
		int nested(int v, int x) { if (x) { while (v > 10) STEP(3) } return v; }
		int after(int v) { while (v > 5) v--; return v; }
		int main(void) { return nested(12, 1) + after(3); }
	END
	(cd m && veer-cc -c unit.c && veer-cc -o prog unit.o)
	"$VEER_BUILD/tests/unit/fragment_tool" --all "$PWD/m/prog" "$VEER_BUILD/veer-instrument" "$PWD/out" >said
	lacks "$(cat said)" "does not compile"
	same 2 "$(grep -c 'goto veer_marker;' out/unit_test.c)"
}

for_cmocka() {
	build p
	export_tests p cc cmocka >said
	mkdir cmocka
	cat >cmocka/cmocka.h <<'END'
struct CMUnitTest { const char *name; void (*run)(void **); };
#define cmocka_unit_test(f) {#f, f}
static int failed;
#define assert_int_equal(a, b) (failed += (a) != (b))
static int run_all(const struct CMUnitTest *all, int n) { for (int i = 0; i < n; i++) all[i].run(0); return failed; }
#define cmocka_run_group_tests(all, a, b) run_all(all, (int)(sizeof(all) / sizeof *(all)))
END
	make -s -C out check CFLAGS="-Wall -Wextra -Werror -I$PWD/cmocka" LIBS=
	sed -i 's/calls++;/calls += 2;/' p/tested.c
	make -s -C out check CFLAGS="-I$PWD/cmocka" LIBS= && die "not seen"
	contains "$(cat out/Makefile)" "-lcmocka"
}

# Options as they stand: with blanks, macros, headers that are included from outside.
options_are_kept() {
	mkdir -p "a project/more"
	echo '#define MORE 1' >"a project/more/more.h"
	build "a project" '-DNAME="x y $z"' -Imore -include more.h -fno-strict-aliasing
	sed -i 's/^int main/int needs[MORE + sizeof NAME == 8 ? 1 : -1];\nint main/' "a project/tested.c"
	export_tests "a project" >said
	contains "$(cat said)" "tests 34 "
	contains "$(cat out/Makefile)" "'-DNAME=\"x y \$\$z\"' -Imore -include more.h -fno-strict-aliasing"
	lacks "$(cat out/Makefile)" idirafter
	make -s -C out clean
	make -s -C out check
}

# Units of an archive, and one in assembler.
archives_and_assembler() {
	mkdir p
	cp "$VEER_SOURCE"/tests/programs/shapes/tested*.[ch] p
	cd p
	printf '.globl one\none: movl $1, %%eax\n ret\n.section .note.GNU-stack,"",@progbits\n' >one.s
	sed -i 's/^int lookup(int key, int \*found)$/int one(void);\nint lookup(int key, int *found)/; s/key > 3/key > 2 + one()/' tested_other.c
	veer-cc -c tested.c tested_other.c one.s
	ar crs libother.a tested_other.o one.o
	veer-cc -o prog tested.o libother.a
	cd ..
	export_tests p >said
	contains "$(cat said)" "tests 34 "
	make -s -C out clean
	make -s -C out check
}

bad_programs() {
	cc -o other "$VEER_SOURCE/tests/programs/shapes/tested.c" "$VEER_SOURCE/tests/programs/shapes/tested_other.c"
	code=0
	"$VEER_BUILD/tests/unit/fragment_tool" "$PWD/other" "$VEER_BUILD/veer-instrument" "$PWD/out" >said 2>&1 || code=$?
	same 2 "$code"
	one_line "$(cat said)"
}

try "cases that are no tests are listed with the reason" skips_what_is_no_test
try "tests compile without warnings, and pass" compiles_without_warnings
try "tests fail when what they test changes" sees_changes
try "loops and labels are entered by copies" knows_copies
try "what does not compile is found by its line" names_what_does_not_compile
try "statements may have no semicolon" statements_without_semicolons
try "cmocka" for_cmocka
try "the project's options" options_are_kept
try "archives, assembler" archives_and_assembler
try "programs that are not veer's" bad_programs
finish
