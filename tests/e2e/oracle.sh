#!/bin/sh
# What is a finding, and what is not: the judge on tests/programs/wrong.c.
. "$(dirname "$0")/lib.sh"

veer-cc -g -w "$VEER_SOURCE/tests/programs/wrong.c" -o "$SCRATCH/wrong" || exit 1
MODE=none

# line MARK: of the source
line() { grep -n "// $1\$" "$VEER_SOURCE/tests/programs/wrong.c" | cut -d: -f1; }

LIMIT=5000 # milliseconds; less where a run takes all of them
judge() { test-judge -b $MODE -t $LIMIT -m 300 "$@"; }

# says EXPECTED ARGUMENT...
says() {
	expected=$1
	shift
	same "$expected" "$(judge "$SCRATCH/wrong" "$@")"
}

memory_errors() {
	says "error heap-buffer-overflow heap wrong.c:$(line HEAP)" heap 12345
	says nothing heap 123
	says "error stack-buffer-overflow stack wrong.c:$(line STACK)" stack
	says "error global-buffer-overflow main wrong.c:$(line GLOBAL)" global
	says "error heap-use-after-free use_after_free wrong.c:$(line USED)" used
	says "error double-free double_free wrong.c:$(line TWICE)" twice
	says "error heap-use-after-free print_freed wrong.c:$(line PRINTED)" print
	says "error segv undefined wrong.c:$(line NULL)" null
	says "error stack-buffer-overflow stack wrong.c:$(line STACK)" child
}

# One past the end of argv[1] is in a neighbour's memory, if nobody sees to it.
arguments() { says "error heap-buffer-overflow main wrong.c:$(line END)" past-the-end; }

ends() {
	says "error assertion main wrong.c:$(line ASSERT)" assert
	says "error assertion must_hold wrong.c:$(line HOLDS)" holds
	says "error assertion must_hold wrong.c:$(line HOLDS)" held
	says "error abort main wrong.c:$(line ABORT)" abort
	says "error unreachable unreachable wrong.c:$(line UNREACHABLE)" unreachable
	says "error division-by-zero undefined wrong.c:$(line DIVIDE)" divide
	says "error division-by-zero whole_and_rest wrong.c:$(line REST)" divide-both
	says "error division-overflow undefined wrong.c:$(line SMALLEST)" smallest
	says "error ill signals wrong.c:$(line TRAP)" trap
}

warnings() {
	says "warning signed-add-overflow undefined wrong.c:$(line WARN)" overflow
	says "error stack-buffer-overflow stack wrong.c:$(line STACK)
warning signed-add-overflow undefined wrong.c:$(line BEFORE)" both
}

correct_programs() {
	LIMIT=500
	for what in raise raise-abort kill other handled fake scribble huge sleep flood reads; do
		says nothing $what
	done
}

hangs() {
	LIMIT=500
	says "resource hang spin wrong.c:$(line SPIN)" spin
	LIMIT=5000
	says "resource memory-exhaustion ? ?:0" eat
}

# The sanitized variant needs more of the stack than the program.
recursion() {
	says nothing deep 12000
	says "error stack-overflow recurse wrong.c:$(line DEEP)" deep 10000000
}

key() { judge -k "$SCRATCH/wrong" "$@" | sed -n 's/^key //p'; }

# The same bug has the same key, whatever the input and the addresses.
keys() {
	same "$(key heap 12345)" "$(key heap 1234567890)"
	same "$(key deep 10000000)" "$(key deep 10000001)"
	[ "$(key heap 12345)" != "$(key stack)" ] || die "two bugs have one key"
	[ "$(key assert)" != "$(key abort)" ] || die "two bugs have one key"
	cp "$SCRATCH/wrong" elsewhere
	same "$(key heap 12345)" "$(judge -k ./elsewhere heap 12345 | sed -n 's/^key //p')"
}

shrinking() {
	same "error heap-buffer-overflow heap wrong.c:$(line HEAP)
part 0: $SCRATCH/wrong
part 0: heap
part 0: aaaa" "$(judge -s 300 "$SCRATCH/wrong" heap 'some longer text' useless arguments)"
}

reports() {
	text=$(judge -r "$SCRATCH/wrong" heap 12345)
	contains "$text" "heap $VEER_SOURCE/tests/programs/wrong.c:$(line HEAP)
main $VEER_SOURCE/tests/programs/wrong.c:"
	contains "$text" "WRITE of size"
	contains "$text" "after 4-byte region"
}

# The script runs on what the user has: here a build with sanitizers of its own.
folders() {
	judge -w out "$SCRATCH/wrong" heap "it's
" >/dev/null
	contains "$(cat out/findings/F1/report.txt)" "heap-buffer-overflow"
	"$LLVM/clang" -g -w -fsanitize=address,undefined "$VEER_SOURCE/tests/programs/wrong.c" -o sanitized
	for shell in dash bash; do
		contains "$(PROGRAM=./sanitized $shell out/findings/F1/reproduce.sh 2>&1)" "heap-buffer-overflow"
	done
	same 0 "$(status out/findings/F1/reproduce.sh)"
}

# Objects that the program makes symbolic are part of the input, also without veer.
objects() {
	veer-cc -g "$VEER_SOURCE/tests/programs/object.c" -o object
	same nothing "$(judge -o xxxx ./object)"
	contains "$(judge -o abcd -w out ./object)" "error abort main object.c:"
	contains "$(judge -o abcdefgh ./object)" "error abort main object.c:"
	same nothing "$(judge -o "$(printf 'abcd\001')" ./object)"
	same nothing "$(judge -o "$(printf 'abcd\007')" ./object)"
	same 0 "$(status ./object)"
	same 134 "$(status out/findings/F1/reproduce.sh 2>/dev/null)"
}

replaying() {
	veer-cc -g -w "$VEER_SOURCE/tests/programs/wrong.c" -o wrong
	judge -w veer-out ./wrong heap "it's
" >/dev/null
	unsafe=--unsafe-no-sandbox
	test-judge -b namespaces ./wrong >/dev/null 2>&1 && unsafe=
	# shellcheck disable=SC2086
	same "F1: again: heap-buffer-overflow in heap, $VEER_SOURCE/tests/programs/wrong.c:$(line HEAP)" \
		"$(veer replay $unsafe F1)"
	# shellcheck disable=SC2086
	contains "$(veer replay $unsafe --native 1 || true)" "the native program exits with status 0"
	cp -r veer-out other
	sed 's/malloc(4)/malloc(400)/' "$VEER_SOURCE/tests/programs/wrong.c" >wrong.c # mended
	veer-cc -g -w wrong.c -o wrong
	# shellcheck disable=SC2086
	veer replay $unsafe -o other F1 >out && die "it was mended"
	contains "$(cat out)" "F1: not again: heap-buffer-overflow"
	same 1 "$(status veer replay F2 2>err)"
	same "veer: there is no finding F2 in veer-out" "$(cat err)"
	same 1 "$(status veer replay -o nowhere F1 2>err)"
	one_line "$(cat err)"
	for word in "" F x F1x -1; do
		same 2 "$(status veer replay "$word" 2>err)"
	done
}

debugging() {
	command -v gdb >/dev/null || skip "there is no gdb"
	judge -w veer-out "$SCRATCH/wrong" heap "it's \$HOME
" >/dev/null
	text=$(veer replay --gdb F1 -batch -ex run -ex backtrace 2>&1 </dev/null)
	contains "$text" "heap-buffer-overflow"
	contains "$text" "heap (text="
	text=$(veer replay --gdb --native F1 -batch -ex 'break heap' -ex run -ex 'print text' 2>&1 </dev/null)
	contains "$text" "it's \$HOME\\n"
}

in_a_sandbox() { # mode
	test-judge -b "$1" "$SCRATCH/wrong" >probe 2>&1 || skip "$(cat probe)"
	MODE=$1
	memory_errors
	arguments
	ends
	warnings
	for what in raise other handled fake scribble flood; do
		says nothing $what
	done
	recursion
	hangs
}
in_namespaces() { in_a_sandbox namespaces; }
in_landlock() { in_a_sandbox landlock; }

try "memory errors" memory_errors
try "one past the end of an argument" arguments
try "assertions, aborts, division" ends
try "warnings do not hide errors" warnings
try "correct programs" correct_programs
try "hangs and memory" hangs
try "deep recursion" recursion
try "keys" keys
try "shrinking" shrinking
try "reports" reports
try "folders" folders
try "objects" objects
try "replaying" replaying
try "debugging" debugging
try "in namespaces" in_namespaces
try "in Landlock" in_landlock
finish
