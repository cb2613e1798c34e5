#!/bin/sh
# Models of libc against libc itself, on random arguments, with the self-check on.
. "$(dirname "$0")/lib.sh"
CALLS=${VEER_MODEL_CALLS:-200}

model() { # family; standard input is a file, and symbolic
	LC_ALL=C awk -f "$VEER_SOURCE/tests/models/data.awk" >data
	veer-cc -w -O1 -I"$VEER_SOURCE/include" "$VEER_SOURCE/tests/models/$1.c" -o "$1" -lm
	veer path --sym stdin,sock --self-check --stats --smt2 --negate 0 -- "./$1" "$CALLS" <data >/dev/null 2>err ||
		die "$(cat err)"
	contains "$(cat err)" " calls, 0 differences"
	contains "$(cat err)" " 0 mismatches"
	lacks "$(cat err)" "signal"
	lacks "$(cat err)" "no result has a label"
	lacks "$(cat err)" "was full"
}

for file in "$VEER_SOURCE"/tests/models/*.c; do
	name=$(basename "$file" .c)
	eval "model_$name() { model $name; }"
	try "$name like libc" "model_$name"
done
finish
