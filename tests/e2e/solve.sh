#!/bin/sh
# veer solve: solutions, put back into the input, take the other side; don't-care bytes
# do not; wishes, back ends, limits and errors.
. "$(dirname "$0")/lib.sh"

# program: reads an argument and standard input, and says where it goes
program() {
	cat >p.c <<'C'
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv)
{
	char line[16] = "";
	const char *a = argc > 1 ? argv[1] : "";
	size_t n = fread(line, 1, sizeof line - 1, stdin);
	if (a[0] == '-' && a[1] == 'v')
		puts("verbose");
	if (n > 3 && line[0] + line[1] == 200)
		puts("sum");
	if (n > 3 && line[2] * 3 > a[2] + 300)
		puts("greater");
	if (n > 8 && line[5] == line[8])
		puts("equal");
	if (strcmp(a, "-vn") == 0)
		puts("exactly");
	switch (line[4]) {
	case '1': puts("one"); break;
	case '2': puts("two"); break;
	default: puts("other");
	}
	return 0;
}
C
	veer-cc -w -O1 -g p.c -o p
	argument=${1:-xyz}
	printf '%s' "${2:-hello there}" >in
	veer path --sym argv,stdin --save T --events -- ./p "$argument" <in >events 2>err
	same "$(./p "$argument" <in)" "$(cat err)"
}

# at LINE [PART]: the number of the event of that line of p.c
at() { grep -E "^[0-9]+ (branch|switch|select|check) [^ ]*p\.c:$1:" events | grep -F -e "${2:-}" | head -n 1 | cut -d' ' -f1; }

# ends STATUS COMMAND...: it ends with that status; what it prints goes to out and err
ends() {
	expected=$1 code=0
	shift
	"$@" >out 2>err || code=$?
	same "$expected" "$code"
}

# hex FILE: its bytes, one a line
hex() { od -An -v -tx1 "$1" | tr -s ' ' '\n' | grep . || true; }

# put_back: the argument and standard input with the changes in them, as new_argument and new_in
put_back() {
	printf '%s' "$argument" >argument
	for input in 'argv[1]' stdin; do
		case $input in stdin) from=in to=new_in ;; *) from=argument to=new_argument ;; esac
		length=$(wc -c <$from)
		[ "$input" = stdin ] && length=$(awk -v n="$length" '/^length\(stdin\)\[/ {
			k = substr($1, 15, 1); was = int(n / 256 ^ k) % 256; n += (value($2) - was) * 256 ^ k }
			END { print n }
			function value(s) { return 16 * digit(substr(s, 3, 1)) + digit(substr(s, 4, 1)) }
			function digit(c) { return index("0123456789abcdef", c) - 1 }' changes_hex)
		hex $from | awk -v input="$input" -v n="$length" '
			FILENAME == "changes_hex" { if (index($1, input "[") == 1) {
				i = substr($1, length(input) + 2) + 0; new[i] = substr($2, 3); if (input != "stdin" && i >= n) n = i + 1 } next }
			{ old[FNR - 1] = $1 }
			END { for (i = 0; i < n; i++) {
				b = i in new ? new[i] : i in old ? old[i] : "00"
				if (input != "stdin" && b == "00") exit
				print b } }' changes_hex - | while read -r byte; do
			printf "\\$(printf %03o "0x$byte")"
		done >$to
	done
}

# solve_for EVENT [OPTION...]: the answer, in the file and as bytes in hexadecimal
solve_for() {
	k=$1
	shift
	veer solve T --negate "$k" "$@" >answer 2>err || die "event $k $*: $(cat answer err)"
	same "" "$(cat err)"
	sed -n "s/^  \([^ ]*\): .* -> \(.*\)$/\1 \2/p" answer | while read -r name value; do
		case $value in
		0x*) echo "$name $value" ;;
		*) value=${value#?} && printf '%s 0x%02x\n' "$name" "'${value%?}" ;;
		esac
	done >changes_hex
	put_back
}

# reaches EVENT OUTPUT [OPTION...]: the solution of the event makes the program print this
reaches() {
	k=$1 wanted=$2
	shift 2
	solve_for "$k" "$@"
	grep -q '^sat: ' answer || die "$(cat answer)"
	case " $(./p "$(cat new_argument)" <new_in | tr '\n' ' ')" in
	*" $wanted "*) ;;
	*) die "event $k $*: no $wanted: $(cat answer)" ;;
	esac
}

other_side() {
	program
	same "other" "$(./p xyz <in)"
	for options in "" "--back-end z3" "--back-end uncached" "--back-end rewrite,sat,z3"; do
		# shellcheck disable=SC2086
		{
			reaches "$(at 10 ' + ')" sum $options
			reaches "$(at 12 '*')" greater $options
			reaches "$(at 14 'stdin[8]')" equal $options
			solve_for "$(at 18)" $options
			contains "one two" "$(./p "$(cat new_argument)" <new_in)"
		}
	done
	solve_for "$(at 8 'argv[1][0]')"
	same "argv[1][0] 0x2d" "$(cat changes_hex)"
	program -xyz
	reaches "$(at 8 'argv[1][1]')" verbose
	program -vx
	reaches "$(at 16 'argv[1][2]')" exactly
	program -v 'heAlo there'
	reaches "$(at 16 'argv[1][2]')" exactly # the argument gets longer
	same 3 "$(wc -c <new_argument | tr -d ' ')"
}

length_changes() {
	program
	solve_for "$(at 10 'length(stdin)')"
	[ "$(wc -c <new_in)" -le 3 ] || die "$(cat answer)"
	program xyz he
	solve_for "$(at 10 'length(stdin)')"
	[ "$(wc -c <new_in)" -gt 3 ] || die "$(cat answer)"
}

all_at_once() { # every question: the same as one by one, and whoever answers
	program
	veer solve T >all
	contains "$(tail -n 2 all | head -n 1)" "$(grep -c -E '^[0-9]+ (sat|unsat|unknown)' all) queries: "
	contains "$(tail -n 1 all)" "time: rewrite "
	for back_end in z3 uncached; do
		veer solve --back-end $back_end T >other
		same "$(sed -n 's/^\([0-9]* [a-z]*\).*/\1/p' all | grep sat)" "$(sed -n 's/^\([0-9]* [a-z]*\).*/\1/p' other | grep sat)"
	done
	grep -E '^[0-9]+ (sat|unsat)' all | while read -r k answer _; do
		veer solve T --negate "$k" >one
		contains "$(sed -n 2p one)" "$answer: "
	done
	contains "$(cat all)" " unsat"
	grep -E '^[0-9]+ (sat|unsat)' all | head -n 12 | while read -r k answer _; do # the same for other solvers
		same "$answer" "$(veer solve T --negate "$k" --smt2 | z3 -in)"
	done
	same "$(veer solve T --negate 11 2>&1 | grep '^sat\|^unsat')" "$(veer solve --negate 11 T 2>&1 | grep '^sat\|^unsat')"
}

# fill ROUND: new don't-care bytes
fill() {
	sed -n 's/^relevant bytes ([a-z-]*): [^:]*: *//p' answer | tr ' ' '\n' | sed 's/\[0x\(.*\)\]$/[\1]/' >matter
	hex new_in >bytes
	awk -v round="$1" 'FILENAME == "matter" { keep[$1] = 1; next }
		{ i = FNR - 1; b = $1
		  if (!(("stdin[" i "]") in keep)) b = sprintf("%02x", (i * 37 + round * 101 + 17) % 256)
		  print b }' matter bytes | while read -r byte; do
		printf "\\$(printf %03o "0x$byte")"
	done >filled
}

scanner() { # all checks of a scanner's tables, as flex makes them, are decided without a SAT solver
	cat >scan.c <<'C'
#include <stdio.h>
/* Words, numbers and blanks; rows of four classes, packed as flex packs them: next[base[state] + class]. */
static const unsigned char class[256] = {
	['\t'] = 1, ['\n'] = 1, [' '] = 1, ['0'] = 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
	['a'] = 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3};
static const short base[5] = {0, 4, 8, 12, 16};
static const short next[20] = {4, 1, 2, 3, 4, 1, 4, 4, 4, 4, 2, 4, 4, 4, 3, 3, 4, 4, 4, 4};
static const short accept[5] = {0, 1, 2, 3, 0};
int main(void)
{
	unsigned char text[64];
	int n = (int)fread(text, 1, sizeof text - 1, stdin), tokens = 0;
	for (int at = 0; at < n;) {
		int state = 0, last = 0, end = at + 1;
		for (int i = at; i < n && base[state] != 16; i++) {
			state = next[base[state] + class[text[i]]];
			if (accept[state]) {
				last = state;
				end = i + 1;
			}
		}
		tokens += accept[last] != 0;
		at = end;
	}
	printf("%d tokens\n", tokens);
	return 0;
}
C
	veer-cc -w -O1 -g scan.c -o scan
	printf 'let x12 be 2048 and more' >in
	veer path --sym stdin --save T --events -- ./scan <in >events 2>/dev/null
	checks=$(grep -c '^[0-9]* check ' events)
	[ "$checks" -gt 200 ] || die "$checks checks"
	for event in $(sed -n 's/^\([0-9]*\) check .*/\1/p' events | awk 'NR % 20 == 1'); do
		ends 0 veer solve T --negate "$event"
		contains "$(cat out)" "unsat"
		contains "$(tail -n 1 out)" "rewrite "
		contains "$(tail -n 1 out)" "(1 solved), near 0.000 ms"
	done
}

dont_care() {
	program
	k=$(at 14 'stdin[8]')
	for method in none simplify words mixed dcc-plain lm-plain dcc lm justify ternary core prime; do
		reaches "$k" equal --dont-care "$method"
		if [ $method = none ]; then
			lacks "$(cat answer)" "relevant bytes"
			continue
		fi
		contains "$(cat answer)" "relevant bytes ($method): "
		# The path before it is kept: what is printed up to there is the same.
		before=$(./p "$(cat new_argument)" <new_in | sed '/^equal$/q')
		changed=0
		for round in 1 2 3 4 5; do
			fill $round
			cmp -s filled new_in || changed=$((changed + 1))
			same "$before" "$(./p "$(cat new_argument)" <filled | sed '/^equal$/q')"
		done
		case $method in
		words | mixed | ternary | prime | core | lm) [ $changed -eq 5 ] || die "$method: everything matters" ;;
		esac
	done
}

# kept EVENT: the relevant bytes there, without argc
kept() { solve_for "$@" && sed -n 's/^relevant bytes ([a-z]*): [^:]*: *//p' answer | tr ' ' '\n' | grep -v '^argc' | tr '\n' ' '; }

# gives EVENT: what is given at a line of p.c
gives() { grep -E "^[0-9]+ passed [^ ]*p\.c:$1:" events | sed 's/.*: //' | tr '\n' ';'; }

given() { # to functions without labels: no condition says that it matters
	cat >outside.c <<'C'
#include <stdarg.h>
#include <string.h>
int outside(const char *s, int n) { return (int)strlen(s) + n; }
int of_object(const void *p) { return ((const char *)p)[1] == 'q'; }
int wide(long double x, __int128 y) { return x > 1000 || y > 1000; }
int some(int n, ...)
{
	va_list l;
	va_start(l, n);
	n = va_arg(l, int);
	va_end(l);
	return n > 'u';
}
C
	cat >inside.c <<'C'
int inside(const char *s, int n, ...) { return s[0] == n; }
C
	cat >p.c <<'C'
#include <stdio.h>
#include <string.h>
int outside(const char *, int), of_object(const void *), wide(long double, __int128), some(int, ...);
int inside(const char *, int, ...);
int main(int argc, char **argv)
{
	char local[8] = "", (*a)[8] = &local;
	if (argc < 4)
		return 1;
	memcpy(*a + 1, argv[2], 2);
	if (inside(argv[3], argv[3][6], argv[3][7]))
		puts("inside");
	int n = outside(argv[1], 1);
	n += outside(argv[1] + 1, argv[3][0]);
	n += of_object(a);
	n += wide(argv[3][1], argv[3][2] - (__int128)1);
	n += some(1, argv[3][3]);
	if (n > 100)
		puts("more");
	if (argv[2][2] == 'y')
		puts("y");
	return 0;
}
C
	"$CLANG" -w -shared -fPIC outside.c -o liboutside.so
	veer-cc -w -O1 -g p.c inside.c -L. -loutside '-Wl,-rpath,$ORIGIN' -o p
	veer path --sym argv --self-check --save T --events -- ./p ab qrs hijklmno >events 2>err
	same "more" "$(grep -v '^veer: not modelled' err)"
	same "" "$(gives 11)" # it takes the labels
	same "argv[1][0] = 97;argv[1][1] = 98;argv[1][2] = 0;" "$(gives 13)"
	same "s32(argv[3][0]) = 104;" "$(gives 14)" # the rest was told
	same "argv[2][0] = 113;argv[2][1] = 114;" "$(gives 15)"
	same 4 "$(gives 16 | tr ';' '\n' | wc -l)"
	same "s32(argv[3][3]) = 107;" "$(gives 17)"
	argument=ab
	: >in
	same "argv[3][0] argv[3][6] " "$(kept "$(at 11)")" # what is given later does not count
	same "argv[1][0] argv[1][1] argv[1][2] argv[2][0] argv[2][1] argv[2][2] argv[3][0] argv[3][1] argv[3][2] argv[3][3] argv[3][6] " \
		"$(kept "$(at 20)")"
	lacks "$(cat answer)" "there may be"
	contains "$(veer solve T --negate "$(at 20)" --smt2)" "(check-sat)"
	lacks "$(veer solve T --negate "$(at 20)" --smt2)" "argv[1]" # it does not hold back a solution
}

number_of_arguments() { # shows in argv's last pointer, too
	cat >p.c <<'C'
#include <stdio.h>
int main(int argc, char **argv)
{
	if (argc < 2)
		return 1;
	while (*++argv)
		if (**argv == 'x')
			puts("x");
	return 0;
}
C
	veer-cc -w -O1 -g p.c -o p
	veer path --sym argv --save T --events -- ./p a b c >events 2>err
	veer solve T --negate "$(at 7 'argv[3][0]')" --hex >answer
	same "  ffffffff" "$(grep -A 2 '^input 0 count argc' answer | tail -n 1)"
}

given_more() { # than is told
	cat >outside.c <<'C'
int outside(const char *s) { return s[6000] == 'z'; }
C
	cat >p.c <<'C'
#include <stdio.h>
int outside(const char *);
static char text[8192];
int main(void)
{
	size_t n = fread(text, 1, sizeof text, stdin);
	if (n < sizeof text)
		return 1;
	for (int i = 0; i < 3; i++)
		if (outside(text))
			puts("z");
	if (text[7000] == 'y')
		puts("y");
	return 0;
}
C
	"$CLANG" -w -shared -fPIC outside.c -o liboutside.so
	veer-cc -w -O1 -g p.c -L. -loutside '-Wl,-rpath,$ORIGIN' -o p
	head -c 8192 /dev/zero | tr '\0' a >in
	veer path --sym stdin --save T --events -- ./p <in >events 2>err
	same 4097 "$(grep -c ' passed ' events)"
	same 1 "$(grep -c ' passed .*p.c:10:7 main: more than 4096 bytes' events)"
	veer solve T --negate "$(at 12)" >answer
	contains "$(cat answer)" "there may be more: "
	lacks "$(veer solve T --negate "$(at 7)")" "there may be more: "
}

wishes() { # what a solution looks like when nobody wishes for anything, and when somebody does
	cat >p.c <<'C'
#include <stdio.h>
int main(void)
{
	unsigned char b[8] = {0};
	size_t n = fread(b, 1, sizeof b, stdin);
	if ((unsigned char)(b[0] + b[1]) == 90)
		puts("sum");
	if (n + b[0] == 103)
		puts("length");
	if (b[2] > 127)
		puts("high");
	return 0;
}
C
	veer-cc -w -O1 -g p.c -o p
	printf 'aaaa' >in
	argument=
	veer path --sym stdin --save T --events -- ./p <in >events 2>err
	printable() { LC_ALL=C grep -q '^[ -~]*$' new_in; }
	reaches "$(at 6)" sum
	printable && die "printable without a wish"
	reaches "$(at 6)" sum --printable
	printable || die "not printable: $(cat answer)"
	reaches "$(at 8)" length
	same 6 "$(wc -c <new_in | tr -d ' ')"
	reaches "$(at 8)" length --keep-length
	same 4 "$(wc -c <new_in | tr -d ' ')"
	reaches "$(at 10)" high
	iconv -f UTF-8 -t UTF-8 new_in >/dev/null 2>&1 && die "UTF-8 without a wish"
	reaches "$(at 10)" high --utf8
	iconv -f UTF-8 -t UTF-8 new_in >/dev/null || die "not UTF-8: $(cat answer)"
	reaches "$(at 10)" high --printable # a wish that cannot be granted
	reaches "$(at 6)" sum --printable --keep-length --utf8
	printable || die "not printable: $(cat answer)"
}

pins() {
	program xyA
	k=$(at 12 '*')
	solve_for "$k" --pin stdin
	lacks "$(cat changes_hex)" stdin
	contains "$(./p "$(cat new_argument)" <new_in)" greater
	solve_for "$k" --pin 'argv[1]'
	lacks "$(cat changes_hex)" argv
	contains "$(./p "$(cat new_argument)" <new_in)" greater
	solve_for "$k" --pin 'argv[1],stdin'
	contains "$(cat answer)" "unsat: "
	ends 1 veer solve T --pin stdin,nobody
	one_line "$(cat err)"
	contains "$(cat err)" "--pin nobody: there is no such input"
	same "" "$(cat out)"
}

limits() { # a product of two numbers, both not small, is a prime: nobody can tell soon
	cat >h.c <<'C'
#include <stdint.h>
#include <stdio.h>
#include <string.h>
int main(void)
{
	uint32_t b[2] = {0};
	fread(b, 1, 8, stdin);
	if (b[0] > 1000 && b[1] > 1000 && (uint64_t)b[0] * b[1] == 9223372036854775783u)
		puts("found");
	return 0;
}
C
	veer-cc -w -O1 -g h.c -o h
	printf 'abcdefgh' >in
	veer path --sym stdin --save T --events -- ./h <in >events 2>err
	k=$(grep 'branch .*h.c:8:.*\*' events | cut -d' ' -f1)
	ends 1 veer solve T --negate "$k" --seconds 1
	contains "$(cat out)" "unknown: out of time"
	same "" "$(cat err)"
	ends 1 veer solve T --negate "$k" --conflicts 50 --back-end rewrite,slice,quick,sat
	contains "$(cat out)" "unknown: too many conflicts"
	ends 1 veer solve T --negate "$k" --seconds 20 --memory 1 --back-end rewrite,slice,quick,sat
	contains "$(cat out)" "unknown: out of memory"
	veer solve T --seconds 1 >out # among others: the rest has its answers
	contains "$(cat out)" "$k unknown out of time"
	contains "$(cat out)" ", 1 unknown"
}

# refused STATUS PART ARGUMENT...: one line, with this in it, and nothing else
refused() {
	wanted=$1 part=$2
	shift 2
	ends "$wanted" veer solve "$@"
	same "" "$(cat out)"
	one_line "$(cat err)"
	contains "$(cat err)" "veer: "
	contains "$(cat err)" "$part"
}

errors() {
	program
	refused 1 "nowhere: " nowhere
	refused 1 "p.c: not a trace" p.c
	refused 1 "." .
	: >empty
	refused 1 "empty: not a trace" empty
	head -c 70000 T >cut
	refused 1 "cut: not a trace" cut
	head -c 100 T >cut
	refused 1 "cut: not a trace" cut
	refused 1 "no such event" T --negate 100000
	refused 1 "no alternative" T --negate 0
	refused 2 "--negate wants a number" T --negate -1
	refused 2 "--negate wants a number" T --negate x
	refused 2 "--negate wants a value" T --negate
	refused 2 "no such method" T --dont-care most
	refused 2 "no such back end" T --back-end minisat
	refused 2 "no such back end" T --back-end ""
	refused 2 "no such back end" --back-end rewrite,,sat T
	refused 2 "no option --nothing" T --nothing
	refused 2 "which trace"
	refused 2 "which trace" --negate 3
	refused 2 "which trace" T T
	same 1 "$(grep -o 'see veer solve --help' err | wc -l)"
	contains "$(veer solve --help)" "usage: veer solve TRACE"
	ends 1 veer path --sym stdin --save /nowhere/T -- ./p x
	contains "$(cat err)" "/nowhere/T"
}

damaged() { # what is left of a trace is used, with a note; whatever is in it
	program
	size=$(wc -c <T)
	for round in $(seq 60); do
		cp T bad
		for part in 1 2 3; do
			offset=$(((round * 7919 * part + part * 4001) % (size - 300) + 200))
			printf "\\$(printf %03o $(((round * 31 + part * 97) % 256)))" | dd of=bad bs=1 seek=$offset conv=notrunc status=none
		done
		code=0
		timeout 20 veer solve bad >out 2>err || code=$?
		[ "$code" -le 1 ] || die "round $round: status $code: $(cat err)"
	done
	dd if=/dev/zero of=T bs=1 seek=70000 count=1000 conv=notrunc status=none
	code=0
	timeout 20 veer solve T >out 2>err || code=$?
	[ "$code" -le 1 ] || die "status $code: $(cat err)"
}

try "solutions take the other side" other_side
try "lengths change" length_changes
try "all questions" all_at_once
try "a scanner's checks" scanner
try "bytes that do not matter" dont_care
try "what is given to functions without labels" given
try "more is given than is told" given_more
try "the number of arguments" number_of_arguments
try "wishes" wishes
try "pinned inputs" pins
try "limits" limits
try "errors" errors
try "damaged traces" damaged
finish
