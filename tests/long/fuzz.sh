#!/bin/sh
# Fuzzes what reads files that others wrote: bench/reliability/fuzz (programs, traces, snapshots, inputs) and
# bench/interop/fuzz (other tools' formats), bench/infer/fuzz (recordings, models, firmware), VEER_LONG_SECONDS (600) each.
here=$(cd "$(dirname "$0")/../.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
for target in reliability interop infer; do
	if "$here/bench/$target/fuzz" "${VEER_LONG_SECONDS:-600}" "$scratch/$target" >"$scratch/log" 2>&1; then
		echo "ok fuzz: $target: $(sed -n 's/.*number_of_executed_units: *//p' "$scratch/log" | paste -s -d ' ' -) executions"
	else
		echo "FAIL fuzz: $target"
		sed 's/^/    /' "$scratch/log"
		kept=$(mktemp -d)
		find "$scratch/$target" -maxdepth 1 -name '[a-z]*-[0-9a-f]*' -exec cp {} "$kept" \;
		echo "    inputs: $kept"
	fi
done
