#!/bin/sh
# Symbolic input as other tools' programs ask for it: KLEE, SV-COMP, libFuzzer.
. "$(dirname "$0")/lib.sh"
PROGRAMS=$VEER_SOURCE/tests/programs

build() { # source, options...: without -I, as a user would
	source=$1
	shift
	veer-cc -w -O1 "$@" "$PROGRAMS/$source.c" -o "$source"
}

# traced PROGRAM [ARGUMENT...]: `events` and `err` of a run with every node checked
traced() {
	veer path --self-check --stats --events -- "$@" >events 2>err
	contains "$(cat err)" " 0 mismatches"
	lacks "$(cat err)" "signal"
	lacks "$(cat events)" "not modelled"
	lacks "$(cat events)" "not traced"
}

# flips PROGRAM LEAST [ARGUMENT...]: solutions of negated conditions take the other side; at
# least LEAST have one. Assumptions hold in all of them.
flips() {
	program=$1 least=$2
	shift 2
	veer path --events -- "$program" "$@" 2>/dev/null >events
	sat=0 wrong=
	for k in $(grep -E '^[0-9]+ (branch|switch|select) ' events | cut -d' ' -f1); do
		veer path --smt2 --negate "$k" -- "$program" "$@" 2>/dev/null >query.smt2
		[ "$(solve query.smt2 solution)" = sat ] || continue
		sat=$((sat + 1))
		veer path --self-check --events --input solution -- "$program" "$@" 2>/dev/null >after
		before=$(sed -n "s/^$k //p" events)
		now=$(sed -n "s/^$k //p" after)
		[ "${before%% is *}" = "${now%% is *}" ] && [ "$before" != "$now" ] || wrong="$wrong $k"
		# what was assumed up to here holds; behind it, other assumptions may fail
		if awk -v k="$k" '$1 < k' after | grep -q ' assume.* is 0$'; then wrong="$wrong $k(assumption)"; fi
	done
	[ "$sat" -ge "$least" ] || die "only $sat of the negated conditions are satisfiable"
	[ -z "$wrong" ] || die "wrong at events:$wrong"
}

# ends STATUS COMMAND...: it does; what it prints is in `out` and `err`
ends() {
	expected=$1 code=0
	shift
	"$@" >out 2>err || code=$?
	same "$expected" "$code"
}

klee_natively() {
	build klee -Wall -Werror
	same "kind 2 sum 0
symbolic 0 0 0 replay 1" "$(./klee 2>err)"
	same "warning: once" "$(cat err)"
	veer run -- ./klee >out 2>err
	contains "$(cat out)" "kind 2 sum 0"
}

klee_traced() {
	build klee
	traced ./klee
	contains "$(cat err)" "symbolic 1 1 0 replay 0"
	# in their places: that of the call, also where klee_range assumes
	at() { grep -n "$1" "$PROGRAMS/klee.c" | sed "s,\([0-9]*\):.*,$2 $PROGRAMS/klee.c:\1:$3 main," ; }
	contains "$(cat events)" "$(at 'assume(p.kind' assume 2): (u32(packet[0]) < 200) is 1"
	contains "$(cat events)" "$(at 'assume((p' assume 2): "
	contains "$(cat events)" "$(at range assume 10): (5 <= n[3]:n[2]:n[1]:n[0]) is 1"
	contains "$(cat events)" "$(at range assume 10): (n[3]:n[2]:n[1]:n[0] < 20) is 1"
	contains "$(cat events)" "$(at choose assume 20): "
	contains "$(cat events)" "$(at "== 'A'" prefer 2): (u32(packet[1]) == 65) is 0"
	contains "$(cat events)" "$(at '== 8080' prefer 2): "
	same 5 "$(grep -c ' assume ' events)"
	same 2 "$(grep -c ' prefer ' events)"
	line=$(grep -n 'klee_assert(' "$PROGRAMS/klee.c" | cut -d: -f1)
	grep -q " branch .*klee.c:$line:.* is 1" events || die "no branch for klee_assert"
	for line in $(grep -n 'constant ==\|klee_get_valuel' "$PROGRAMS/klee.c" | cut -d: -f1); do
		if grep -qE " (branch|select) .*klee.c:$line:" events; then die "klee_get_value has a label (line $line)"; fi
	done
	contains "$(veer path -- ./klee 2>/dev/null)" "$(at 'assume(p.kind' assume 2): (u32(packet[0]) < 200) is 1"
	lacks "$(veer path -- ./klee 2>/dev/null)" "prefer"
	flips ./klee 6
}

klee_assumptions() { # are part of the path; a run that breaks one ends quietly
	build klee
	veer path --events -- ./klee 2>/dev/null >events
	query=$(veer path --smt2 -- ./klee 2>/dev/null)
	for k in $(grep ' assume ' events | cut -d' ' -f1); do
		contains "$query" ") ; event $k
"
	done
	k=$(grep ' assume ' events | head -n 1 | cut -d' ' -f1)
	ends 1 veer path --smt2 --negate "$k" -- ./klee
	contains "$(cat err)" "is an assumption that holds"
	printf '\377' >input
	veer path --events --self-check --stats --input input -- ./klee >events 2>err
	same "1 assume $PROGRAMS/klee.c:23:2 main: (u32(packet[0]) < 200) is 0" "$(tail -n 1 events)"
	contains "$(cat err)" " 0 mismatches"
	lacks "$(cat err)" "kind"
	lacks "$(cat err)" "signal"
	# the other side of a broken assumption is an input that keeps it
	veer path --smt2 --negate 1 --input input -- ./klee 2>/dev/null >query.smt2
	same sat "$(solve query.smt2 solution)"
	contains "$(veer path --input solution -- ./klee 2>/dev/null)" "klee.c:23:2 main: (u32(packet[0]) < 200) is 1"
}

false_assumption() {
	cat >p.c <<'C'
#include <stdio.h>
#include <klee/klee.h>
int main(int argc, char **argv) {
	(void)argv;
	puts("before");
	klee_assume(argc > 5);
	puts("after");
	return 3;
}
C
	veer-cc p.c -o p
	same "before" "$(./p)"
	ends 0 ./p
	same "0 assume $PWD/p.c:6:2 main: what does not hold, whatever the input" "$(veer path --events -- ./p 2>err)"
	contains "$(cat err)" "before"
	ends 0 veer run --variant traced -- ./p
}

klee_failures() { # one line, and abort
	cat >p.c <<'C'
#include <errno.h>
#include <klee/klee.h>
#include <stdio.h>
#include <stdlib.h>
static int p_size;
int main(int argc, char **argv) {
	char local[4] = "abc";
	switch (argc > 1 ? *argv[1] : 0) {
	case 'a': klee_assert(argc < 0); break;
	case 'b': klee_report_error("x.c", 7, "broken", "user"); break;
	case 'c': klee_range(5, 5, "empty"); break;
	case 'd': klee_alias_function("f", "g"); break;
	case 'e': return (int)klee_get_obj_size(local);
	case 'f': return (int)klee_get_obj_size(&p_size);
	case 'g': klee_check_memory_access((void *)8, 1); break;
	case 'h': klee_abort();
	case 'i': klee_silent_exit(42);
	default: break;
	}
	void *block = malloc(100);
	if (klee_get_obj_size(block) < 100) return 1;
	klee_check_memory_access(block, 100);
	char *fixed = (char *)0x23450000;
	klee_define_fixed_object(fixed + 100, 5000);
	klee_define_fixed_object(fixed + 100, 50);
	fixed[5099] = 1;
	klee_print_expr("expr", fixed[5099]);
	klee_print_range("range", 7);
	klee_stack_trace();
	klee_mark_global(block);
	free(block);
	errno = 5;
	printf("%d\n", klee_get_errno());
	return 0;
}
C
	veer-cc p.c -o p
	same 5 "$(./p 2>err)"
	contains "$(cat err)" "expr: 0x1"
	contains "$(cat err)" "range: 7"
	for mode in a b c d e f; do # natively only the heap knows sizes
		ends 134 ./p $mode
		one_line "$(grep -v -i abort err)"
	done
	ends 139 ./p g
	ends 134 ./p h
	ends 42 ./p i
	veer path -- ./p >out 2>err || true
	contains "$(cat err)" "expr: 0x1"
	same 5 "$(veer run --variant traced -- ./p 2>err)"
	ends 4 veer run --variant traced -- ./p e
	ends 4 veer run --variant traced -- ./p f
}

object_sizes() { # of whatever the traced variant knows; a size with a label keeps it
	cat >p.c <<'C'
#include <klee/klee.h>
#include <stdio.h>
#include <stdlib.h>
static long table[5];
int main(int argc, char **argv) {
	unsigned char n = 30;
	char local[12];
	klee_make_symbolic(&n, sizeof n, "n");
	char vla[n];
	char *block = malloc(2 * n);
	if (argc > 1)
		klee_get_obj_size(block + 1);
	printf("%zu %zu\n", klee_get_obj_size(table), klee_get_obj_size(local));
	if (klee_get_obj_size(vla) == 30) puts("vla");
	if (klee_get_obj_size(block) == 60) puts("block");
	return 0;
}
C
	veer-cc -w p.c -o p
	traced ./p
	same "40 12
vla
block" "$(head -n 3 err)"
	contains "$(cat events)" "branch $PWD/p.c:14:$(column 6 29) main: (u64(n[0]) == 30) is 1"
	contains "$(cat events)" "branch $PWD/p.c:15:$(column 6 31) main: (s64((2 * u32(n[0]))) == 60) is 1"
	veer path -- ./p not-the-start >out 2>err || true
	contains "$(cat err)" "error: klee_get_obj_size: no object starts there"
}

competition() {
	build svcomp -Wall -Werror
	same "hits 0" "$(./svcomp)"
	traced ./svcomp
	for line in $(grep -nE '^	WANT\(|^	if \(__VER|bytes\[3\] ==' "$PROGRAMS/svcomp.c" | cut -d: -f1); do
		grep -q " branch .*svcomp.c:$line:" events || die "no condition recorded for line $line"
	done
	flips ./svcomp 25
}

loose_declarations() { # types that are not quite those of the definitions
	cat >p.c <<'C'
extern int __VERIFIER_nondet_bool();
extern int __VERIFIER_nondet_char(void);
extern unsigned char __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(_Bool);
int main(void) {
	int b = __VERIFIER_nondet_bool(), c = __VERIFIER_nondet_char();
	unsigned char u = __VERIFIER_nondet_uint();
	__VERIFIER_assume(u < 10);
	if (b == 1) return 1;
	if (c == 7) return 2;
	if (u == 9) return 3;
	return 0;
}
C
	veer-cc -w p.c -o p
	./p
	veer path --self-check --stats --events -- ./p >events 2>err
	contains "$(cat err)" " 0 mismatches"
	lacks "$(cat err)" "damaged"
	same 1 "$(grep -c 'not modelled' events)" # the upper bytes of c
	contains "$(cat events)" "assume $PWD/p.c:8:2 main: (u32(nondet_uint[0]) < 10) is 1"
	same 2 "$(grep -c ' branch ' events)"
	flips ./p 2
}

own_definitions() { # a program that has some of the functions itself keeps them
	cat >p.c <<'C'
#include <stdio.h>
#include <stdlib.h>
extern unsigned __VERIFIER_nondet_uint(void);
int __VERIFIER_nondet_int(void) { return 5; }
void __VERIFIER_assume(int c) { if (!c) { puts("mine"); exit(7); } }
void klee_make_symbolic(void *p, unsigned long n, const char *name) { (void)p, (void)n, (void)name; }
int klee_int(const char *);
int main(void) { __VERIFIER_assume(__VERIFIER_nondet_int() + __VERIFIER_nondet_uint() + klee_int("x") == 6); }
C
	veer-cc p.c -o p
	same mine "$(./p)"
	ends 7 ./p
	ends 7 veer run --variant traced -- ./p
	traced ./p
	same 1 "$(grep -c ' input ' events)"
}

fuzz_target() {
	build fuzz
	printf 'abcdef' >one
	printf 'FUji' >two
	same "size 6 score 1" "$(./fuzz one 2>&1)"
	same "size 6 score 1
size 4 score 7" "$(./fuzz -runs=3 one two 2>&1)"
	same "size 4 score 3" "$(printf 'Fxyz' | ./fuzz 2>&1)"
	ends 1 ./fuzz none
	one_line "$(cat err)"
	ends 0 ./fuzz /dev/null
	traced ./fuzz one
	contains "$(cat events)" "LLVMFuzzerTestOneInput: (u32(input[0]) == 70) is 0"
	traced ./fuzz one two
	contains "$(cat events)" "LLVMFuzzerTestOneInput: (u32(input_1[0]) == 70) is 1"
	flips ./fuzz 2 two
}

fuzz_overflow() { # the block is exactly as large as the input
	build fuzz -DBUG
	printf '!bcd' >bad
	veer run -- ./fuzz bad >out 2>&1 || true
	contains "$(cat out)" "heap-buffer-overflow"
}

needs_libfuzzer() {
	for f in "$LLVM"/../lib/clang/19/lib/*/libclang_rt.fuzzer*.a; do
		[ -e "$f" ] && return 0
	done
	skip "compiler-rt's libFuzzer is not installed"
}

libfuzzer_flags() {
	needs_libfuzzer
	printf 'FUji' >two
	for flags in -fsanitize=fuzzer -fsanitize=fuzzer,address "-fsanitize=address -fsanitize=fuzzer" \
		-fsanitize=address,fuzzer,undefined; do
		# shellcheck disable=SC2086
		build fuzz $flags
		contains "$(./fuzz two 2>&1)" "Running: two" # the real one
		traced ./fuzz two
		same "size 4 score 7" "$(head -n 1 err)"
		flips ./fuzz 2 two
		same "size 4 score 7" "$(veer run -- ./fuzz two 2>&1 | head -n 1)"
	done
	for flags in -fsanitize=fuzzer-no-link "-fsanitize=fuzzer -fno-sanitize=fuzzer" "-fsanitize=fuzzer -fno-sanitize=all"; do
		# shellcheck disable=SC2086
		build fuzz $flags
		same "size 4 score 7" "$(./fuzz two 2>&1)"
		traced ./fuzz two
	done
}

fuzz_cplusplus() { # a target in C++ for a library in C, as oss-fuzz has them
	cat >target.cc <<'C'
#include <klee/klee.h>
#include <string>
extern "C" int parse(const uint8_t *data, size_t size);
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
	klee_assert(size < 100);
	return std::to_string(parse(data, size)).size() > 5;
}
C
	cat >parse.c <<'C'
#include <stddef.h>
#include <stdint.h>
int parse(const uint8_t *data, size_t size) { return size > 2 && data[1] == 'P' ? 7 : 9; }
C
	printf 'abcd' >in
	flags=-O1
	for more in "" ,address; do
		# shellcheck disable=SC2086
		veer-cc $flags -c parse.c
		# shellcheck disable=SC2086
		veer-c++ $flags -c target.cc
		# shellcheck disable=SC2086
		veer-c++ $flags target.o parse.o -o fuzz
		./fuzz in
		traced ./fuzz in
		contains "$(cat events)" "parse: (u32(input[1]) == 80) is 0"
		veer run -- ./fuzz in
		(needs_libfuzzer) >/dev/null || return 0
		flags="-O1 -fsanitize=fuzzer$more"
	done
	veer-cc -fsanitize=fuzzer target.o parse.o -o fuzz # the C++ library comes with libFuzzer
	traced ./fuzz in
}

# symbols FILE: all of them, by name
symbols() { nm "$1" | sed 's/^ *[0-9a-f]* *//' | sort; }

ordinary_programs() { # get nothing
	cat >p.c <<'C'
#include <stdio.h>
int main(void) { puts("hello"); return 0; }
C
	for flags in "" -O2 -static -static-pie -no-pie "-Wl,--whole-archive -lm -Wl,--no-whole-archive" "-Wl,--gc-sections -rdynamic"; do
		# shellcheck disable=SC2086
		"$CLANG" $flags p.c -o native || skip "$CLANG cannot link with $flags"
		# shellcheck disable=SC2086
		veer-cc $flags p.c -o p
		same "$(symbols native)" "$(symbols p)"
		# without veer's section they are the same program
		objcopy -R .veer_bc -R .note.gnu.build-id native a
		objcopy -R .veer_bc -R .note.gnu.build-id p b
		cmp a b || die "the programs differ with '$flags'"
		same hello "$(./p)"
	done
	veer-cc -c p.c && "$CLANG" -c p.c -o native.o && same "$(symbols native.o)" "$(symbols p.o)"
}

no_archive() { # where there is no executable, or no libc
	cat >lib.c <<'C'
int klee_int(const char *);
int f(void) { return klee_int("x"); }
C
	veer-cc -fPIC -shared lib.c -o lib.so
	contains "$(nm -D lib.so)" "U klee_int"
	veer-cc -c lib.c
	veer-cc -r lib.o -o partial.o
	contains "$(nm partial.o)" "U klee_int"
	veer-cc -nostdlib -no-pie -Wl,-r lib.o -o partial.o
	contains "$(nm partial.o)" "U klee_int"
	printf 'void _start(void) { for (;;); }\n' >bare.c
	for flag in -nostdlib "-nodefaultlibs -nostartfiles"; do
		# shellcheck disable=SC2086
		veer-cc $flag bare.c lib.o -o bare 2>err && die "linked klee_int into a program without libc"
		contains "$(cat err)" "undefined reference to \`klee_int'"
	done
	printf 'int main(void) { int f(void); return f(); }\n' >main.c
	veer-cc main.c ./lib.so -o p # what a library needs comes from the program
	./p
}

ways_to_link() {
	printf '#include <klee/klee.h>\nint main(void) { if (klee_int("x") == 9) return 1; return 0; }\n' >p.c
	check() { ./p; traced ./p; contains "$(cat events)" "(x[3]:x[2]:x[1]:x[0] == 9) is 0"; rm p; }
	veer-cc -Werror -Wall -x c p.c -o p && check
	veer-cc -o p -- p.c && check
	echo 'p.c -o p' >args && veer-cc @args && check
	veer-cc -static p.c -o p && check
	veer-cc -O2 -flto p.c -o p && check
	veer-cc -O2 -flto -c p.c && veer-cc -flto p.o -o p && check
	veer-cc p.c -o p -Wl,--whole-archive -lm -Wl,--no-whole-archive && check
	veer-cc -fuse-ld=gold p.c -o p 2>/dev/null && check
	veer-cc -c p.c && ar crs libp.a p.o && veer-cc -L. -lp -Wl,--as-needed -u main p.o -o p && check
	printf 'int main(void) { return 1; }\n' >q.s.c
	veer-cc -S q.s.c -o q.s && veer-cc -Werror -Wall -c q.s && veer-cc -Werror -Wall q.s -o q
	veer-cc -E p.c | grep -q klee_make_symbolic
	veer-cc -M p.c | grep -q klee/klee.h
	cp p.c p.cc && veer-c++ -Wall -Werror -std=c++20 p.cc -o p && ./p
	mkdir klee && echo 'int klee_int(const char *); /* mine */' >klee/klee.h
	contains "$(veer-cc -E -C -I. p.c)" mine # the project's own comes first
}

installed() { # in another folder, with the layout of an installation
	printf '#include <klee/klee.h>\n#include <veer.h>\nint main(void) { if (klee_int("x") == 9) return 1; return 0; }\n' >p.c
	DESTDIR=$PWD/root meson install -C "$VEER_BUILD" --no-rebuild --quiet >log 2>&1 || skip "meson install does not run here"
	bin=$(dirname "$(find root -name veer-cc -path '*bin*')")
	"$bin/veer-cc" p.c -o p
	./p
	contains "$("$bin/veer" path -- ./p)" "(x[3]:x[2]:x[1]:x[0] == 9) is 0"
}

try "klee: natively" klee_natively
try "klee: traced" klee_traced
try "klee: assumptions" klee_assumptions
try "klee: an assumption that is false anyway" false_assumption
try "klee: the other functions" klee_failures
try "klee: sizes of objects" object_sizes
try "SV-COMP" competition
try "declarations with other types" loose_declarations
try "a program's own definitions" own_definitions
try "a fuzz target without libFuzzer" fuzz_target
try "a fuzz target that reads too far" fuzz_overflow
try "-fsanitize=fuzzer" libfuzzer_flags
try "a fuzz target in C++" fuzz_cplusplus
try "ordinary programs get nothing" ordinary_programs
try "no archive where it does not belong" no_archive
try "ways to compile and link" ways_to_link
try "installed" installed
finish
