#!/bin/sh
# What is compiled by commands of its own is made again when a table, header or source of it changes: touches each of
# these for a moment, and asks ninja what it would do.
cd "$(dirname "$0")/../.." || exit 1
stamp=$(mktemp)
touched=
restore() {
	[ -z "$touched" ] || touch -r "$stamp" "$touched"
	touched=
}
trap 'restore; rm -f "$stamp"' EXIT
trap 'exit 130' INT TERM

# rebuilds FILE OUTPUT...: a change of FILE makes these again, and nothing does when it is as it was
rebuilds() {
	file=$1
	shift
	if ! [ -w "$file" ]; then
		echo "skip rebuilds: $file: not writable"
		return
	fi
	touch -r "$file" "$stamp"
	touched=$file
	touch "$file"
	after=$(ninja -C "$VEER_BUILD" -n -v 2>&1)
	restore
	before=$(ninja -C "$VEER_BUILD" -n -v 2>&1)
	missing=
	for output; do
		if printf '%s\n' "$before" | grep -q -- "-o $output\$"; then missing="$missing $output(always)"; fi
		printf '%s\n' "$after" | grep -q -- "-o $output\$" || missing="$missing $output"
	done
	if [ -n "$missing" ]; then
		echo "FAIL rebuilds: $file:$missing"
		printf '%s\n' "$after" | tail -n 3 | cut -c 1-300
	else
		echo "ok rebuilds: $file: $*"
	fi
}

rebuilds src/abi/ubsan.def libveer-san.so
rebuilds src/abi/entries.def libveer-trace.so veer-trace-inline.bc
rebuilds src/abi/inputs.def libveer-trace.so
rebuilds src/abi/folder_sizes.h libveer-folders.so
rebuilds src/abi/launch.h libveer-san.so libveer-trace.so veer-san-options.o
rebuilds src/runtime/trace/inline.c veer-trace-inline.bc libveer-trace.so
rebuilds src/runtime/models/string.c libveer-trace.so
rebuilds src/runtime/models/stream.h libveer-trace.so
rebuilds src/runtime/models/c/number.h libveer-trace.so
rebuilds src/runtime/models/c/sort.c libveer-trace.so
rebuilds src/support/nondet.def support-nondet.o
