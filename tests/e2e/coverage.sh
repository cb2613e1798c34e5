#!/bin/sh
# What a campaign covered, and the ways there that once were not found.
# shellcheck disable=SC2016
. "$(dirname "$0")/lib.sh"

explored() { # source file, arguments of explore...
	veer-cc -g -O1 "$1" -o p
	shift
	timeout 120 veer explore -q -j1 -o out "$@" >log || die "$(cat log)"
}

telling() {
	printf '%s\n' '#include <stdio.h>' 'int main(int n, char **v)' '{' '	if (n > 1 && v[1][0] == 120)' \
		'		return 1;' '	if (n > 9)' '		return 2;' '	return 0;' '}' >p.c
	explored p.c -- ./p --sym-arg 2
	contains "$(veer coverage out | tail -n 1)" "6/7  85.7%"
	same "$PWD/p.c:7" "$(veer coverage --uncovered out | tail -n 1)"
	contains "$(veer coverage --file 'p.c' out | tail -n 1)" "6/7"
	contains "$(veer coverage --file 'q.c' out | tail -n 1)" "0/0"
	veer coverage --lcov info out >/dev/null
	contains "$(cat info)" "DA:7,0"
	contains "$(cat info)" "LH:6"
	same 1 "$(status veer coverage nowhere 2>err)"
	one_line "$(cat err)"
}

# Whether a name is there is no condition of the program's.
name_that_is_there() {
	printf '%s\n' '#include <stdio.h>' 'int main(int n, char **v)' '{' \
		'	if (n == 3 && v[1][0] == 45 && fopen(v[2], "r"))' '		return 1;' '	return 0;' '}' >p.c
	explored p.c -- ./p --sym-args 0 2 3
	same "" "$(veer coverage --uncovered out | sed -n '/:[0-9-]*$/p')"
}

# A switch over every byte of a text, in each of which it can go a hundred ways, before what matters.
switches_take_no_more_than_their_share() {
	{
		printf '%s\n' '#include <string.h>' 'static int kinds[3];' 'int main(int n, char **v)' '{' \
			'	for (char *s = n > 1 ? v[1] : ""; *s; s++)' '		switch (*s) {'
		for i in $(seq 48 122); do echo "		case $i: kinds[$((i % 3))]++; break;"; done
		printf '%s\n' '		}' '	if (n > 2 && strlen(v[2]) == 3 && v[2][0] + v[2][1] == 150 && v[2][2] == v[2][0] - 9)' \
			'		return 1;' '	return kinds[0] == 1 && kinds[1] == 2;' '}'
	} >p.c
	explored p.c --runs 400 -- ./p --sym-args 0 2 6
	same "" "$(veer coverage --uncovered out | sed -n '/:[0-9-]*$/p')"
}

try "files, lines that are not covered, lcov" telling
try "a name that is there" name_that_is_there
try "switches take no more than their share" switches_take_no_more_than_their_share
finish
