#!/bin/sh
# Random programs (bench/csmith/run): traced they print the same as natively. VEER_LONG_PROGRAMS (300) of them, others
# each time: the seeds follow the clock, and are printed.
here=$(cd "$(dirname "$0")/../.." && pwd)
command -v csmith >/dev/null || {
	echo "skip csmith: it is not installed"
	exit 0
}
VEER_BENCH_DIR=$(mktemp -d)
export VEER_BENCH_DIR
trap 'rm -rf "$VEER_BENCH_DIR"' EXIT
first=$(($(date +%s) % 1000000000))
said=$("$here/bench/csmith/run" "${VEER_LONG_PROGRAMS:-300}" "$first" 2>&1)
case $said in
*" ok, 0 bad,"*) echo "ok csmith: seeds from $first: $said" ;;
*)
	echo "FAIL csmith: seeds from $first: $said"
	awk -F'\t' '$2 == "BAD" { print "    seed " $1 }' "$VEER_BENCH_DIR/csmith.tsv"
	;;
esac
