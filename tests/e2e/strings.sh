#!/bin/sh
# What models of string functions make of a path: conditions that can be solved for other
# strings, also longer ones, places that are made concrete once, checks.
. "$(dirname "$0")/lib.sh"

# traced OPTION... -- ./p ARGUMENT...: builds p.c; events and err of a run with every node checked
traced() {
	veer-cc -w -g -O1 -I"$VEER_SOURCE/include" p.c -o p
	veer path --self-check --stats --events "$@" >events 2>err
	contains "$(cat err)" " 0 mismatches"
	lacks "$(cat err)" "signal"
}

event() { grep -E "^[0-9]+ $1 .*p.c:$2[: ]" events | head -n 1 | cut -d' ' -f1; } # kind, line or line:column

# other N INPUT OPTION...: a value of that input with which event N goes the other way
other() {
	n=$1 input=$2
	shift 2
	veer path --smt2 --negate "$n" "$@" >query.smt2 2>/dev/null
	names=$(sed -n "s/^(declare-const \(i${input}_[0-9]*\) .*/\1/p" query.smt2 | tr '\n' ' ')
	echo "(get-value ($names))" >>query.smt2
	z3 -T:20 query.smt2 >answer || true
	same sat "$(head -n 1 answer)"
	sed -n 's/.*(i[0-9]*_[0-9]* #x\(..\)).*/\1/p' answer | while read -r hex; do
		[ "$hex" != 00 ] || break
		printf "\\$(printf %03o "0x$hex")"
	done
}

longer_argument() {
	cat >p.c <<'C'
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv) {
	char copy[100];
	if (strcmp(argv[1], "--help") == 0) puts("help");
	strcpy(copy, argv[1]);
	if (strlen(copy) > 10) puts("long");
	return 0;
}
C
	traced --sym argv -- ./p -x
	contains "$(cat events)" "((argv[1][0] == 45) & ((argv[1][1] == 45) & "
	same "--help" "$(other "$(event branch 5)" 1 --sym argv -- ./p -x)"
	same long "$(./p "$(other "$(event branch 7)" 1 --sym argv -- ./p -x)")"
}

places() { # exact where they are compared; made concrete by the first access
	cat >p.c <<'C'
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv) {
	char *p = strchr(argv[1], '=');
	if (p && p - argv[1] == 3) puts("three");
	if (!p) return 1;
	*p++ = 0;
	int n = strlen(p);
	if (n == 0) return 2;
	if (p[n - 1] == '!') puts("mark");
	p[n - 1] = 0;
	if (*p == 'x' && p[1] == 'y') puts("xy");
	return 0;
}
C
	traced --sym argv -- ./p a=xyz
	same 2 "$(grep -c ' concretised ' events)"
	contains "$(grep ' concretised ' events | head -n 1)" "p.c:7:"
	contains "$(grep ' concretised ' events | tail -n 1)" "p.c:10:"
	same three "$(./p "$(other "$(event branch 5:6)" 1 --sym argv -- ./p a=xyz)" || true)"
	contains "$(./p "$(other "$(event branch 10)" 1 --sym argv -- ./p a=xyz)")" mark
	lacks "$(./p "$(other "$(event branch 12)" 1 --sym argv -- ./p a=xyz)")" xy
}

tokens() { # more of them, or fewer
	cat >p.c <<'C'
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv) {
	int n = 0;
	for (char *t = strtok(argv[1], " ,"); t; t = strtok(NULL, " ,"))
		n++;
	return n;
}
C
	traced --sym argv -- ./p a,bc
	first=$(event branch 5)
	same 0 "$(code=0; ./p "$(other "$first" 1 --sym argv -- ./p a,bc)" || code=$?; echo $code)"
	last=$(grep -E '^[0-9]+ branch ' events | tail -n 1 | cut -d' ' -f1)
	more=$(other "$last" 1 --sym argv -- ./p a,bc)
	case $more in ?[\ ,]??[\ ,]*) ;; *) die "no third part: $more" ;; esac
}

checks() { # room for a copy; an end in the object
	cat >p.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <veer.h>
int main(void) {
	char s[8] = "abc", t[6];
	if (veer_make_symbolic) veer_make_symbolic(s, sizeof s, "s");
	if (strlen(s) == 6) puts("six");
	strcpy(t, s);
	char *copy = strdup(t);
	if (copy[2] == 'x') puts("x");
	return 0;
}
C
	traced -- ./p
	contains "$(grep ' check ' events)" "p.c:9:"
	contains "$(grep ' check ' events)" "[t of main, 6 bytes]"
	printf 'abc' >given
	veer path --events --input given -- ./p >events 2>/dev/null
	same 6 "$(other "$(event branch 8)" 0 --input given -- ./p | wc -c)"
	same 8 "$(other "$(event check 8)" 0 --input given -- ./p | wc -c)"
	[ "$(other "$(event check 9)" 0 --input given -- ./p | wc -c)" -ge 6 ] || die "fits"
}

printed() { # sprintf has no bound: that the text fits is a check
	cat >p.c <<'C'
#include <stdio.h>
int main(int argc, char **argv) {
	char t[6];
	sprintf(t, "%d:%s", argc, argv[1]);
	puts(t);
	return 0;
}
C
	traced --sym argv -- ./p abc
	contains "$(grep ' check ' events)" "[t of main, 6 bytes]"
	check=$(grep ' check ' events | cut -d' ' -f1)
	[ "$(other "$check" 1 --sym argv -- ./p abc | wc -c)" -gt 3 ] || die "fits"
}

# The text with those bytes that the answer has.
PATCH='
	function hex(s) { return 16 * (index("0123456789abcdef", substr(s, 1, 1)) - 1) + index("0123456789abcdef", substr(s, 2, 1)) - 1 }
	match($0, /i[0-9]+_[0-9]+ #x../) {
		split(substr($0, RSTART, RLENGTH), part, /[_ x]/)
		at = part[2] + 0
		text = substr(text, 1, at) sprintf("%c", hex(part[4])) substr(text, at + 2)
	}
	END { printf "%s", text }'

dates() { # fields are computed, and what follows from them
	cat >p.c <<'C'
#define _XOPEN_SOURCE 700
#include <stdio.h>
#include <time.h>
int main(int argc, char **argv) {
	struct tm tm = {0};
	char *end = strptime(argv[1], "%d %b %Y", &tm);
	if (!end || *end) return 1;
	if (tm.tm_mday == 24) puts("24th");
	if (tm.tm_wday == 5) puts("Friday");
	return 0;
}
C
	traced --sym argv -- ./p "15 Nov 2026"
	lacks "$(cat events)" concretised
	for line in 8 9; do
		other "$(event branch $line)" 1 --sym argv -- ./p "15 Nov 2026" >/dev/null
		LC_ALL=C awk -v text="15 Nov 2026" "$PATCH" answer >new
		./p "$(cat new)" >>out
	done
	same "24th Friday" "$(tr '\n' ' ' <out | sed 's/ $//')"
	traced --sym argv -- ./p "15th of November" # a text that does not fit
	lacks "$(cat events)" "not modelled"
}

memory_streams() { # pass labels in both directions
	cat >p.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv) {
	char *text = NULL, word[20];
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);
	fprintf(out, "<%s>", argv[1]);
	fclose(out);
	if (strcmp(text, "<magic>") == 0) puts("written");
	FILE *in = fmemopen(argv[1], strlen(argv[1]), "r");
	if (fgets(word, sizeof word, in))
		if (word[0] == '!') puts("read");
	fclose(in);
	free(text);
	return 0;
}
C
	traced --sym argv -- ./p hello
	lacks "$(cat events)" "not modelled"
	same magic "$(other "$(event branch 10)" 1 --sym argv -- ./p hello)"
	same '!' "$(other "$(event branch 13)" 1 --sym argv -- ./p hello | head -c 1)"
}

scopes() { # variables of different blocks are different objects
	cat >p.c <<'C'
#include <stdio.h>
#include <veer.h>
void use(char *p, int n);
int main(void) {
	unsigned char i = 3;
	if (veer_make_symbolic) veer_make_symbolic(&i, 1, "i");
	{ char small[5]; use(small, 5); }
	{ char large[200]; use(large, 200); large[i] = 1; use(large, 200); }
	return 0;
}
C
	echo 'void use(char *p, int n) { p[n - 1] = 1; }' >q.c
	veer-cc -g -O1 -I"$VEER_SOURCE/include" p.c q.c -o p
	contains "$(veer path --events -- ./p 2>/dev/null)" "[large of main, 200 bytes]"
	lacks "$(veer path --events -- ./p 2>/dev/null)" "[small of main"
}

try "arguments become longer" longer_argument
try "places in a string" places
try "tokens" tokens
try "checks" checks
try "checks of sprintf" printed
try "dates" dates
try "streams over memory" memory_streams
try "variables of blocks" scopes
finish
