#!/bin/sh
# The traced variant: same behaviour, exact labels, right path conditions.
. "$(dirname "$0")/lib.sh"
COMPARISON=$(column 6 8)
PROGRAMS=$VEER_SOURCE/tests/programs
INCLUDE=$VEER_SOURCE/include

build() { # source, options...
	source=$1
	shift
	veer-cc -w -O1 -I"$INCLUDE" "$@" "$PROGRAMS/$source.c" -o "$source" -lm
}

all_kinds() { # every kind of C carries labels, and every node is right
	build kinds -std=gnu2x
	native=$(./kinds)
	same "$native" "$(veer run --variant traced -- ./kinds)"
	veer path --self-check --stats --events -- ./kinds >events 2>err
	same "$native" "$(head -n 1 err)"
	contains "$(cat err)" " 0 mismatches"
	lacks "$(cat err)" "signal"
	lines=$(grep -nE '^[[:space:]]+BRANCH\(' "$PROGRAMS/kinds.c" | cut -d: -f1)
	[ "$(echo "$lines" | wc -l)" -gt 50 ]
	for line in $lines; do
		grep -qE " (branch|select) .*kinds.c:$line:" events || die "no condition recorded for line $line"
	done
	same 1 "$(grep -c 'not traced .* assembler:' events)"
	same 1 "$(grep -c 'not traced' events)"
}

other_levels() { # the native program's own optimisation does not matter
	for level in -O0 -O2 -O3; do
		build kinds -std=gnu2x $level
		veer path --self-check --stats -- ./kinds >path 2>err
		contains "$(cat err)" " 0 mismatches"
		same "$(./kinds)" "$(head -n 1 err)"
	done
}

objects() { # bounds of globals, locals behind pointers, heap blocks with labelled sizes, mappings
	build objects
	same "$(./objects)" "$(veer run --variant traced -- ./objects)"
	veer path --self-check --stats --events -- ./objects >events 2>err
	contains "$(cat err)" " 0 mismatches"
	same "$(./objects)" "$(head -n 1 err)"
	line() { grep -n "// $1\$" "$PROGRAMS/objects.c" | cut -d: -f1; } # by the comment there
	made() { echo "allocated at $PROGRAMS/objects.c:$(line "$1")]"; }
	check() { # line, object, number of times
		same "$3" "$(grep -F " check $PROGRAMS/objects.c:$(line "$1"):" events | grep -cF "$2")"
	}
	far="behind a pointer"
	n='n[3]:n[2]:n[1]:n[0]'
	check "$far" "<=u 15) = 1 [buf of main, 16 bytes]" 2 # before and after longjmp
	check "$far" "<=u 31) = 1 [global, 32 bytes]" 1
	check "$far" "<=u 11) = 1 [string literal, 12 bytes]" 1
	check "$far" "[heap block, 40 bytes = u64($n), $(made malloc)" 1
	check store "[heap block, 40 bytes" 1
	check "$far" "[heap block, 100 bytes = u64(($n + 60)), $(made realloc)" 1
	check product "[heap block, 80 bytes = (u64($n) * 2), $(made calloc)" 1
	check "$far" "[heap block, 80 bytes = (u64($n) * 2), $(made again)" 1 # of the same size, in the same place
	check "$far" "<=u 7) = 1 [small of around_inlined, 8 bytes]" 1
	check "$far" "<=u 699) = 1 [large of around_inlined, 700 bytes]" 1
	check "while returning" ") = 1 [alloca of returned, 20 bytes = u64(($n /u 2))]" 1
	check "$far" "[vla of scopes, 40 bytes = u64($n)]" 1
	check "$far" "[vla of scopes, 41 bytes = u64(($n + 1))]" 1
	check vla "[vla of scopes, 40 bytes = u64($n)]" 1
	check "$far" "[table of scopes, 120 bytes = (3 * u64($n))]" 2
	check "$far" "[alloca of scopes, 40 bytes = u64($n)]" 1
	check "$far" "[alloca of scopes, 33 bytes]" 1
	check "$far" "[before of jumps, 40 bytes = u64($n)]" 1
	check "$far" "[mapping, 4096 bytes = ((u64((100 * $n)) + 4095) & -4096), $(made map)" 1
	check "$far" "<=u 20479) = 1 [mapping, 20480 bytes" 1
	check "$far" "<=u 4095) = 1 [mapping, 4096 bytes, allocated at" 1    # in front of the hole
	check "$far" "<=u 12287) = 1 [mapping, 12288 bytes, allocated at" 1  # behind it
	check "$far" "[mapping, 36864 bytes, $(made remap)" 1
	grep -qF "objects.c:$(line 'labels move along'):" events || die "no label after mremap"
	for place in "fresh pages" "nothing is left"; do
		grep -F "objects.c:$(line "$place"):" events | grep -q branch && die "a label: $place"
	done
	lacks "$(cat events)" "not modelled"
}

signals() { # handlers between calls and their labels
	build signals
	same done "$(./signals)"
	veer path --self-check --stats -- ./signals >path 2>err
	same done "$(head -n 1 err)"
	contains "$(cat err)" " 0 mismatches"
	lacks "$(cat err)" lost
}

stacks() { # the calls that led to an event
	cat >k.c <<'C'
#include "veer.h"
static int twice(int x) {
	if (x > 3)
		return 1;
	return twice(x + 1);
}
int main(void) {
	int x = 3;
	if (veer_make_symbolic) veer_make_symbolic(&x, sizeof x, "x");
	return twice(x);
}
C
	veer-cc -O2 -I"$INCLUDE" k.c -o k
	veer path --stacks -- ./k 2>err | grep -v libc_start >path
	lacks "$(cat err)" veer:
	cat >expected <<END
$PWD/k.c:3:$COMPARISON twice: (3 < x[3]:x[2]:x[1]:x[0]) is 0
    called from $PWD/k.c:10 main
$PWD/k.c:3:$COMPARISON twice: (3 < (x[3]:x[2]:x[1]:x[0] + 1)) is 1
    called from $PWD/k.c:5 twice
    called from $PWD/k.c:10 main
END
	same "$(cat expected)" "$(cat path)"
}

many_stacks() { # each of 512 ways through a tree of calls is a stack of its own, once and again
	cat >m.c <<'C'
#include "veer.h"
static __attribute__((noinline)) int tree(int x, int depth) {
	if (!depth) {
		if (x > 3)
			return 1;
		return 0;
	}
	int left = tree(x, depth - 1);
	int right = tree(x, depth - 1);
	return left + right;
}
int main(void) {
	int x = 3;
	if (veer_make_symbolic) veer_make_symbolic(&x, sizeof x, "x");
	for (int i = 0; i < 2; i++)
		if (tree(x, 9))
			return 1;
	return 0;
}
C
	veer-cc -O1 -I"$INCLUDE" m.c -o m
	veer path --stacks -- ./m 2>err | grep -v libc_start >path
	lacks "$(cat err)" veer:
	awk '/^ / { s = s $3; n++; next } s { print n, s } { s = ""; n = 0 } END { print n, s }' path | grep "^10 " |
		sort | uniq -c | awk '{ print $1, $2 }' | sort | uniq -c >ways
	same "512 2 10" "$(awk '{ print $1, $2, $3 }' ways)"
}

page_borders() { # labels of members and of unaligned words that begin in a page without any
	cat >b.c <<'C'
#include <stdlib.h>
#include <string.h>
#include "veer.h"
struct wide {
	char before[3000];
	char member;
};
static unsigned char in[2] = {1, 2};
int main(void) {
	unsigned char *page = aligned_alloc(4096, 5 * 4096);
	memset(page, 0, 5 * 4096);
	if (veer_make_symbolic) veer_make_symbolic(in, sizeof in, "in");
	page[3 * 4096] = in[0];
	page[2 * 4096] = in[1];
	unsigned word[4];
	char member[4];
	for (int i = 1; i <= 3; i++) { // the first time round the accesses are logged
		memcpy(&word[i], page + i * 4096 - 3, sizeof *word);
		member[i] = ((struct wide *)(page + i * 4096 - 3000))->member;
	}
	for (int i = 1; i <= 3; i++)
		if (word[i] == 7 || member[i] == 'z')
			return 1;
	return 0;
}
C
	veer-cc -O1 -I"$INCLUDE" b.c -o b
	veer path --self-check -- ./b >path 2>err
	lacks "$(cat err)" veer:
	for i in 1 0; do
		same 2 "$(grep -c "in\[$i\]" path)"
	done
}

clean_start() { # nothing of the runtime's own start is left over
	cat >e.c <<'C'
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
int main(void) {
	int first = errno;
	char *p = malloc(100000);
	printf("%d %d\n", first, errno);
	free(p);
	return 0;
}
C
	veer-cc e.c -o e
	for variant in sanitized traced; do
		same "0 0" "$(veer run --variant $variant -- ./e)"
	done
	same "0 0" "$(veer path -- ./e 2>&1 | head -n 1)"
}

fork_server() { # each run starts afresh, and the program sees nothing of it
	cat >s.c <<'C'
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "veer.h"
static int runs;
int main(void) {
	int x = 3, error = errno;
	cpu_set_t cpus;
	sched_getaffinity(0, sizeof cpus, &cpus);
	if (veer_make_symbolic) veer_make_symbolic(&x, sizeof x, "x");
	printf("error %d, %d processors, ", error, CPU_COUNT(&cpus));
	printf("run %d, descriptor %d, %s%s\n", ++runs, dup(0), getenv("LD_BIND_NOW") ? "bound" : "lazy", x > 5 ? ", big" : "");
	return 0;
}
C
	veer-cc -I"$INCLUDE" s.c -o s
	native=$(./s)
	printf '\011\0\0\0' >input
	veer path --repeat 20 --stats --input input -- ./s >path 2>err
	same "$PWD/s.c:15:100 main: (5 < x[3]:x[2]:x[1]:x[0]) is 1" "$(cat path)"
	same 20 "$(grep -cxF "$native, big" err)"
	contains "$(cat err)" "veer: 20 runs, "
	if veer path --repeat 3 -- ./none >out 2>err; then die "a program that is not there"; fi
	same "veer: cannot run ./none: there is no such program" "$(cat err)"
	if veer path --repeat 3 -- true >out 2>err; then die "a program without bitcode"; fi
	same 1 "$(wc -l <err)"
}

fork_server_libraries() { # variants of those too, also of what they need; the program does not see how
	cat >low.c <<'C'
int low(unsigned x) { return x > 3 ? 2 : 1; }
C
	cat >high.c <<'C'
int low(unsigned x);
static const int table[8] = {1, 2, 3, 4, 5, 6, 7, 8};
int high(unsigned x) { return table[x] * low(x); }
C
	cat >p.c <<'C'
#include <stdio.h>
#include <string.h>
#include "veer.h"
int high(unsigned x);
int main(int argc, char **argv, char **envp) {
	unsigned x = 5;
	if (veer_make_symbolic) veer_make_symbolic(&x, sizeof x, "x");
	if (high(x) == 12) puts("twelve");
	for (; *envp; envp++)
		if (strncmp(*envp, "LD_", 3) == 0) puts(*envp);
	return 0;
}
C
	mkdir lib
	veer-cc -fPIC -shared low.c -o lib/liblow.so
	veer-cc -fPIC -shared high.c -Llib -llow -Wl,-rpath,"\$ORIGIN" -Wl,-soname,libhigh.so.1 -o lib/libhigh.so.1
	ln -s libhigh.so.1 lib/libhigh.so
	veer-cc -I"$INCLUDE" p.c -Llib -lhigh -Wl,-rpath,"\$ORIGIN/lib" -Wl,-rpath-link,lib -o p
	conditions() { sed -E 's/0x7[0-9a-f]{11}/ADDRESS/g' | grep -v ' access '; }
	veer path --events -- ./p 2>/dev/null | conditions >once
	contains "$(cat once)" "low.c:1:"
	contains "$(cat once)" "[table, 32 bytes]"
	veer path --events --self-check --stats --repeat 3 -- ./p 2>err | conditions >often
	same "$(cat once)" "$(cat often)"
	contains "$(cat err)" " 0 mismatches"
	same "twelve twelve twelve" "$(grep -v ^veer: err | tr '\n' ' ' | sed 's/ $//')"
	LD_LIBRARY_PATH=/nowhere:/else veer path --repeat 1 -- ./p 2>err | conditions >often
	same "twelve
LD_LIBRARY_PATH=/nowhere:/else" "$(cat err)"
	# folders that the program insists on
	veer-cc -I"$INCLUDE" p.c -Llib -lhigh -Wl,-rpath,"$PWD/lib",--disable-new-dtags -Wl,-rpath-link,lib -o p
	veer path --repeat 1 -- ./p >often 2>err
	contains "$(cat err)" "veer: $PWD/lib/libhigh.so.1 runs natively: it is found by DT_RPATH"
	contains "$(cat err)" twelve
	veer-cc -I"$INCLUDE" p.c lib/liblow.so lib/libhigh.so -Wl,-rpath,"$PWD/lib" -o p
	veer path --repeat 1 -- ./p >often 2>err
	contains "$(cat err)" "veer: lib/liblow.so runs natively: the program names its folder"
	contains "$(cat err)" "veer: what $PWD/./p loads runs natively: with variants" # it has another name in libhigh
	contains "$(cat err)" twelve
}

source_terms() {
	cat >p.c <<'C'
#include "veer.h"
int main(void) {
	unsigned char c = 'x';
	if (veer_make_symbolic) veer_make_symbolic(&c, 1, "c");
	if (c > 'a')
		return 1;
	return 0;
}
C
	veer-cc -I"$INCLUDE" p.c -o p
	same "$PWD/p.c:5:$COMPARISON main: (97 < u32(c[0])) is 1" "$(veer path -- ./p)"
	printf A >input
	same "$PWD/p.c:5:$COMPARISON main: (97 < u32(c[0])) is 0" "$(veer path --input input -- ./p)"
	contains "$(veer path --smt2 -- ./p)" "(assert (= n"
}

actual_input_satisfies() {
	build flips
	veer path --smt2 -- ./flips 2>/dev/null >path.smt2
	printf 'GET /a=12;x\000\003\000\000\000' >bytes
	i=0
	{
		grep -v check-sat path.smt2
		od -An -v -tx1 -w1 bytes | while read -r hex; do
			if [ $i -lt 12 ]; then echo "(assert (= i0_$i #x$hex))"; else echo "(assert (= i1_$((i - 12)) #x$hex))"; fi
			i=$((i + 1))
		done
		echo "(check-sat)"
	} >given.smt2
	same sat "$(z3 given.smt2)"
}

other_sides() {
	other_sides_of flips 12
	other_sides_of chars 15
}

other_sides_of() { # program, satisfiable conditions: the solution of a negated one takes the other side
	build "$1"
	veer path --events -- "./$1" 2>/dev/null >events
	sat=0 right=0 wrong=
	for k in $(grep -E '^[0-9]+ (branch|switch|select) ' events | cut -d' ' -f1); do
		veer path --smt2 --negate "$k" -- "./$1" 2>/dev/null >query.smt2
		[ "$(solve query.smt2 solution)" = sat ] || continue
		sat=$((sat + 1))
		veer path --self-check --events --input solution -- "./$1" 2>/dev/null >after
		# same place, other value; expressions may have addresses in them
		before=$(sed -n "s/^$k //p" events | sed 's/0x[0-9a-f]\{12\}\b//g')
		now=$(sed -n "s/^$k //p" after | sed 's/0x[0-9a-f]\{12\}\b//g')
		if [ "${before%% is *}" = "${now%% is *}" ] && [ "$before" != "$now" ]; then
			right=$((right + 1))
		elif [ "${before%:*}" = "${now%:*}" ] && [ "$before" != "$now" ]; then
			right=$((right + 1)) # a switch: the value differs
		else
			wrong="$wrong $k"
		fi
	done
	[ "$sat" -ge "$2" ] || die "$1: only $sat of the negated conditions are satisfiable"
	[ -z "$wrong" ] || die "$1: took the same side at events:$wrong ($right of $sat are right)"
}

random_programs() { # csmith: traced output equals native output, every node checked
	for seed in 3 5 6 7 8 104; do
		csmith --seed $seed --no-packed-struct --float >p.c
		# every global that holds no pointer becomes symbolic
		names=$(sed -nE 's/^static (volatile )?((struct|union) [A-Z0-9]+|u?int[0-9]+_t|float|double) (g_[0-9]+)(\[[0-9]+\])* = .*/\4/p' p.c)
		for name in $names; do
			echo "if (veer_make_symbolic) veer_make_symbolic((void *)&$name, sizeof $name, \"$name\");"
		done >symbolic.h
		sed -i -e '1i #include "veer.h"' -e 's/^    platform_main_begin();/#include "symbolic.h"\n&/' p.c
		veer-cc -w -Wno-incompatible-pointer-types -O1 -I. -I"$INCLUDE" -I/usr/include/csmith -I/usr/include/csmith-2.3.0 p.c -o p
		veer path --self-check --stats -- ./p 2>err >/dev/null
		same "$(./p)" "$(grep ^checksum err)"
		contains "$(cat err)" " 0 mismatches"
		lacks "$(cat err)" "was full"
	done
}

little_memory() {
	build kinds -std=gnu2x
	same "$(./kinds)" "$(ulimit -v 4000000; veer run --variant traced -- ./kinds)"
	(ulimit -v 4000000; veer path --stats -- ./kinds >path 2>err)
	contains "$(cat err)" " 0 mismatches"
}

hostile_program() { # scribbles over its trace: veer neither crashes nor hangs
	build hostile
	for start in 0 8 16 40 72 4096 65536 100000 196608; do
		for step in 1 8 4097; do
			code=0
			timeout 60 veer path --events -- ./hostile $start $step >out 2>err || code=$?
			[ $code -le 1 ] || die "status $code with start $start, step $step: $(tail -n 2 err)"
			code=0
			timeout 60 veer path --smt2 -- ./hostile $start $step >out 2>err || code=$?
			[ $code -le 1 ] || die "status $code with start $start, step $step: $(tail -n 2 err)"
		done
	done
}

threads_and_forks() {
	cat >p.c <<'C'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include "veer.h"
static unsigned v[64];
static _Atomic int hits;
static void *work(void *arg) {
	unsigned k = (unsigned)(long)arg;
	for (unsigned i = 0; i < 64; i++)
		for (unsigned j = 0; j < 50; j++)
			if ((v[i] + j) * (k + 1) % 7 == 3) hits++;
	return NULL;
}
int main(void) {
	pthread_t t[4];
	for (unsigned i = 0; i < 64; i++) v[i] = i * i;
	if (veer_make_symbolic) veer_make_symbolic(v, sizeof v, "v");
	for (long i = 0; i < 4; i++) pthread_create(&t[i], 0, work, (void *)i);
	for (int i = 0; i < 4; i++) pthread_join(t[i], 0);
	if (fork() == 0) { work((void *)5); _exit(v[1] > 3); }
	int status;
	wait(&status);
	printf("%d %d\n", hits, status);
	return 0;
}
C
	veer-cc -O1 -I"$INCLUDE" p.c -pthread -o p
	native=$(./p)
	for i in 1 2 3; do
		veer path --self-check --stats --events -- ./p >events 2>err
		same "$native" "$(head -n 1 err)"
		contains "$(cat err)" " 0 mismatches"
		same 12800 "$(grep -c ' branch ' events)" # the child's are not in it
	done
}

many_blocks() { # on the heap, over many megabytes, some of them gone: each access has its own
	cat >p.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include "veer.h"
enum { N = 400 };
static char *p[N];
int main(void) {
	unsigned i = 3, sum = 0;
	for (unsigned k = 0; k < N; k++) p[k] = calloc(1, k % 3 ? 1000 + k : 100000 + k);
	for (unsigned k = 0; k < N; k += 2) free(p[k]); // some pages of the heap are left with nothing
	for (unsigned k = 0; k < N - 100; k += 3) if (k % 2) free(p[k]);
	if (veer_make_symbolic) veer_make_symbolic(&i, sizeof i, "i");
	for (unsigned k = 1; k < N; k += 2)
		if (k % 3 || k > N - 100) sum += (unsigned char)p[k][i] == k;
	printf("%u\n", sum);
	return 0;
}
C
	veer-cc -g -O1 -I"$INCLUDE" p.c -o p
	veer path --self-check --stats --events -- ./p >events 2>err
	contains "$(cat err)" " 0 mismatches"
	for k in 1 5 199 303 305 309 399; do
		size=$((k % 3 ? 1000 + k : 100000 + k))
		same 1 "$(grep ' check ' events | grep -c "heap block, $size bytes")"
	done
}

old_labels() { # of the stack are gone where variadic arguments are put
	build variadic
	veer path --sym argv --self-check --stats -- ./variadic abcd >path 2>err
	contains "$(cat err)" "64 55"
	contains "$(cat err)" " 0 mismatches"
}

try "all kinds of C, self-check on" all_kinds
try "variadic arguments on the stack" old_labels
try "whatever the native optimisation" other_levels
try "objects and their bounds" objects
try "many blocks on the heap" many_blocks
try "signal handlers" signals
try "calls that led to an event" stacks
try "many ways that lead to an event" many_stacks
try "labels across borders of pages" page_borders
try "errno at the start" clean_start
try "fork server" fork_server
try "fork server: libraries" fork_server_libraries
try "path conditions in source terms" source_terms
try "the actual input satisfies the path condition" actual_input_satisfies
try "solutions of negated conditions take the other side" other_sides
try "random programs" random_programs
try "under ulimit -v" little_memory
try "a program that destroys its trace" hostile_program
try "threads and fork" threads_and_forks
finish
