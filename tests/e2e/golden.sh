#!/bin/sh
# Golden tests, by kind of instruction: tests/programs/golden/NAME.c (or NAME.ll) is a small program,
# NAME.expected what its run records: source lines, and under each its events in source terms.
# Every node is checked on the way. To add one, write the program and let
#
#   VEER_BUILD=$PWD/build sh tests/e2e/golden.sh --update [NAME...]
#
# write what is expected; then read it: it has to be right, not just what came out.
#
# Where clang of a later version makes other instructions of the same program, NAME.22.expected is what is expected with
# LLVM 22 and later.
. "$(dirname "$0")/lib.sh"
GOLDEN=$VEER_SOURCE/tests/programs/golden

# The log without inputs, whose lines are in the source, and without accesses through concrete
# addresses; addresses differ from run to run.
in_source_terms() { # source, events
	awk '
	NR == FNR { text[FNR] = $0; gsub(/^[ \t]+|[ \t]+$/, "", text[FNR]); next }
	{ sub(/^[0-9]+ /, "") }
	/^input / || /^access / { next }
	match($0, / [^ ]*:[0-9]+:[0-9]+ [^ ]+/) {
		kind = substr($0, 1, RSTART - 1)
		rest = substr($0, RSTART + RLENGTH)
		split(substr($0, RSTART + 1, RLENGTH - 1), place, / /)
		n = split(place[1], parts, /:/)
		where = parts[1] == "?" ? place[2] : parts[n - 1]
		if (where != last) print parts[1] == "?" ? "in " place[2] : text[where]
		last = where
		print "    " kind rest
		next
	}
	{ print "    " $0 }' "$1" "$2" |
		sed -E -e 's/0x(5[56]|7[ef])[0-9a-f]{10}\>/ADDRESS/g' -e 's/= (9[34]|1[34][0-9])[0-9]{12}\>/= ADDRESS/' \
			-e "s,$GOLDEN/,,g"
}

# expected NAME: the file for this version of LLVM
expected() {
	version=$LLVM_MAJOR
	while [ "$version" -gt 19 ] && [ ! -e "$GOLDEN/$1.$version.expected" ]; do version=$((version - 1)); done
	[ "$version" -gt 19 ] && echo "$GOLDEN/$1.$version.expected" || echo "$GOLDEN/$1.expected"
}

golden() { # uses $source, $name
	veer-cc -O1 -w -std=gnu2x -I"$VEER_SOURCE/include" "$source" -o "$name" -lm
	veer path --self-check --stats --events -- "./$name" >events 2>err || die "$(cat err)"
	contains "$(cat err)" " 0 mismatches"
	lacks "$(cat err)" "signal"
	in_source_terms "$source" events >actual
	if [ "$UPDATE" ]; then
		cp actual "$(expected "$name")"
	else
		diff -u "$(expected "$name")" actual
	fi
}

UPDATE=
if [ "${1-}" = --update ]; then
	UPDATE=yes
	shift
fi
for source in "$GOLDEN"/*.c "$GOLDEN"/*.ll; do
	name=$(basename "${source%.*}")
	case " $* " in
	"  " | *" $name "*) try "$(sed -n '1s,^\(//\|;\) *,,p' "$source") ($name)" golden ;;
	esac
done
finish
