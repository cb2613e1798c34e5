#!/bin/sh
# veer path --sym: what programs get from outside is input, whichever way it comes in, and
# solutions of negated conditions, put back where it came from, lead elsewhere.
. "$(dirname "$0")/lib.sh"
PROGRAMS=$VEER_SOURCE/tests/programs

# traced SOURCES PROGRAM [ARGUMENT...]: `events` and `err` of a run with every node checked
traced() {
	sources=$1
	shift
	veer path --sym "$sources" --self-check --stats --events -- "$@" >events 2>err
	contains "$(cat err)" " 0 mismatches"
	lacks "$(cat err)" "signal"
	lacks "$(cat err)" "was full"
}

# solve SCRIPT: asks Z3; `answer` has the values
solve() {
	names=$(sed -n 's/^(declare-const \(i[0-9]*_[0-9]*\) .*/\1/p' "$1" | tr '\n' ' ')
	{ cat "$1"; echo "(get-value ($names))"; } >full.smt2
	z3 -T:20 full.smt2 >answer || true
	lacks "$(cat answer)" "error \"line" # of what is printed, nothing is unknown to Z3
	head -n 1 answer
}

# number NAME: of the input with this name
number() { grep -E '^[0-9]+ input ' events | grep -n -F " input $1, " | head -n 1 | cut -d: -f1 | awk '{ print $1 - 1 }'; }

# bytes NAME [WHAT]: the solution's bytes of an input; "text": up to the terminator, "number"
bytes() {
	LC_ALL=C awk -v content="$(number "$1")" -v length_of="$(number "length($1)")" -v what="${2:-}" '
		function hex(s) { return 16 * (index("0123456789abcdef", substr(s, 1, 1)) - 1) + index("0123456789abcdef", substr(s, 2, 1)) - 1 }
		/^; had / { # what is not in the solution stays as it was
			for (i = 0; 2 * i < length($4); i++)
				value[$3 "," i] = hex(substr($4, 2 * i + 1, 2))
			if ($3 == content) n = i
			next
		}
		{
			while (match($0, /\(i[0-9]+_[0-9]+ #x[0-9a-f]+\)/)) {
				word = substr($0, RSTART + 2, RLENGTH - 3)
				$0 = substr($0, RSTART + RLENGTH)
				split(word, part, /[_ ]/)
				value[part[1] "," part[2]] = hex(substr(part[3], 3))
				if (part[1] == content && part[2] + 1 > n) n = part[2] + 1
			}
		}
		function whole(i) { return value[i ",0"] + 256 * (value[i ",1"] + 256 * (value[i ",2"] + 256 * value[i ",3"])) }
		END {
			if (what == "number") { print whole(content); exit }
			if (length_of != "") n = whole(length_of)
			for (i = 0; i < n; i++) {
				if (what == "text" && value[content "," i] == 0) exit
				printf "%c", value[content "," i]
			}
		}' query.smt2 answer
}

# conditions: the events that can be asked for the other way
conditions() { grep -E '^[0-9]+ (branch|switch|select|concretised) ' events | cut -d' ' -f1; }

# run COMMAND...: the reader reads $input the way $way, below a command; $feed says from where
run() {
	case $feed in
	file) "$@" -- ./reader "$way" "$input" ;;
	stdin) "$@" -- ./reader "$way" - <"$input" ;;
	pipe) cat "$input" | "$@" -- ./reader "$way" - ;;
	esac
}

# reaches SOURCES NAME WANTED...: the reader's run has conditions whose negation leads to each
# of these, by what input NAME is in the solution
reaches() {
	sources=$1 name=$2
	shift 2
	printf hello >"$input"
	same "found other" "$(run env)"
	run veer path --sym "$sources" --self-check --stats --events >events 2>err
	contains "$(cat err)" " 0 mismatches"
	lacks "$(cat err)" "signal"
	lacks "$(cat events)" "not modelled"
	found=
	for k in $(conditions | head -n 1) $(conditions | sort -rn); do
		missing=
		for wanted; do
			case $found in *"$wanted"*) ;; *) missing=$wanted ;; esac
		done
		[ "$missing" ] || return 0
		run veer path --sym "$sources" --smt2 --negate "$k" >query.smt2 2>/dev/null || continue
		[ "$(solve query.smt2)" = sat ] || continue
		bytes "$name" >"$input"
		found="$found$(run env || true); "
		printf hello >"$input"
	done
	for wanted; do
		contains "$way: $found" "$wanted"
	done
}

# ways FEED SOURCES NAME WAY... [: WANTED...]
ways() {
	feed=$1 sources_of=$2 name_of=$3
	shift 3
	veer-cc -w -O1 -g "$PROGRAMS/reader.c" -o reader
	input=$PWD/in
	: >in
	for way; do
		case $feed in
		pipe) reaches "$sources_of" "$name_of" "found magic" "found more" ;;
		*) reaches "$sources_of" "$name_of" "found magic" "found more" "found nothing" ;;
		esac
	done
}

descriptors() { ways file "file:$PWD/in" "$PWD/in" read pieces pread readv preadv mmap stat statx lseek; }
streams() { ways file "file:$PWD/in" "$PWD/in" fread items fseek getc feof getc_unlocked macro peek ungetc; }
lines() { ways file "file:$PWD/in" "$PWD/in" fgets getline getdelim getwc; }
all_files() { ways file files "$PWD/in" pieces fgets lseek; }
standard_input() { ways stdin stdin stdin read getc getline peek mmap; }
pipes() { ways pipe stdin stdin pieces fread getc fgets getline; }

sockets() {
	veer-cc -w -O1 -g "$PROGRAMS/reader.c" -o reader
	input=$PWD/in feed=file way=recv
	reaches sock socket "found magic" "found more"
}

# --sym env: what the program asks for by its name, and no more; what it set itself is none of it.
asked_variables() {
	cat >p.c <<'C'
#include <stdio.h>
#include <stdlib.h>
int main(void) {
	char *asked = getenv("ASKED"), *own, *again = getenv("ASKED");
	setenv("OWN", "own", 1);
	own = getenv("OWN");
	if (asked && asked[0] == 'x') puts("asked");
	if (own && own[0] == 'x') puts("own");
	if (again && again[1] == 'x') puts("again");
	return 0;
}
C
	veer-cc -w -O1 -g p.c -o p
	ASKED=abc OTHER=x OWN=z && export ASKED OTHER OWN
	traced env ./p
	same "ASKED" "$(sed -n 's/^.*input \([A-Z]*\).*/\1/p' events | sort -u)"
	contains "$(cat events)" "ASKED[0]"
	contains "$(cat events)" "ASKED[1]"
	lacks "$(cat events)" OWN
	lacks "$(cat events)" OTHER
}

arguments() {
	cat >p.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv) {
	char *mode = getenv("MODE");
	if (argc == 4) puts("three");
	if (argc > 1 && strcmp(argv[1], "--help") == 0) puts("help");
	if (mode && strcmp(mode, "fast") == 0) puts("fast");
	return 0;
}
C
	veer-cc -w -O1 -g p.c -o p
	MODE=slow && export MODE
	traced argv,env:MODE ./p -x
	contains "$(cat events)" "(argc == 4) is 0"
	seen=
	for k in $(conditions); do
		veer path --sym argv,env:MODE --smt2 --negate "$k" -- ./p -x >query.smt2 2>/dev/null
		[ "$(solve query.smt2)" = sat ] || continue
		case $(sed -n "s/^$k //p" events) in
		*"(argc == "*) seen="$seen$(./p -x $(bytes argc number | awk '{ for (i = 2; i < $1; i++) print "a" i }')) " ;;
		*) seen="$seen$(MODE="$(bytes MODE text)" ./p "$(bytes 'argv[1]' text)") " ;;
		esac
	done
	contains "$seen" three
	contains "$seen" help
	contains "$seen" fast
}

nothing_there() { # an empty file, and no file at all, become longer
	veer-cc -w -O1 -g "$PROGRAMS/reader.c" -o reader
	for from in /dev/null empty; do
		: >empty
		veer path --sym stdin --self-check --events -- ./reader pieces - <$from >events 2>err
		contains "$(cat err)" "found nothing"
		k=$(conditions | head -n 1)
		veer path --sym stdin --smt2 --negate "$k" -- ./reader pieces - <$from >query.smt2 2>/dev/null
		same sat "$(solve query.smt2)"
		bytes stdin >in
		lacks "$(./reader pieces in)" "nothing"
	done
	veer path --sym stdin --self-check --stats --events -- ./reader read - <. >events 2>err
	contains "$(cat err)" " 0 mismatches"
	veer path --sym stdin --self-check --stats --events -- ./reader getc - <&- >events 2>err
	contains "$(cat err)" " 0 mismatches"
}

shared_input() { # others have read from it: offsets are the file's
	veer-cc -w -O1 -g "$PROGRAMS/reader.c" -o reader
	printf 'xxhello' >in
	{ dd bs=1 count=2 of=/dev/null status=none; veer path --sym stdin --self-check --events -- ./reader read - 2>err; } <in >events
	contains "$(cat err)" "found other"
	contains "$(cat events)" "stdin[2]"
	lacks "$(cat events)" "stdin[1]"
}

printed() { # lengths and counts are one name
	veer-cc -w -O1 -g "$PROGRAMS/reader.c" -o reader
	printf hello >in
	veer path --sym stdin,argv -- ./reader read - <in >out 2>err
	contains "$(cat out)" "length(stdin)"
	contains "$(cat out)" "argc"
	lacks "$(cat out)" "length(stdin)["
	lacks "$(cat out)" "argc["
}

large_file() { # what is behind the limit is concrete; the length is not
	cat >p.c <<'C'
#include <stdio.h>
int main(void) {
	static char text[3 << 20];
	size_t n = fread(text, 1, sizeof text, stdin);
	if (text[1000] == 'y') puts("early");
	if (text[1100000] == 'y') puts("late");
	if (n < 2000000) puts("short");
	return 0;
}
C
	veer-cc -w -O1 -g p.c -o p
	head -c 1500000 /dev/zero | tr '\0' x >in
	for feed in file pipe; do
		if [ $feed = file ]; then
			veer path --sym stdin --stats --events -- ./p <in >events 2>err
		else
			cat in | veer path --sym stdin --stats --events -- ./p >events 2>err
		fi
		contains "$(cat err)" "short"
		lacks "$(cat err)" "was full"
		contains "$(cat events)" "p.c:5:"
		lacks "$(cat events)" "p.c:6:"
		[ $feed = pipe ] || contains "$(cat events)" "p.c:7:"
	done
}

# A file that is opened for update holds what it held; what the program then writes there is its own.
updated() {
	cat >p.c <<'C'
#include <stdio.h>
int main(int argc, char **argv) {
	FILE *f = fopen(argv[1], "r+");
	putc('H', f);
	rewind(f);
	if (getc(f) == 'q') puts("own");
	if (getc(f) == 'q') puts("there");
	fclose(f);
	f = fopen(argv[1], "a+");
	fputs("more", f);
	rewind(f);
	if (getc(f) == 'r') puts("own");
	if (getc(f) == 'r') puts("there");
	fclose(f);
	return 0;
}
C
	veer-cc -w -O1 -g p.c -o p
	printf 'hello there' >in
	sleep 0.1
	traced files ./p in
	branches=$(grep ' branch ' events)
	contains "$branches" p.c:7:
	contains "$branches" p.c:13:
	lacks "$branches" p.c:6:
	lacks "$branches" p.c:12:
}

own_output() { # is no input, whatever its name
	cat >p.c <<'C'
#include <stdio.h>
#include <string.h>
static int first(const char *path) {
	FILE *f = fopen(path, "r");
	int c = getc(f);
	fclose(f);
	return c;
}
int main(int argc, char **argv) {
	if (first(argv[1]) == 'q') puts("before");
	FILE *f = fopen(argv[1], "w");
	fputs("written", f);
	fclose(f);
	if (first(argv[1]) == 'q') puts("after");
	f = fopen("fresh", "w+");
	fputs("made", f);
	rewind(f);
	if (getc(f) == 'q') puts("fresh");
	fclose(f);
	return 0;
}
C
	veer-cc -w -O1 -g p.c -o p
	printf 'hello there' >in
	for sources in files "file:$PWD/in"; do
		traced "$sources" ./p in
		grep -q ' branch .*p.c:10:' events || die "the file is no input"
		lacks "$(grep ' branch ' events)" "p.c:14:"
		lacks "$(grep ' branch ' events)" "p.c:18:"
		sleep 0.1
		printf 'hello there' >in
		sleep 0.1
	done
	printf 'late' >late # there already, and then written before it is read
	cat >q.c <<'C'
#include <stdio.h>
int main(void) {
	FILE *f = fopen("late", "w");
	fputs("other", f);
	fclose(f);
	f = fopen("late", "r");
	if (getc(f) == 'q') puts("late");
	return 0;
}
C
	veer-cc -w -O1 -g q.c -o q
	sleep 0.1
	traced "file:$PWD/late" ./q
	lacks "$(grep ' branch ' events)" "q.c:7:"
}

any_order() { # bytes are the same nodes in whichever order, and however often, they are read
	cat >p.c <<'C'
#include <fcntl.h>
#include <unistd.h>
int main(int argc, char **argv) {
	unsigned char b[16];
	int fd = open("in", O_RDONLY), sum = 0;
	for (const char *p = argv[1]; *p; p++)
		if (pread(fd, b + (*p - '0') * 4, 4, (*p - '0') * 4) != 4)
			return 1;
	for (int i = 0; i < 16; i++)
		sum += b[i] == 'x';
	return sum > 3;
}
C
	printf 0123456789abcdef >in
	veer-cc -g -O1 p.c -o p
	for order in 0123 3210 10231 203102313; do
		traced "file:$PWD/in" ./p $order
		sed -n 's/^veer: \([0-9]* nodes\),.*/\1/p' err >>nodes
	done
	one_line "$(uniq nodes)"
}

from_the_end() { # what is read from there is only as long as the file stays as long
	cat >p.c <<'C'
#include <stdio.h>
#include <unistd.h>
int main(void) {
	char tail[4];
	lseek(0, -4, SEEK_END);
	if (read(0, tail, 4) == 4 && tail[0] == '!') puts("mark");
	return 0;
}
C
	veer-cc -w -O1 -g p.c -o p
	printf 'hello there' >in
	traced stdin ./p <in
	contains "$(cat events)" "(position in a file)"
	k=$(grep 'p.c:6:.*stdin\[7\]' events | cut -d' ' -f1)
	veer path --sym stdin --smt2 --negate "$k" -- ./p <in >query.smt2 2>/dev/null
	same sat "$(solve query.smt2)"
	bytes stdin >new
	same mark "$(./p <new)"
}

threads() { # several streams at once
	cat >p.c <<'C'
#include <pthread.h>
#include <stdio.h>
static void *work(void *path) {
	long sum = 0;
	for (int k = 0; k < 20; k++) {
		FILE *f = fopen(path, "r");
		for (int c; (c = getc(f)) != EOF;)
			sum += c == 'x';
		fclose(f);
	}
	return (void *)sum;
}
int main(int argc, char **argv) {
	pthread_t t[4];
	for (int i = 0; i < 4; i++) pthread_create(&t[i], NULL, work, argv[1 + i % 2]);
	for (int i = 0; i < 4; i++) pthread_join(t[i], NULL);
	puts("done");
	return 0;
}
C
	veer-cc -w -O1 -g p.c -o p -lpthread
	seq 100 >one
	seq 50 >two
	traced "file:$PWD/one,file:$PWD/two" ./p one two
	contains "$(cat err)" done
	contains "$(cat events)" "two[3]"
}

looked_into() { # a stream whose buffer the program looks into, and that others read, too
	cat >native.c <<'C'
#include <stdio.h>
int skip_line(void) {
	int c;
	while ((c = getchar()) != EOF && c != '\n') {}
	return c;
}
C
	cat >p.c <<'C'
#include <stdio.h>
extern int skip_line(void);
static void show(const char *when) {
	if (stdin->_IO_read_end - stdin->_IO_read_ptr > 7) printf("%s: more than 7\n", when);
	else printf("%s: %d\n", when, (int)(stdin->_IO_read_end - stdin->_IO_read_ptr));
}
int main(void) {
	show("start");
	int c = getchar();
	show("getchar");
	ungetc('x', stdin);
	show("ungetc");
	if (getchar() == 'x') show("again");
	stdin->_IO_read_ptr += stdin->_IO_read_end - stdin->_IO_read_ptr > 4 ? 4 : 0;
	if (getchar() == 'n') show("moved");
	skip_line();
	show("skipped");
	fseek(stdin, 2, SEEK_SET);
	show("fseek");
	while (skip_line() != EOF) {}
	show("end");
	fclose(stdin);
	return c;
}
C
	"$CLANG" -c native.c
	veer-cc -w -O1 -g p.c native.o -o p
	seq -s ' line
' 2000 >in
	for n in 0 1 3 6 9 40 4096 4097 9000; do
		head -c $n in >cut
		./p <cut >want || :
		traced stdin ./p <cut
		same "$(cat want)" "$(grep -a : err | grep -v '^veer')"
	done
	contains "$(cat events)" "length(stdin)"
}

unloaded() { # variables of a library that is gone are not looked for
	cat >l.c <<'C'
char table[100] = "abc";
int first(int i) { return table[i]; }
C
	cat >p.c <<'C'
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv)
{
	void *library = dlopen("./l.so", RTLD_NOW);
	int (*first)(int) = (int (*)(int))dlsym(library, "first");
	char *copy = strdup(argv[1]);
	int r = first(argv[1][0] - 'a');
	dlclose(library);
	free(copy);
	puts(r == 'b' ? "b" : argv[1][1] == 'x' ? "x" : "no");
	return 0;
}
C
	veer-cc -g -O1 -shared -fPIC l.c -o l.so
	veer-cc -g -O1 p.c -o p -ldl
	same b "$(veer run --variant traced --sym argv --self-check -- ./p bx 2>err)"
	contains "$(cat err)" " 0 mismatches"
	contains "$(veer path --sym argv --events -- ./p bx 2>/dev/null)" "[table, 100 bytes]"
}

terabytes() { # labels of what is unmapped go, however much that is
	cat >p.c <<'C'
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
int main(int argc, char **argv)
{
	size_t size = (size_t)1 << 40;
	char *p = mmap(0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED)
		return puts("no room");
	strcpy(p + size / 2, argv[1]);
	munmap(p, size);
	p = mmap(p, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
	return puts(p[size / 2] ? "old" : "new") < 0;
}
C
	veer-cc -g -O1 -w p.c -o p
	native=$(./p x)
	same "$native" "$(veer run --variant traced --sym argv --self-check -- ./p x 2>err)"
	contains "$(cat err)" " 0 mismatches"
	[ "$native" = "no room" ] || lacks "$(veer path --sym argv -- ./p x 2>/dev/null)" "p.c:13"
}

try "a library that is unloaded" unloaded
try "terabytes" terabytes
try "files by descriptor" descriptors
try "files by stream" streams
try "lines" lines
try "all files" all_files
try "standard input is a file" standard_input
try "standard input is a pipe" pipes
try "sockets" sockets
try "arguments and environment" arguments
try "variables that are asked for" asked_variables
try "nothing there" nothing_there
try "a shared standard input" shared_input
try "how lengths are printed" printed
try "more than the limit" large_file
try "files that are updated" updated
try "a program's own output" own_output
try "from the end of a file" from_the_end
try "bytes in any order" any_order
try "threads" threads
try "programs that look into streams" looked_into
finish
