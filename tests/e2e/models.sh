#!/bin/sh
# Models of libc against libc itself, on random arguments, with the self-check on.
. "$(dirname "$0")/lib.sh"
CALLS=${VEER_MODEL_CALLS:-200}

model() { # family; standard input is a file, and symbolic
	LC_ALL=C awk -f "$VEER_SOURCE/tests/programs/models/data.awk" >data
	veer-cc -w -O1 -I"$VEER_SOURCE/include" "$VEER_SOURCE/tests/programs/models/$1.c" -o "$1" -lm
	veer path --sym stdin,sock --self-check --stats --smt2 --negate 0 -- "./$1" "$CALLS" <data >/dev/null 2>err ||
		die "$(cat err)"
	contains "$(cat err)" " calls, 0 differences"
	contains "$(cat err)" " 0 mismatches"
	lacks "$(cat err)" "signal"
	lacks "$(cat err)" "no result has a label"
	lacks "$(cat err)" "was full"
	sed -n 's/^compared //p' err >>"$SCRATCH/compared"
	veer bitcode "$1" -o bitcode
	"$LLVM/llvm-nm" --undefined-only --format=just-symbols bitcode >>"$SCRATCH/called"
}

# Every model was called, and compared with libc's function often enough. What libc does not
# have the tests compare with what it is said to do; anything else that cannot be tested
# would have to be named here, with the reason: there is nothing.
rule() {
	sed -n 's/^MODEL(\(.*\))$/\1/p' "$VEER_SOURCE/src/abi/models.def" | sort >models
	grep -q . models
	sort -u "$SCRATCH/called" | comm -23 models - | sed 's/$/: no test calls it/' >missing
	awk -v least=$((CALLS / 4)) '
		FILENAME == ARGV[1] { calls[$1] += $2; next }
		calls[$1] < least { print $1 ": compared " calls[$1] + 0 " times only" }' "$SCRATCH/compared" models >>missing
	[ ! -s missing ] || die "$(cat missing)"
}

# Every other name of a function is that function's model, also where this libc has no such name.
aliases() {
	sed -n 's/^ALIAS(\(.*\), \(.*\))$/\1 \2/p' "$VEER_SOURCE/src/abi/models.def" >names
	grep -q . names
	{
		echo 'int puts(const char *), printf(const char *, ...);' # without the inline functions of stdio.h
		awk '{ printf "void a%d(void) __asm__(\"%s\") __attribute__((weak)), b%d(void) __asm__(\"%s\") __attribute__((weak));\n",
			NR, $1, NR, $2 }' names
		echo 'int main(void) { int n = 0;'
		awk '{ printf "if (!a%d || a%d != b%d) puts(\"%s is not %s\"); else n++;\n", NR, NR, NR, $1, $2 }' names
		printf '%s\n' 'printf("%d aliases\n", n); return 0; }'
	} >p.c
	veer-cc -w -O1 p.c -o p
	same "$(wc -l <names) aliases" "$(veer path --stats -- ./p 2>&1 | grep -v '^veer:')"
}

for file in "$VEER_SOURCE"/tests/programs/models/*.c; do
	name=$(basename "$file" .c)
	eval "model_$name() { model $name; }"
	try "$name like libc" "model_$name"
done
try "other names of functions" aliases
try "every model is compared with libc" rule
finish
