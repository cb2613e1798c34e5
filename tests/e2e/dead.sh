#!/bin/sh
# Bugs whose result nobody uses (tests/programs/dead.c): the sanitized variant sees what -O0 sees, and the traced
# variant has a check where there is one.
. "$(dirname "$0")/lib.sh"

build() { veer-cc -w "$VEER_SOURCE/tests/programs/dead.c" -o dead && ./dead >cases; }

sanitized() {
	build
	[ "$(wc -l <cases)" -ge 40 ]
	while read -r name kind; do
		same 0 "$(status veer run -q -o clean -- ./dead "$name" abc 2)"
		lacks "$(find clean/reports -type f 2>/dev/null)" address
		veer run -q -o out -- ./dead "$name" abcdefgh 9 >/dev/null 2>&1 </dev/null || true
		contains "$name: $(cat out/reports/* 2>/dev/null)" "$kind"
		rm -rf clean out
	done <cases
}

# Innermost frames: a tail call does not hide the function that made it.
places() {
	build
	veer run -o out -- ./dead double_free abcdefgh 9 >/dev/null 2>err || true
	contains "$(cat err)" "in case_double_free"
}

# The tests go well; on their paths another text or number does not, and that is asked of every access and call.
traced() {
	build
	# shellcheck disable=SC2016
	echo 'while read -r name kind; do ./dead "$name" abc 2 || exit 1; done <cases' >suite
	veer test -q -o out --budget 1m --max-distance 0 -- sh suite
	found=$(grep -o '"function": *"[a-z_]*"' out/results.json)
	for name in strcpy strcat strncpy sprintf memcpy_heap memmove_heap memset_heap memcpy_local memset_local load_heap \
		load_statement load_compared load_computed store_heap store_calloc store_realloc store_local load_local \
		load_global store_global store_alloca store_vla copy_struct store_bits division remainder; do
		contains "$found" "\"case_$name\""
	done
	contains "$found" '"peek"'
	contains "$found" '"look_up"'
}

try "the sanitized variant sees bugs in dead code" sanitized
try "places of reports are those of -O0" places
try "checks in dead code are asked" traced
finish
