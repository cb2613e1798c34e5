#!/bin/sh
# Fault injection (bench/reliability/faults): every kind of fault, VEER_LONG_TIMES (20) times each.
here=$(cd "$(dirname "$0")/../.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
if "$here/bench/reliability/faults" -n "${VEER_LONG_TIMES:-20}" -o "$scratch" >"$scratch/log" 2>&1; then
	echo "ok faults: veer survives each"
	grep '^|' "$scratch/log"
else
	echo "FAIL faults: veer survives each"
	sed 's/^/    /' "$scratch/log"
fi
