#!/bin/sh
# Inputs of other tools, in and out: docs/INTEROP.md.
. "$(dirname "$0")/lib.sh"

cat >"$SCRATCH/parser.c" <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv)
{
	char b[64];
	FILE *f = argc > 1 ? fopen(argv[1], "r") : stdin;
	if (!f)
		return 9;
	size_t n = fread(b, 1, sizeof b, f);
	if (n < 8 || memcmp(b, "GIF8", 4) != 0)
		return 1;
	if (b[6] != '!')
		return 2;
	char *p = malloc(100);
	p[(unsigned char)b[7]] = 1;
	free(p);
	return 3;
}
END
cat >"$SCRATCH/objects.c" <<'END'
#include <klee/klee.h>
#include <stdlib.h>
struct point { short x; unsigned char tag[4]; long y; struct { float f; int k; } in; };
int main(void)
{
	struct point p = {0};
	unsigned n = 1;
	klee_make_symbolic(&p, sizeof p, "p");
	klee_make_symbolic(&n, sizeof n, "n");
	if (p.x == -5 && p.tag[2] == 'k' && p.in.k == 1000000) {
		int *m = malloc(16);
		m[n > 40 ? 4 : 0] = 1;
		free(m);
		return 4;
	}
	return 0;
}
END
cat >"$SCRATCH/values.c" <<'END'
int __VERIFIER_nondet_int(void);
unsigned char __VERIFIER_nondet_uchar(void);
int main(void)
{
	if (__VERIFIER_nondet_int() != -70000)
		return 3;
	if (__VERIFIER_nondet_uchar() != 200)
		return 4;
	return 5;
}
END
cat >"$SCRATCH/target.c" <<'END'
#include <stdint.h>
#include <stdlib.h>
int LLVMFuzzerTestOneInput(const uint8_t *d, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *d, size_t n)
{
	if (n > 6 && d[0] == 'F' && d[1] == 'U' && d[2] == 'Z' && d[5] == 0x80)
		abort();
	return 0;
}
END
for name in parser objects values target; do
	veer-cc -g -O1 "$SCRATCH/$name.c" -o "$SCRATCH/$name" || exit 1
done

# sanitized SOURCE OUT: as a user builds it, without veer
sanitized() {
	"$LLVM/clang" -w -g -fsanitize=address,undefined -I"$VEER_SOURCE/include" "$1" -o "$2"
}

# be32 NUMBER: four bytes, the highest first
be32() { printf '%b' "$(printf '\\0%03o\\0%03o\\0%03o\\0%03o' $(($1 >> 24 & 255)) $(($1 >> 16 & 255)) $(($1 >> 8 & 255)) $(($1 & 255)))"; }
text() { be32 ${#1}; printf %s "$1"; }

# ktest NAME SIZE BYTES...: bytes as for printf %b
ktest() {
	printf KTEST; be32 3; be32 1; text prog; be32 0; be32 0; be32 $(($# / 3))
	while [ $# -gt 0 ]; do
		text "$1"; be32 "$2"; printf '%b' "$3"
		shift 3
	done
}

P='\0373\0377\0000\0000k\0000\0000\0000\0000\0000\0000\0000\0000\0000\0000\0000\0000\0000\0000\0000\0100\0102\0017\0000'

# --- in ---------------------------------------------------------------------------------------

replays() {
	mkdir -p afl/main/queue afl/main/crashes plain
	printf 'GIF8xx!\001' >afl/main/queue/id:000000,orig:a
	printf 'GIF8xx!\377' >afl/main/crashes/id:000000,sig:06,src:000000
	printf 'Command line' >afl/main/crashes/README.txt
	printf 'GIF8' >plain/a
	printf 'GIF8 no bug' >plain/b
	got=$(status veer replay afl -- "$SCRATCH/parser" @@ 2>&1)
	same "afl/main/queue/id:000000,orig:a: nothing wrong
afl/main/crashes/id:000000,sig:06,src:000000: error: heap-buffer-overflow in main, $SCRATCH/parser.c:16
1" "$got"
	same "plain/a: nothing wrong
plain/b: nothing wrong
0" "$(status veer replay plain -- "$SCRATCH/parser" 2>&1)"
	same "plain/b: the native program exits with status 2
0" "$(status veer replay --native plain/b -- "$SCRATCH/parser" @@ 2>&1)"
	same 7 "$(status veer replay --error-exitcode 7 afl/main/crashes -- "$SCRATCH/parser" @@ 2>&1 | tail -n 1)"
}

ktests() {
	ktest p 24 "$P" n 4 '\0050\0\0\0' >good.ktest
	ktest p 24 "$P" n 4 '\0051\0\0\0' >bad.ktest
	same "good.ktest: nothing wrong
bad.ktest: error: heap-buffer-overflow in main, $SCRATCH/objects.c:12
1" "$(status veer replay good.ktest bad.ktest -- "$SCRATCH/objects" 2>&1)"
	same 4 "$(KTEST_FILE=good.ktest status "$SCRATCH/objects")"
	same 0 "$(status "$SCRATCH/objects")"
	same "good.ktest: the native program exits with status 4
0" "$(status veer replay --native good.ktest -- "$SCRATCH/objects" 2>&1)"
}

# Of another program, or not one at all: a line, and no run on made-up values.
wrong_ktests() {
	ktest q 24 "$P" n 4 '\0050\0\0\0' >name.ktest
	ktest p 3 abc n 4 '\0050\0\0\0' >size.ktest
	ktest p 24 "$P" >few.ktest
	head -c 40 name.ktest >cut.ktest
	printf 'x' >x.ktest
	for t in name size few cut x nothing; do
		got=$(KTEST_FILE=$t.ktest status "$SCRATCH/objects" 2>&1)
		contains "$got" "error: KTEST_FILE $t.ktest: "
		same 2 "$(printf '%s\n' "$got" | wc -l)"
		same 1 "$(printf '%s\n' "$got" | tail -n 1)"
	done
	same 4 "$(KLEE_RUN_TEST_ERRORS_NON_FATAL=1 KTEST_FILE=name.ktest status "$SCRATCH/objects" 2>/dev/null)"
}

# KLEE's model of POSIX: arguments, files and standard input.
posix_ktests() {
	cat >main.c <<'END'
#include <stdio.h>
int main(int argc, char **argv)
{
	char b[8] = "";
	FILE *f = argc > 2 ? fopen(argv[2], "r") : NULL;
	if (f && fgets(b, sizeof b, f))
		return argv[1][0] == 'a' && !argv[1][1] && b[0] == 'f' && getchar() == 's' ? 7 : 6;
	return argc;
}
END
	veer-cc -g -O1 main.c -o main
	ktest arg00 4 'a\0\0\0' A-data 3 fff A-data-stat 2 '..' stdin 2 st stdin-stat 2 '..' model_version 4 '\001\0\0\0' >t.ktest
	# Its command line has no A; ours has.
	same "t.ktest: the native program exits with status 7
0" "$(status veer replay --native t.ktest -- ./main --sym-arg 3 A 2>&1)"
	same "t.ktest: the native program exits with status 7
0" "$(status veer replay --native t.ktest -- ./main --sym-arg 3 @@ 2>&1)"
}

suites() {
	mkdir suite
	echo '<test-metadata/>' >suite/metadata.xml
	echo '<testcase><input type="int">-70000</input><input>200</input></testcase>' >suite/1.xml
	echo '<testcase><input>0</input></testcase>' >suite/2.xml
	same "suite/1.xml: the native program exits with status 5
suite/2.xml: the native program exits with status 3
0" "$(status veer replay --native suite -- "$SCRATCH/values" 2>&1)"
	# Types that are not said are those that the program asks for, with sanitizers as well.
	cat >abort.c <<'END'
#include <stdlib.h>
unsigned char __VERIFIER_nondet_uchar(void);
long __VERIFIER_nondet_long(void);
int main(void)
{
	unsigned char c = __VERIFIER_nondet_uchar();
	if (__VERIFIER_nondet_long() == -2 && c == 7)
		abort();
}
END
	veer-cc -g abort.c -o abort
	echo '<testcase><input>7</input><input>-2</input></testcase>' >a.xml
	contains "$(veer replay a.xml -- ./abort || true)" "a.xml: error: abort in main"
}

# Seeds of any kind: the campaign begins where they are.
seeds() {
	mkdir -p afl/main/queue k
	printf 'GIF8xx!\001' >afl/main/queue/id:000000,orig:a
	veer explore -q -j1 --runs 1 -o o1 --seeds afl -- "$SCRATCH/parser" @@ >said
	contains "$(veer coverage --uncovered o1)" "parser.c"
	ktest p 24 "$P" n 4 '\0050\0\0\0' >k/a.ktest
	printf 'KTEST damaged' >k/b.ktest
	veer explore -q -j1 --budget 120s --runs 60 -o o2 --seeds k -- "$SCRATCH/objects" >said 2>warned
	contains "$(cat said)" "heap-buffer-overflow"
	contains "$(cat warned)" "veer: 1 file of k left out: k/b.ktest: a .ktest file of version "
	one_line "$(cat warned)"
}

# Nothing of this does harm, and each is answered by a line.
hostile() {
	mkdir h
	mkfifo h/pipe h/x.ktest
	ln -s loop h/loop
	ln -s /dev/zero h/zero
	: >h/empty.ktest
	truncate -s 1T h/large.ktest
	printf 'KTEST\0\0\0\003\377\377\377\377' >h/huge.ktest
	printf 'KTEST\0\0\0\003\0\0\0\0\0\0\0\0\0\0\0\0\377\377\377\377\0\0\0\001x\377\377\377\377' >h/huge2.ktest
	got=$(status veer replay h -- "$SCRATCH/objects" 2>&1)
	contains "$got" "none of the files in h can be used: "
	one_line "$(printf '%s\n' "$got" | head -n 1)"
	same 1 "$(printf '%s\n' "$got" | tail -n 1)"
	for f in pipe loop zero empty.ktest large.ktest huge.ktest huge2.ktest nothing; do
		got=$(timeout 20 veer replay "h/$f" -- "$SCRATCH/objects" 2>&1) && die "$f: $got"
		one_line "$got"
		contains "$got" "veer: "
	done
	mkdir x
	: >x/metadata.xml
	printf '<!DOCTYPE t [<!ENTITY a "1"><!ENTITY b "&a;&a;">]><testcase><input>&b;</input></testcase>' >x/bomb.xml
	head -c 3000 "$SCRATCH/parser" >x/binary.xml
	printf '<testcase><input type="struct s">1</input></testcase>' >x/type.xml
	got=$(status veer explore -q -o ox --seeds x -- "$SCRATCH/values" 2>&1)
	contains "$got" "none of the files in x can be used: "
	one_line "$(printf '%s\n' "$got" | head -n 1)"
	mkdir "n
l"
	printf 'GIF8xx!\001' >"n
l/$(printf 'a\033[31m')"
	same "n?l/a?[31m: nothing wrong
0" "$(status veer replay "n
l" -- "$SCRATCH/parser" @@ 2>&1)"
}

# --- beside AFL++ -----------------------------------------------------------------------------

# Another instance appears, with what it takes to get on; half written, vanishing and hostile files do not matter.
sync_folder() {
	mkdir -p sync/main/queue/.state sync/bad seeds
	ln -s /etc sync/link
	mkfifo sync/bad/queue sync/main/queue/id:000009,pipe
	ln -s /etc/passwd sync/main/queue/id:000008,link
	: >sync/main/queue/id:000000,orig:a
	printf nothing >seeds/a
	veer explore -q -j1 --stats --budget 30s --runs 400 -o out --seeds seeds --afl-sync sync -- "$SCRATCH/target" >said 2>&1 &
	veer=$!
	sleep 2
	printf 'FUZ' >sync/main/queue/id:000000,orig:a # it was empty before
	printf 'FU' >sync/main/queue/id:000001,src:000000
	printf 'FU' >"sync/main/queue/id:000002,$(printf '\n\033')"
	rm sync/main/queue/id:000001,src:000000
	wait $veer || die "$(cat said)"
	contains "$(cat said)" "F1 error: abort"
	grep -q '^FUZ..' sync/veer/queue/id:* || die "$(ls sync/veer/queue)"
	ls sync/veer/queue | grep -qv '^id:[0-9]\{6\},time:[0-9]*,execs:[0-9]*,op:veer$' && die "$(ls sync/veer/queue)"
	ls sync/veer/crashes/id:000000* >/dev/null
	# Numbers go on.
	n=$(ls sync/veer/queue | wc -l)
	veer explore -q -j1 --budget 5s --runs 500 -o out2 --seeds seeds --afl-sync sync -- "$SCRATCH/target" >said 2>&1
	ls sync/veer/queue | cut -c4-9 | sort | uniq -d | grep . && die "the same number twice"
	[ "$(ls sync/veer/queue | wc -l)" -ge "$n" ]
	got=$(status veer explore -q -o out3 --afl-sync sync --afl-name ../x -- "$SCRATCH/target" 2>&1 </dev/null)
	one_line "$(printf '%s\n' "$got" | head -n 1)"
	same 1 "$(printf '%s\n' "$got" | tail -n 1)"
}

# --- out --------------------------------------------------------------------------------------

# code COMMAND...: its exit status, without what it prints
code() { if "$@" >/dev/null 2>&1; then echo 0; else echo $?; fi; }

# results: ok and FAIL of tests, by what they are about: findings fail, inputs pass unless they show a bug as well
results() { sed -n 's/^\(ok\|FAIL\|not ok\|skip\) \([FI]\).*/\1 \2/p' | sort -u | tr '\n' ';'; }

export_parser() {
	mkdir seeds
	printf 'hello world, a long line here' >seeds/a
	veer explore -q -j1 --budget 120s --runs 150 -o out --seeds seeds -- "$SCRATCH/parser" @@ >said
	contains "$(cat said)" heap-buffer-overflow
}

export_sh() {
	export_parser
	veer export --as sh -o out >said
	contains "$(cat said)" "tests in out/tests"
	grep -q "printf 'GIF8xx!" out/tests/F1.sh || die "$(cat out/tests/F1.sh)"
	lacks "$(cat out/tests/F1.sh)" "world"
	sanitized "$SCRATCH/parser.c" bad
	sed 's/malloc(100)/malloc(300)/' "$SCRATCH/parser.c" >good.c
	sanitized good.c good
	same "FAIL F;FAIL I;ok I;" "$(sh out/tests/all.sh ./bad | results)"
	same "ok F;ok I;" "$(sh out/tests/all.sh ./good | results)"
	same 0 "$(code sh out/tests/all.sh ./good)"
	same 1 "$(code sh out/tests/all.sh ./bad)"
	# A build without sanitizers cannot tell.
	cc -w good.c -o plain
	same "ok I;skip F;" "$(sh out/tests/all.sh ./plain | results)"
	# Another program fails.
	same "FAIL I;ok I;skip F;" "$(sed 's/return 2/return 0/' good.c >other.c; cc -w other.c -o other; sh out/tests/all.sh ./other | results)"
}

export_foreign() {
	export_parser
	for format in afl libfuzzer ktest; do
		veer export --as $format -o out --to "$format" >said
		contains "$(cat said)" "tests in $format"
		got=$(veer replay $format -- "$SCRATCH/parser" @@) && die "$got"
		same 1 "$(printf '%s\n' "$got" | grep -c heap-buffer-overflow | sed 's/[1-9].*/1/')"
		contains "$got" "nothing wrong"
		same "$(sed 's/ tests.*//' said)" "$(printf '%s\n' "$got" | cut -d: -f1-3 | sort -u | wc -l | tr -d ' ')"
	done
	same 1 "$(ls afl/crashes | wc -l | tr -d ' ')"
	# A campaign that begins with these covers what the other one did.
	n=$(veer coverage out | tail -n 1)
	veer explore -q -j1 --runs "$(ls ktest | wc -l)" -o again --seeds ktest -- "$SCRATCH/parser" @@ >/dev/null
	same "$n" "$(veer coverage again | tail -n 1)"
}

export_c_target() {
	mkdir seeds
	printf 'aaaaaaaaaaaaaaa' >seeds/a
	veer explore -q -j1 --budget 120s --runs 300 -o out --seeds seeds -- "$SCRATCH/target" >said
	contains "$(cat said)" "error: abort"
	veer export --as c -o out --to t >said
	grep -q 'memcpy(data + 0, "FUZ", 3);' t/tests.c || die "$(cat t/tests.c)"
	"$LLVM/clang" -Wall -Werror -g -fsanitize=address,undefined t/tests.c "$SCRATCH/target.c" -o tests
	same "not ok F;ok I;" "$(./tests 2>/dev/null | results | sed 's/not ok I;//')"
	sed 's/abort();/return 0;/' "$SCRATCH/target.c" >good.c
	cc -Wall -g t/tests.c good.c -o tests
	same "ok F;ok I;0" "$(./tests | results)$(code ./tests)"
	# cmocka is not everywhere: what it declares, as far as it is used.
	mkdir cmocka
	cat >cmocka/cmocka.h <<'END'
#include <stdio.h>
struct CMUnitTest { const char *name; void (*run)(void **); };
#define cmocka_unit_test(f) {#f, f}
static int wrong;
#define assert_true(x) (wrong += !(x))
#define cmocka_run_group_tests(all, a, b) run_all(all, sizeof (all) / sizeof *(all))
static int run_all(const struct CMUnitTest *t, size_t n)
{
	for (size_t i = 0; i < n; i++)
		t[i].run(NULL);
	return wrong;
}
END
	veer export --as c --cmocka -o out --to m F1 >said
	same "1 tests in m" "$(cat said)"
	cc -Wall -Werror -Icmocka -g m/tests.c "$SCRATCH/target.c" -o tests
	same 1 "$(code ./tests)"
	cc -Wall -Werror -Icmocka -g m/tests.c good.c -o tests
	same 0 "$(code ./tests)"
}

export_c_objects() {
	veer explore -q -j1 --budget 120s --runs 100 -o out -- "$SCRATCH/objects" >said </dev/null
	contains "$(cat said)" heap-buffer-overflow
	veer export --as c -o out --to t F1 >said
	# The fields that matter, by their names and types.
	grep -q '= -5; /\* x \*/' t/tests.c || die "$(cat t/tests.c)"
	grep -q '= 1000000; /\* in.k \*/' t/tests.c || die "$(cat t/tests.c)"
	lacks "$(cat t/tests.c)" "/* y */"
	"$LLVM/clang" -w -g -fsanitize=address,undefined -I"$VEER_SOURCE/include" -Dmain=program_main -c "$SCRATCH/objects.c" -o p.o
	"$LLVM/clang" -Wall -Werror -g -fsanitize=address,undefined t/tests.c p.o -o tests
	same "not ok F1" "$(./tests 2>/dev/null)"
	sed 's/n > 40 ? 4 : 0/0/' "$SCRATCH/objects.c" >good.c
	"$LLVM/clang" -w -g -fsanitize=address,undefined -I"$VEER_SOURCE/include" -Dmain=program_main -c good.c -o p.o
	"$LLVM/clang" -g -fsanitize=address,undefined t/tests.c p.o -o tests
	same "ok F1" "$(./tests)"
	veer export --as ktest -o out --to k >said
	ls k/*.ktest | while read -r t; do
		KTEST_FILE=$t "$SCRATCH/objects" && continue
		[ $? = 4 ] || die "$t"
	done
	got=$(veer replay k -- "$SCRATCH/objects") && die "$got"
	contains "$got" heap-buffer-overflow
	# Test-Comp has no objects.
	got=$(status veer export --as test-comp -o out --to tc 2>&1)
	same "" "$(ls tc)" # nothing is half written
	contains "$got" "cannot be written for Test-Comp"
	same 1 "$(printf '%s\n' "$got" | tail -n 1)"
}

# Findings of recorded tests bring their files along.
export_recorded() {
	cat >sum.c <<'END'
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
	FILE *f = argc > 1 ? fopen(argv[1], "r") : NULL;
	int n = f ? fgetc(f) - '0' : -1, *all = calloc(8, sizeof *all);
	if (n < 0 || n > 8)
		return 1;
	all[n] = 1;
	free(all);
	return 0;
}
END
	veer-cc -g -O1 sum.c -o sum
	echo 3 >data
	veer test -o out --budget 60s --max-distance 1 -j1 -- ./sum data >said 2>&1
	contains "$(cat said)" heap-buffer-overflow
	veer export --as sh -o out --to t >said
	rm -r data out
	sanitized sum.c bad
	sed 's/n > 8/n > 7/' sum.c >good.c
	sanitized good.c good
	same "FAIL F;" "$(sh t/all.sh "$PWD/bad" | results)"
	same "ok F;" "$(sh t/all.sh "$PWD/good" | results)"
}

# What matters of them is spelled out, of whichever program they are; what is around them stays as it was.
export_recorded_succinct() {
	cat >config.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv)
{
	char line[200], name[64] = "";
	int width = 1, seen = 0;
	FILE *f = argc > 2 ? fopen(argv[1], "r") : NULL, *names = fopen("names", "r");
	if (!f || !names || !fgets(name, sizeof name, names) || strcmp(name, "somebody\n") != 0)
		return 1;
	while (fgets(line, sizeof line, f))
		if (line[0] == '#')
			seen++;
		else if (strncmp(line, "width=", 6) == 0)
			width = line[6] - '0';
	if (width < 1 || width > 8 || !getenv("SUITE"))
		return 2;
	int *all = calloc(8, sizeof *all);
	all[width] = seen;
	printf("%d %s %s\n", all[0], argv[2], name);
	free(all);
	return 0;
}
END
	cat >head.c <<'END'
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
	char b[40] = "", *p = malloc(16);
	if (fread(b, 1, sizeof b, stdin) < 30 || b[20] != ':')
		return 1;
	if (b[22] == 'q')
		p[b[21] & 31] = b[3];
	free(p);
	return 0;
}
END
	veer-cc -g -O1 config.c -o config
	veer-cc -g -O1 head.c -o head
	mkdir -p in/there
	printf '%s\n' '# How wide things are, with reasons' 'width=3' '# That is all there is to say' >in/there/width.conf
	chmod 444 in/there/width.conf
	echo somebody >in/there/names
	cat >suite <<'END'
cd in/there
SUITE=1 ../../config width.conf a-long-label
echo 'the first twenty and:aq and some more' | ../../head
END
	veer test -o out --budget 60s --max-distance 1 -j1 -- sh ./suite >said 2>&1
	same 2 "$(ls out/findings | wc -l | tr -d ' ')"
	veer export --as sh -o out --to t >said
	lacks "$(cat said)" "as they were"
	one=$(basename "$(grep -l 'head.c:' t/F*.sh)" .sh) other=$(basename "$(grep -l 'config.c:' t/F*.sh)" .sh)
	grep -q "printf 'width=8.n'" "t/$other.sh" || die "$(cat "t/$other.sh")"
	grep -q "printf 'x*:[^ ]*q" "t/$one.sh" || die "$(cat "t/$one.sh")"
	for word in wide reasons That long-label twenty more; do
		lacks "$(cat t/F*.sh)" "$word"
	done
	# The files around it, as they were; one that the script prints is empty.
	same somebody "$(find "t/$other" -name names -exec cat {} +)"
	same "" "$(find "t/$other" -name width.conf -exec cat {} +)"
	# The tests need nothing else.
	mkdir builds
	for p in config head; do sanitized $p.c builds/bad-$p; done
	sed 's/width > 8/width > 7/' config.c >good.c
	sanitized good.c builds/good-config
	sed 's/malloc(16)/malloc(32)/' head.c >good.c
	sanitized good.c builds/good-head
	rm -r in out config head
	same "FAIL F;" "$(sh "t/$other.sh" builds/bad-config | results)"
	same "FAIL F;" "$(sh "t/$one.sh" builds/bad-head | results)"
	same "ok F;" "$(sh "t/$other.sh" builds/good-config | results)"
	same "ok F;" "$(sh "t/$one.sh" builds/good-head | results)"
}

# When it cannot be run any more, all bytes are as they were, and the test says so.
export_recorded_whole() {
	cat >first.c <<'END'
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
	char *p = malloc(8), b[30] = "";
	if (fread(b, 1, sizeof b, stdin) == sizeof b && b[0] >= '0')
		p[b[0] - '0'] = 1;
	free(p);
	return 0;
}
END
	veer-cc -g -O1 first.c -o first
	echo '3 and what does not matter at all' >data
	veer test -o out --budget 60s --max-distance 0 -j1 -- sh -c './first <data' >said 2>&1
	contains "$(cat said)" heap-buffer-overflow
	sanitized first.c bad
	mv first away
	veer export --as sh -o out --to t >said
	grep -q "with all bytes as they were: 1 findings (cannot open .*first" said || die "$(cat said)"
	contains "$(cat t/F1.sh)" "are not known: all are as they were"
	contains "$(cat t/F1.sh)" "and what does not matter"
	same "FAIL F;" "$(sh t/F1.sh ./bad | results)"
	sed 's/malloc(8)/malloc(300)/' first.c >good.c
	veer-cc -g -O1 good.c -o first
	veer export --as sh -o out --to t >said
	contains "$(cat said)" "1 findings (the program does not show it any more)"
	contains "$(cat t/F1.sh)" "and what does not matter"
	mv away first
	veer export --as sh -o out --to t >said
	lacks "$(cat said)" "as they were"
	lacks "$(cat t/F1.sh)" "and what does not matter"
	same "FAIL F;" "$(sh t/F1.sh ./bad | results)"
	# Nothing but findings, and in no other way.
	bad "there are none of these" veer export --as sh -o out I1
	bad "nothing to write --as c" veer export --as c -o out
}

export_values() {
	veer explore -q -j1 --budget 120s --runs 100 -o out -- "$SCRATCH/values" >said </dev/null
	veer export --as test-comp -o out --to tc >said
	grep -q '<input variable="nondet_int" type="int">-70000</input>' tc/*.xml || die "$(cat tc/*.xml)"
	! command -v xmllint >/dev/null || xmllint --noout --nonet tc/*.xml
	same "3 4 5 " "$(veer replay --native tc -- "$SCRATCH/values" | sed 's/.* //' | sort -u | tr '\n' ' ')"
	veer export --as c -o out --to t >said
	"$LLVM/clang" -w -Dmain=program_main -c "$SCRATCH/values.c" -o p.o
	"$LLVM/clang" -Wall -Werror t/tests.c p.o -o tests
	same "ok I;0" "$(./tests | results)$(code ./tests)"
	grep -q '= -70000;' t/tests.c || die "$(cat t/tests.c)"
}

bad() { # TEXT COMMAND...
	expected=$1
	shift
	got=$(status "$@" 2>&1 </dev/null)
	contains "$got" "$expected"
	one_line "$(printf '%s\n' "$got" | sed '$d' | grep -v '^usage')"
}

bad_usage() {
	bad "which files?" veer replay -- "$SCRATCH/parser"
	bad "no program behind --" veer replay x --
	bad "--as FORMAT is missing" veer export
	bad "--as pdf: there is no such format" veer export --as pdf
	bad "veer.db" veer export --as sh -o nowhere
	mkdir seeds
	printf 'a' >seeds/a
	veer explore -q -j1 --runs 3 -o out --seeds seeds -- "$SCRATCH/parser" @@ >said
	bad "there is no F9 in out" veer export --as sh -o out F9
	bad "there is no x in out" veer export --as sh -o out x
	bad "C tests are for programs with" veer export --as c -o out
	: >file
	bad "cannot create" veer export --as afl -o out --to file/x
}

# Which object is which does not depend on how many others the path made before it.
ordered_objects() {
	cat >ordered.c <<-'END'
		#include <stdlib.h>
		#include <klee/klee.h>
		int main(void)
		{
			unsigned char first = 0, a = 0, b = 0;
			klee_make_symbolic(&first, 1, "first");
			if (first > 100) {
				klee_make_symbolic(&b, 1, "b");
				klee_make_symbolic(&a, 1, "a");
			} else {
				klee_make_symbolic(&a, 1, "a");
				klee_make_symbolic(&b, 1, "b");
			}
			if (first > 100 && a == 7 && b == 9)
				abort();
			return a > b;
		}
	END
	veer-cc -g ordered.c -o ordered
	timeout 60 veer explore -q -o out ./ordered >/dev/null
	grep -q '^  object a: ' out/findings/F1/report.txt || die "$(cat out/findings/F1/report.txt)"
	status=0
	sh out/findings/F1/reproduce.sh >/dev/null 2>&1 || status=$?
	same 134 $status
	veer replay -o out F1 >/dev/null 2>&1 || die "it does not show again"
	veer export -o out --as sh --to scripts >/dev/null
	failed=0
	for t in scripts/I*.sh; do # that of the finding fails
		sh "$t" >/dev/null 2>&1 || failed=$((failed + 1))
	done
	same 1 $failed
	veer export -o out --as ktest --to ktests >/dev/null
	failed=0
	for t in ktests/*.ktest; do
		KTEST_FILE=$t ./ordered >/dev/null 2>said || [ $? = 1 ] || failed=$((failed + 1))
		same "" "$(grep KTEST_FILE said)" # in the order of the program
	done
	same 2 $failed # the finding, and the input that it was found with
}


try "files of AFL++ and libFuzzer are run" replays
try ".ktest files are run, by veer and natively" ktests
try ".ktest files of another program" wrong_ktests
try ".ktest files of KLEE's model of POSIX" posix_ktests
try "suites of Test-Comp are run" suites
try "campaigns begin with inputs of other tools" seeds
try "hostile files do no harm" hostile
try "beside AFL++" sync_folder
try "scripts pass and fail as they should" export_sh
try "exported, and read again" export_foreign
try "C tests of a fuzz target" export_c_target
try "C tests of a program with objects" export_c_objects
try "scripts of recorded tests" export_recorded
try "scripts of recorded tests say what matters" export_recorded_succinct
try "scripts of recorded tests that cannot be run" export_recorded_whole
try "objects that paths make in another order" ordered_objects
try "values of SV-COMP" export_values
try "bad usage" bad_usage
finish
