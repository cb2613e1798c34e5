# Sourced by the end-to-end tests. A test is a shell function; `try NAME FUNCTION`
# runs it in a folder of its own and prints "ok ..." or "FAIL ..." with what it
# printed. $VEER_BUILD is the build folder under test.
#
# shellcheck shell=sh
set -u
: "${VEER_BUILD:?set VEER_BUILD to the build folder}"
SUITE=$(basename "$0" .sh)
SCRATCH=$(mktemp -d "${TMPDIR:-/tmp}/veer-test-XXXXXX")
trap 'rm -rf "$SCRATCH"' EXIT
trap 'exit 130' INT TERM
VEER_CACHE_DIR=$SCRATCH/cache
PATH=$VEER_BUILD:$PATH
export VEER_CACHE_DIR PATH
unset VEER_CLANG VEER_CLANGXX ASAN_OPTIONS UBSAN_OPTIONS CC CFLAGS 2>/dev/null
# The version of LLVM that veer is built with.
LLVM_MAJOR=$(sed -n 's/^#define CONFIG_LLVM_MAJOR "\(.*\)"/\1/p' "$VEER_BUILD/config.h")
LLVM=/usr/lib/llvm-$LLVM_MAJOR/bin
CLANG=clang-$LLVM_MAJOR
VEER_SOURCE=$(cd "$(dirname "$0")/../.." && pwd)
FAILED=0

# column START OPERATOR: where a condition `x > y` is; clang says where it begins, from 22 on where its operator stands
column() { if [ "$LLVM_MAJOR" -lt 22 ]; then echo "$1"; else echo "$2"; fi; }

try() { # name, function
	mkdir "$SCRATCH/t" || exit 1
	# Not inside `if`: there the shell would ignore set -e.
	(set -e; cd "$SCRATCH/t"; "$2") >"$SCRATCH/log" 2>&1
	code=$?
	if [ $code -eq 0 ]; then
		echo "ok $SUITE: $1"
	elif [ $code -eq 77 ]; then
		echo "skip $SUITE: $1: $(tail -n 1 "$SCRATCH/log")"
	else
		echo "FAIL $SUITE: $1"
		sed 's/^/    /' "$SCRATCH/log"
		FAILED=1
	fi
	chmod -R u+w "$SCRATCH/t" 2>/dev/null
	rm -rf "$SCRATCH/t"
}

finish() { exit "$FAILED"; }

die() { echo "$*"; exit 1; }

# skip REASON: the machine does not allow this test
skip() { echo "$*"; exit 77; }

# same EXPECTED ACTUAL
same() { [ "$1" = "$2" ] || die "expected: $1
     got: $2"; }

# contains TEXT PART
contains() { case $1 in *"$2"*) ;; *) die "no '$2' in: $1" ;; esac; }
lacks() { case $1 in *"$2"*) die "unexpected '$2' in: $1" ;; esac; }

# clean FILE: nothing in it drives a terminal, or is no text
clean() {
	iconv -f UTF-8 -t UTF-32LE "$1" >/dev/null || die "$1 is not UTF-8"
	if LC_ALL=C grep -n -e "$(printf '[\001-\010\013-\037\177]')" "$1"; then die "a control character in $1"; fi
	if grep -n -e "$(printf '\342\200\256')" -e "$(printf '\342\201\246')" "$1"; then die "a change of direction in $1"; fi
}

# one_line TEXT: bad input is answered by exactly one line
one_line() { same 1 "$(printf '%s\n' "$1" | grep -c .)"; }

# functions PROGRAM: names of the functions in its bitcode, sorted, on one line
functions() {
	veer bitcode "$1" -o functions.bc &&
		"$LLVM/llvm-dis" functions.bc -o - | sed -n 's/^define .*@\([A-Za-z0-9_.]*\)(.*/\1/p' | sort | tr '\n' ' '
}

# sections FILE: number of .veer_bc sections
sections() { readelf -SW "$1" | grep -c '\.veer_bc' || true; }

# status COMMAND...: its exit status, whatever it is
status() { if "$@"; then echo 0; else echo $?; fi; }

# solve SCRIPT OUT: asks Z3; the bytes of all inputs go to OUT. Prints sat or unsat.
solve() {
	names=$(sed -n 's/^(declare-const \(i[0-9]*_[0-9]*\) .*/\1/p' "$1" | tr '\n' ' ')
	{ cat "$1"; echo "(get-value ($names))"; } >full.smt2
	z3 -T:20 full.smt2 >answer || true
	head -n 1 answer
	sed -n 's/.*(i[0-9]*_[0-9]* #x\(..\)).*/\1/p' answer | while read -r hex; do
		printf "\\$(printf %03o "0x$hex")"
	done >"$2"
}
