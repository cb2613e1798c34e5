#!/bin/sh
# How the source is cut: rooms without cycles, headers that stay in their room, one format, files and functions that
# can be read in one go.
cd "$(dirname "$0")/../.." || exit 1

check() { # name, what is wrong with it, a line each
	if [ -n "$2" ]; then
		echo "FAIL structure: $1"
		printf '%s\n' "$2" | sed 's/^/    /'
	else
		echo "ok structure: $1"
	fi
}

# edges: "ROOM INCLUDED FILE" for each include of another room, from the sources themselves
edges() {
	grep -rE '^#include "[a-z]+/' src --include='*.[ch]' --include='*.def' |
		sed -n 's|^\(src/\([a-z]*\)/[^:]*\):#include "\([a-z]*\)/.*|\2 \3 \1|p' | awk '$1 != $2'
}

# What is left when rooms that include none of the others that are left, or that none includes, are taken away, again
# and again.
check "no cycles between rooms" "$(edges | awk '
	{ if (!(($1, $2) in file)) { file[$1, $2] = $3; left[$1] = left[$2] = 1 } }
	END {
		do {
			changed = 0
			for (room in left) {
				includes = included = 0
				for (edge in file) {
					split(edge, ends, SUBSEP)
					if (ends[1] in left && ends[2] in left) {
						includes += ends[1] == room
						included += ends[2] == room
					}
				}
				if (!includes || !included) {
					delete left[room]
					changed = 1
				}
			}
		} while (changed)
		for (edge in file) {
			split(edge, ends, SUBSEP)
			if (ends[1] in left && ends[2] in left)
				print ends[1] " includes " ends[2] ": " file[edge]
		}
	}' | sort)"

# Data flows down the table: a room includes rooms that stand above it.
check "rooms stand in the order of docs/ARCHITECTURE.md" "$(
	{
		# shellcheck disable=SC2016
		sed -n 's/^| `src\/\([a-z]*\)` .*/row \1/p' docs/ARCHITECTURE.md
		edges
	} | awk '$1 == "row" { place[$2] = NR; next } place[$1] <= place[$2] { print $3 " includes " $2 ", which stands below" }' | sort -u
)"

check "private headers stay in their room" "$(grep -rnE '^#include "[a-z]+/[a-z_/]*_internal\.h"' src |
	awk -F: '{ split($1, file, "/"); room = $3; sub(/#include "/, "", room); sub(/\/.*/, "", room); if (file[2] != room) print }')"

# Other versions lay out some things differently, so the same one for everybody.
formatter=$(command -v clang-format-19)
if [ -n "$formatter" ]; then
	check "files are laid out as clang-format-19 -i does" "$(find src tests bench include examples -name '*.[ch]' -not -path 'bench/work/*' | xargs "$formatter" --dry-run 2>&1 | sed -n 's/: warning: code should.*//p' | head -n 20)"
else
	echo "skip structure: clang-format: clang-format-19 is not installed"
fi

check "no file of src is longer than 600 lines" "$(find src -type f -name '*.[ch]' | sort | xargs wc -l |
	awk '$2 != "total" && $1 > 600 { print $2 ": " $1 " lines" }')"

# By the layout that clang-format gives: a definition begins in the first column, its body is between braces there.
check "no function of src is longer than 80 lines" "$(find src -type f -name '*.[ch]' | sort | xargs awk '
	FNR == 1 { body = 0 }
	/^[a-zA-Z_].*\(/ && !/;$/ { name = $0; sub(/\(.*/, "", name); sub(/.*[ *]/, "", name) }
	/^\{$/ { body = FNR }
	/^\}$/ && body {
		if (FNR - body - 1 > 80)
			print FILENAME ": " name ": " FNR - body - 1 " lines"
		body = 0
	}')"

# A suite that nobody registered would never run.
check "tests/meson.build has every suite" "$(for script in tests/rules/*.sh tests/e2e/*.sh tests/long/*.sh; do
	name=$(basename "$script" .sh)
	[ "$name" = lib ] || grep -q "'$name'" tests/meson.build || echo "$script"
done)"
