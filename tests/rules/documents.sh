#!/bin/sh
# Documents name what exists: links lead somewhere, files of the repository are there, and docs/reference is what
# scripts/reference writes.
cd "$(dirname "$0")/../.." || exit 1

check() { # name, what is wrong with it, a line each
	if [ -n "$2" ]; then
		echo "FAIL documents: $1"
		printf '%s\n' "$2" | sed 's/^/    /'
	else
		echo "ok documents: $1"
	fi
}

documents=$(find README.md docs bench -name '*.md' -not -path 'bench/work/*' | sort)

check "links lead somewhere" "$(for document in $documents; do
	case $document in bench/*/intro.md | bench/*/notes.md | bench/*/found.md) continue ;; esac # parts of others
	grep -oE '\]\([^) ]+\)' "$document" | sed 's/^](//; s/)$//; s/#.*//' | grep -v '^$\|^[a-z]*:' | while read -r link; do
		[ -e "$(dirname "$document")/$link" ] || echo "$document: $link"
	done
done)"

# A path in code font; words in capitals stand for names, and some are made by builds and scripts.
check "files of the repository are there" "$(for document in $documents; do
	# shellcheck disable=SC2016
	grep -oE '`(src|docs|tests|scripts|install|examples)/[A-Za-z0-9_./+-]+`' "$document" | tr -d '`' |
		grep -vE '(^|[/_.])[A-Z]{4,}(\.[a-z]+)?$|/[A-Z]+/|completion_SHELL|\*' | sort -u | while read -r path; do
		[ -e "$path" ] || echo "$document: $path"
	done
done)"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
check "docs/reference is what scripts/reference writes" "$(
	scripts/reference "$VEER_BUILD" "$scratch" 2>&1
	diff -r "$scratch" docs/reference | head -n 5
)"

check "every option of docs/reference has a meaning" "$(grep -nE '^\| `[^|]*` \| *\|' docs/reference/*.md)"
