#!/bin/sh
# Figures in docs/results come from scripts in bench/: what is named there exists, every script says how it is used,
# bench/README.md has a line for each, and tables are those of the results that are kept.
cd "$(dirname "$0")/../.." || exit 1

check() { # name, what is wrong with it, a line each
	if [ -n "$2" ]; then
		echo "FAIL figures: $1"
		printf '%s\n' "$2" | sed 's/^/    /'
	else
		echo "ok figures: $1"
	fi
}

documents=$(find README.md docs bench/README.md -name "*.md")
named=$(grep -ohE '\bbench/[A-Za-z0-9_./-]+[A-Za-z0-9_]' $documents | sort -u)
check "what documents name is there" "$(for path in $named; do
	case $path in bench/work | bench/work/* | *NAME*) continue ;; esac
	[ -e "$path" ] || grep -lF "$path" $documents | sed "s|^|$path, in |"
done)"

scripts=$(find bench -path '*/suites/*' -prune -o -path '*/programs/*' -prune -o -path bench/work -prune -o -type f -perm -u+x -print | sort)
check "scripts say how they are used" "$(for script in $scripts; do
	"./$script" --help </dev/null 2>&1 | grep -qi "usage.*$(basename "$script")" || echo "$script --help"
done)"
check "bench/README.md has all of them" "$(for script in $scripts; do
	grep -qF "\`$script" bench/README.md || echo "$script"
done)"

check "docs/results/REAL-PROGRAMS.md is what bench/amplify/document writes" "$({
	cat bench/amplify/intro.md
	bench/amplify/tables
	cat bench/amplify/notes.md
} 2>&1 | diff - docs/results/REAL-PROGRAMS.md | head -n 5)"
check "docs/results/FOUND.md is what bench/amplify/document writes" "$({
	cat bench/amplify/found.md
	bench/amplify/tables --short
} 2>&1 | diff - docs/results/FOUND.md | head -n 5)"
