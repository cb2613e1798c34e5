#!/bin/sh
# Checks the include rules that docs/ARCHITECTURE.md states: a row of its table of
# rooms is `room` | what it does | in | out | rooms it may include.
cd "$(dirname "$0")/../.." || exit 1
table=docs/ARCHITECTURE.md

# allowed ROOM: the rooms it may include, blank-separated; fails when there is no row
allowed() {
	awk -F'|' -v room="\`src/$1\`" '
		{ gsub(/^ +| +$/, "", $2) }
		$2 == room { gsub(/[`,.]/, " ", $6); print $6; found = 1 }
		END { exit !found }' $table
}

for folder in src/*/; do
	room=$(basename "$folder")
	if ! may=$(allowed "$room"); then
		echo "FAIL rooms: $table has no row for src/$room"
		continue
	fi
	bad=$(grep -rnE '^#include "[a-z]+/' "$folder" | while IFS= read -r line; do
		included=$(printf '%s\n' "$line" | sed 's/.*#include "\([a-z]*\)\/.*/\1/')
		case " $room $may " in
		*" $included "*) ;;
		*) echo "$line" ;;
		esac
	done)
	if [ -n "$bad" ]; then
		echo "FAIL rooms: src/$room may not include this:"
		echo "$bad"
	else
		echo "ok rooms: src/$room"
	fi
done

# Only cli and the `main` of a tool print or exit.
bad=$(grep -rnE '\b(f?printf|puts|perror|exit)\(' src --include='*.c' |
	grep -vE '^src/(cli|runtime|support)/|^src/cc/main\.c|^src/instrument/worker\.c|[sn]printf|_exit|^[^:]*:[0-9]*:\s*//')
if [ -n "$bad" ]; then
	echo "FAIL rooms: library code neither prints nor exits:"
	echo "$bad"
else
	echo "ok rooms: library code neither prints nor exits"
fi

# Another store has to define what store.h declares, and nothing else.
bad=$(
	grep -rnE '^#include ("store/|<sqlite3)' src --include='*.[ch]' --include='*.def' |
		grep -v '^src/store/' | grep -vE '"store/(store|account)\.h"|"store/outcomes\.def"'
	grep -nE '^struct store \{|sqlite' src/store/store.h src/store/account.h
)
if [ -n "$bad" ]; then
	echo "FAIL rooms: a campaign is read and written through store.h alone:"
	echo "$bad"
else
	echo "ok rooms: a campaign is read and written through store.h alone"
fi

# Functions that have a safe counterpart; models call what they stand for.
bad=$(grep -rnE '\b(gets|sprintf|vsprintf|strncpy|tmpnam|mktemp|alloca)\(' src | grep -v '^src/runtime/models/')
if [ -n "$bad" ]; then
	echo "FAIL rooms: unsafe functions:"
	echo "$bad"
else
	echo "ok rooms: no unsafe functions"
fi

# A function has one model, or needs none.
bad=$(grep -v '^//' src/abi/models.def | grep -oE '(MODEL|ALIAS|PLAIN)\([A-Za-z0-9_]+' | sed 's/.*(//' | sort | uniq -d)
if [ -n "$bad" ]; then
	echo "FAIL rooms: more than once in src/abi/models.def:"
	echo "$bad"
else
	echo "ok rooms: every function is in models.def once"
fi

# Memory goes through base/mem, so that tests can count it.
bad=$(grep -rnE '\b(malloc|calloc|realloc|strdup|free)\(' src --include='*.c' | grep -vE '^src/(base/mem\.c|runtime/|support/)|mem_|//.*(malloc|free)')
if [ -n "$bad" ]; then
	echo "FAIL rooms: allocation outside base/mem:"
	echo "$bad"
else
	echo "ok rooms: allocation goes through base/mem"
fi

# A merge that was not finished leaves its marks.
bad=$(grep -rnE '^(<<<<<<<|>>>>>>>)( |$)' --exclude-dir=.git --exclude-dir='build*' . | head)
if [ -n "$bad" ]; then
	echo "FAIL rooms: both sides of a merge stand here:"
	echo "$bad"
else
	echo "ok rooms: no merge is half done"
fi
