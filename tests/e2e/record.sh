#!/bin/sh
# veer record: whatever the harness does, each execution of a veer-built program becomes a seed, and nothing else
# changes. `touch` (tests/programs/touch.c) does what its arguments say.
. "$(dirname "$0")/lib.sh"

veer-cc -g -O1 "$VEER_SOURCE/tests/programs/touch.c" -pthread -o "$SCRATCH/touch" || exit 1

# record COMMAND...: without a summary; the seeds are in `seeds`, their environment is not.
record() {
	rm -rf "$SCRATCH/out"
	cp -f "$SCRATCH/touch" touch
	code=0
	veer record -q -o "$SCRATCH/out" -- "$@" || code=$?
	test-seeds "$SCRATCH/out" >all || die "no seeds"
	grep -v '^  environment ' all >seeds || true
	return $code
}

# hash TEXT: as it stands in a seed
hash() {
	printf "$1" >"$SCRATCH/hashed"
	(cd "$SCRATCH" && mkdir -p h && rm -rf h/out && veer record -q -o h/out -- ./touch cat hashed >/dev/null &&
		test-seeds h/out | sed -n 's/^  file .*hashed .* //p')
}

has() { grep -qxF "  $1" seeds || die "no '$1' in: $(cat seeds)"; }
has_not() { if grep -qxF "  $1" seeds; then die "unexpected '$1' in: $(cat seeds)"; fi; }
seeds() { grep -c '^seed' seeds; }

plain() {
	echo hello >f
	same "hello" "$(record ./touch cat f)"
	same 1 "$(seeds)"
	has "argument [./touch]"
	has "argument [cat]"
	has "cwd $PWD"
	has "folder $PWD 0755"
	has "file $PWD/f 0644 6 $(hash 'hello\n')"
	has "output 6 $(hash 'hello\n')"
	has "exit 0"
	has "umask 022"
	grep -qx "  environment PATH=$PATH" all
	same "a b " "$(record ./touch say 'a b ')"
	has "argument [a b ]"
	record ./touch say "" >out
	has "argument []"
	same 7 "$(status record ./touch exit 7)"
	has "exit 7"
	same 139 "$(status sh -c 'veer record -q -o o -- ./touch kill 11 2>/dev/null; exit $?')"
	(umask 077 && record ./touch)
	has "umask 077"
}

# Output, errors and exit status are those of the command.
transparent() {
	cp "$SCRATCH/touch" touch
	cat >suite <<'S'
echo begin; ./touch cat nothing cat suite-file; echo $?
printf 'a\nb\nc\n' | { ./touch byte; cat; }
./touch exit 3; echo $? >&2
exec ./touch say end exit 9
S
	same 9 "$(sh suite >out1 2>err1 || echo $?)"
	same 9 "$(veer record -o o -- sh suite >out2 2>err2 || echo $?)"
	cmp out1 out2
	same "$(cat err1)
veer: 4 executions recorded, 4 seeds in o" "$(cat err2)"
}

harness() {
	echo x >f
	record sh -c './touch say a; ./touch say b | cat; (cd / && "$OLDPWD/touch" say c); ./touch say d & wait' >out
	same "a b c d" "$(tr '\n' ' ' <out | sed 's/ $//')"
	same 4 "$(seeds)"
	has "cwd /"
	record env -i ./touch say x >out
	same 1 "$(seeds)"
	same 0 "$(grep -c environment all)"
	record env -i A=1 "B=2 3" ./touch say x >out
	grep -qx '  environment B=2 3' all
	printf '#!/bin/sh\ncd sub\nexec ../touch "$@"\n' >script
	chmod +x script
	mkdir sub
	record ./script say y >out
	has "cwd $PWD/sub"
	printf '#!%s/touch say\n' "$PWD" >interpreted
	chmod +x interpreted
	record ./interpreted z >out
	has "argument [say]"
	has "argument [./interpreted]"
	record perl -e 'system("./touch", "say", "p"); print `./touch say q`; open(P, "|-", "./touch in"); print P "r\n"; close P' >out
	same 3 "$(seeds)"
	has 'stdin [r\n]'
	if python3 -c '' 2>/dev/null; then
		record python3 -c 'import subprocess as s
s.run(["./touch", "in"], input=b"py\n", check=True)
s.run("./touch say sh; ./touch say again", shell=True)' >out
		same 3 "$(seeds)"
		has 'stdin [py\n]'
	fi
}

parallel_make() {
	cat >Makefile <<'M'
all: $(foreach n,1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20,t$(n))
t%:
	@mkdir d$*; cd d$* && echo $* >f && ../touch cat f put made yes rm f && rm -r ../d$*
M
	record make -s -j8 all >out
	same "$(seq 20)" "$(sort -n out)"
	same 20 "$(seeds)"
	same 20 "$(grep -c '  file .*/f 0644' seeds)"
	same 20 "$(grep -c '  absent .*/made' seeds)"
	has_not "why it reads from a descriptor that it was given" # make's job server
}

# Suites of other kinds, where they are installed.
ctest_suite() {
	command -v ctest >/dev/null || skip "no ctest"
	echo 'add_test(one "./touch" say one)
add_test(two sh -c "echo two | ./touch in")' >CTestTestfile.cmake
	record ctest >out
	same 2 "$(seeds)"
	has 'stdin [two\n]'
}

dejagnu_suite() {
	command -v runtest >/dev/null || skip "no DejaGnu"
	mkdir -p testsuite/t.all
	cat >testsuite/t.all/a.exp <<'E'
spawn ./touch byte say answered
send "typed\n"
expect "answered" { pass "a" } timeout { fail "a" }
close
set r [remote_exec host "./touch say quiet"]
if {[lindex $r 0] == 0} { pass "b" } else { fail "b" }
E
	record runtest --tool t --srcdir testsuite >out 2>&1 || die "$(cat out)"
	same 2 "$(seeds)"
	has 'stdin [t]'
}

standard_input() {
	echo hello >f
	printf 'one\ntwo\n' | record ./touch in >out
	has 'stdin [one\ntwo\n]'
	record ./touch in <f >out
	has 'stdin [hello\n]'
	# From where it stands, and nothing is read ahead.
	printf 'abc' >g
	same "a
b
c" "$(record sh -c './touch byte; ./touch byte; ./touch byte' <g)"
	has 'stdin [abc]'
	has 'stdin [bc]'
	has 'stdin [c]'
	same "a
b
c" "$(printf abc | record sh -c './touch byte; ./touch byte; ./touch byte')"
	has 'stdin [a]'
	has 'stdin [b]'
	has 'stdin [c]'
	record sh -c './touch in <<E
here
E' >out
	has 'stdin [here\n]'
	record ./touch in </dev/null
	has "streams null ordinary ordinary"
	has 'stdin []'
	# Through another descriptor, and by name.
	same mno "$(printf mno | record ./touch copied-in)"
	has 'stdin [mno]'
	same pqr "$(printf pqr | record ./touch cat /dev/stdin)"
	has 'stdin [pqr]'
	# A file too large to be copied before anybody reads.
	head -c 3000000 /dev/zero >large
	record sh -c './touch byte; ./touch in | cat >/dev/null' <large >out
	same 3000000 "$(grep -o '\\000' seeds | wc -l | awk '{ print $1 - 3000000 + 1 }')"
}

streams() {
	record sh -c './touch say x >&- 2>/dev/null <&-; ./touch say y >/dev/full; exit 0' 2>err
	has "streams closed closed null"
	has "streams null full ordinary" || has "streams ordinary full ordinary"
	# Errors of libc are written to a copy of standard error.
	record ./touch cat nothing 2>err
	has "output 35 $(hash 'nothing: No such file or directory\n')"
	echo sent >f
	record ./touch say a send f >out
	same "a
sent" "$(cat out)"
	has "output 7 $(hash 'a\nsent\n')"
}

# What was there before, not what the program made of it.
files() {
	printf old >a
	mkdir dir dir/sub
	printf in >dir/sub/x
	ln -s dir/sub link
	ln -s /nowhere dangling
	mkfifo pipe
	record ./touch append a new cat a >out
	same oldnew "$(cat out)"
	has "file $PWD/a 0644 3 $(hash old)"
	record ./touch put b 1 cat b mv b c cat c rm c >out
	has "absent $PWD/b"
	has "absent $PWD/c"
	record ./touch cat link/x cat dangling stat nowhere/x stat a >out 2>err
	has "link $PWD/link 0777 -> dir/sub"
	has "folder $PWD/dir/sub 0755"
	has "file $PWD/dir/sub/x 0644 2 $(hash in)"
	has "link $PWD/dangling 0777 -> /nowhere"
	has "absent /nowhere"
	has "absent $PWD/nowhere"
	has "file $PWD/a 0644 6 unknown"
	record ./touch ls . >out
	has "folder $PWD 0755 listed"
	has "file $PWD/a 0644 6 unknown"
	has "link $PWD/link 0777 -> dir/sub"
	has "pipe $PWD/pipe 0644"
	record ./touch mkdir new put new/f text symlink ../a new/l cat new/l mv new newer cat newer/f >out
	same oldnewtext "$(cat out)"
	has "absent $PWD/new"
	has "absent $PWD/newer"
	has_not "absent $PWD/new/f"
	has "file $PWD/a 0644 6 $(hash oldnew)"
	# A folder that is moved comes with what is in it.
	record ./touch mv dir moved cat moved/sub/x >out
	has "file $PWD/dir/sub/x 0644 2 $(hash in)"
	record ./touch ln a hard rm a cat hard >out
	has "file $PWD/a 0644 6 $(hash oldnew)"
	has "absent $PWD/hard"
	mv hard a
	record ./touch cd moved cd sub cat x cat ../../a cat ./../sub//x >out
	same inoldnewin "$(cat out)"
	has "cwd $PWD"
	record ./touch cat /etc/passwd stat /usr >out
	same 0 "$(grep -c "^  [a-z]* /[eu]" seeds)"
	record ./touch bad
	has "exit 0"
}

# The suite removes what it made at once.
temporary() {
	record sh -c 'for i in 1 2 3; do d=$(mktemp -d); echo $i >$d/f; ./touch cat $d/f; rm -r $d; done' >out
	same 3 "$(seeds)"
	for i in 1 2 3; do
		grep -q "/f 0644 2 $(hash "$i\n")" seeds || die "$(cat seeds)"
	done
	# Changed within a tick of the file system's clock.
	record sh -c 'for i in 1 2 3 4 5 6 7 8 9; do echo $i >f; ./touch cat f; done' >out
	same 9 "$(seeds)"
	for i in 1 2 3 4 5 6 7 8 9; do
		grep -q "/f 0644 2 $(hash "$i\n")" seeds || die "$(cat seeds)"
	done
}

# What a program executes counts for it as well as for itself.
nested() {
	echo f >f
	record ./touch say outer exec ./touch cat f >out
	same 2 "$(seeds)"
	same 2 "$(grep -c "file $PWD/f 0644 2" seeds)"
	has "output 8 $(hash 'outer\nf\n')"
	has "output 2 $(hash 'f\n')"
	record ./touch vfork sh -c 'cat f; ./touch exit 3' >out
	same "f
child 3" "$(cat out)"
	same 2 "$(seeds)"
	has "exit 3"
	has "exit 0"
	has "output 10 $(hash 'f\nchild 3\n')"
	record ./touch fork cat f exit 5 >out
	same 1 "$(seeds)"
	has "exit 0"
	same 1 "$(grep -c "file $PWD/f 0644 2" seeds)"
	record ./touch thread f >out
	same 1 "$(grep -c "file $PWD/f 0644 2" seeds)"
	record ./touch thread-exec ./touch cat f >out
	same 2 "$(seeds)"
	same 2 "$(grep -c "file $PWD/f 0644 2" seeds)"
	same 2 "$(grep -c "exit 0" seeds)"
	deep=
	for i in $(seq 40); do deep="$deep exec ./touch"; done
	record ./touch $deep cat f >out
	same f "$(cat out)"
	same 41 "$(seeds)"
	same 24 "$(grep -c "why it executes more than 16 programs" seeds)"
	same 17 "$(grep -c "file $PWD/f 0644 2" seeds)"
	# A child may be seen before its parent is told of it.
	record sh -c 'i=0; while [ $i -lt 300 ]; do ./touch fork fork cat f say $i & i=$((i + 1)); done; wait' >out
	same 300 "$(seeds)"
	same 300 "$(grep -c "file $PWD/f 0644 2" seeds)"
	for wrapper in "env A=1" "nice" "timeout 20" "nohup" "xargs"; do
		record $wrapper ./touch cat f </dev/null >out 2>&1
		same 1 "$(seeds)"
		has "exit 0"
	done
}

# Those that cannot be run again say why.
why() {
	record sh -c 'ulimit -v 4000000; ./touch say a' >out
	has "why it runs under a limit of memory"
	mkfifo pipe
	record sh -c 'echo x >pipe & ./touch cat pipe' >out
	has "why it opens a named pipe"
	echo x >f
	record sh -c './touch from 5 5<f' >out
	has "why it reads from a descriptor that it was given"
	record sh -c './touch say a 5<f' >out
	same 0 "$(grep -c why seeds)"
	record sh -c './touch wait & sleep 0.2; kill $!; wait' || true
	has "why another process sends it signal 15"
	record sh -c './touch wait & sleep 0.2; kill -9 $!; wait' || true
	has "why it was killed"
	record sh -c './touch kill-other $$'
	has "why it sends signals to other processes"
	record ./touch chroot /
	has "why it has a root folder of its own"
	for how in "" "trap '' PIPE;"; do
		record sh -c "$how { ./touch sleep 300 say a; echo \$? >code; } | true"
		has "why its output was closed before it had ended"
	done
	record ./touch kill 15 2>/dev/null || true
	same 0 "$(grep -c why seeds)"
	has "signal 15"
	veer record -o o -- sh -c './touch from 5 5<f; ./touch wait & sleep 0.2; kill $!; wait; exit 0' >out 2>err
	same "veer: 2 executions recorded, 2 seeds in o, 2 cannot be run again:
veer:       1: another process sends it signal 15
veer:       1: it reads from a descriptor that it was given" "$(cat err)"
}

merged() {
	cp "$SCRATCH/touch" touch
	echo f >f
	veer record -o o -- sh -c 'for i in 1 2 3 4 5; do ./touch cat f; done; ./touch say x' >out 2>err
	same "veer: 6 executions recorded, 2 seeds in o" "$(cat err)"
	test-seeds o | grep -qx '  times 5'
	same 1 "$(ls o/files | wc -l)"
	# Again: the first is not there any more, the second is known.
	veer record -o o -- sh -c './touch say x; ./touch say y' >out 2>err
	same "veer: 2 executions recorded, 2 seeds in o (1 known before)" "$(cat err)"
	same 2 "$(test-seeds o | grep -c '^seed')"
}

# A test that runs in a new temporary folder each time is the same seed: gone or not, named by arguments or variables.
temporary_names() {
	cp "$SCRATCH/touch" touch
	cat >suite <<'S'
here=$PWD
d=$(mktemp -d "$here/gt-case.XXXX") && echo 1 >"$d/f" && (cd "$d" && "$here/touch" cat f) && rm -r "$d"
d=$(mktemp -d) && echo 2 >"$d/f" && ./touch cat "$d/f" && rm -r "$d"
export TMPDIR="$here/tmp"
d=$(mktemp -d) && echo 3 >"$d/f" && (cd "$d" && "$here/touch" cat "$d/f")
d=$(mktemp -d) && echo 4 >"$d/f" && ./touch cat "$d/f"
d=/tmp/veer-test.$(date +%Y-%m-%dT%H.%M.%S.%N)-00 && mkdir "$d" && (cd "$d" && "$here/touch" say 6) && rm -r "$d"
mkdir work1 && echo 5 >work1/f && ./touch cat work1/f && rm -r work1
S
	mkdir tmp
	same "6 executions recorded, 6 seeds in o" "$(said veer record -o o -- sh suite)"
	same "6 executions recorded, 6 seeds in o (6 known before)" "$(said veer record -o o -- sh suite)"
	# What a file in it says is part of the test, and so are names that no mktemp chose.
	sed 's/echo 2/echo 0/; s/work1/work2/g' suite >other
	same "6 executions recorded, 6 seeds in o (4 known before)" "$(said veer record -o o -- sh other)"
	# A folder that was there before has the name that it has.
	mkdir keep.aaaa keep.bbbb
	same "2 executions recorded, 2 seeds in o" \
		"$(said veer record -o o -- sh -c 'for i in a b; do (cd keep.$i$i$i$i && ../touch say x); done')"
}

# What was written before veer is killed stays.
killed() {
	cp "$SCRATCH/touch" touch
	setsid veer record -o o -- sh -c './touch say 1; ./touch say 2; echo ready >ready; ./touch sleep 2000' >out 2>&1 &
	pid=$!
	while [ ! -e ready ]; do sleep 0.05; done
	kill -9 "$pid"
	wait "$pid" || true
	same 2 "$(test-seeds -r o | grep -c '^seed')"
	sleep 2.5 # the tracer outlives veer, as what it traces does
}

# What was recorded runs again, natively, in the sandbox, after the suite has cleaned up.
again() {
	veer doctor 2>/dev/null | grep -q "sandbox  *namespaces" || skip "no namespaces"
	cp "$SCRATCH/touch" touch
	cat >suite <<'S'
mkdir work && cd work
echo one >a; echo two >b; mkdir d; echo three >d/c; ln -s d l
../touch cat a cat b cat nothing
../touch ls . ls l stat d/c
../touch append a more cat a mv b c cat c rm d/c ls d
echo four >a
../touch cat a exit 3
../touch mv d e cat e/c mkdir d put d/x y ls d
printf typed | ../touch in
../touch byte say x <a
../touch fork cat a exit 2
../touch vfork sh -c 'cat a l/c; ../touch cat l/c'
env -i X=1 ../touch exec ../touch cat a
(umask 077; ../touch put new text; ../touch ls .; ../touch kill 6)
../touch say out >/dev/null; ../touch say out >&-; ../touch cat nothing >/dev/full
cd ..; rm -r work
S
	veer record -q -o o -- sh suite >out 2>&1 || true
	same "18 seeds, 0 refused, 18 alike, 0 differ" "$(test-fidelity -v o)"
}

# Folders say the size that they had, whatever file system the view is on, and the environment is the test's.
sizes() {
	veer doctor 2>/dev/null | grep -q "sandbox  *namespaces" || skip "no namespaces"
	cat >size.c <<'C'
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

extern char **environ;

static int about; // a folder in many pieces has more blocks than its size says

static void say(const char *how, const struct stat *st)
{
	printf("%s %lld %lld\n", how, (long long)st->st_size, about ? st->st_size / 512 : (long long)st->st_blocks);
}

int main(int argc, char **argv)
{
	struct stat st;
	struct statx x;
	about = argc > 2;
	stat(argv[1], &st);
	say("stat", &st);
	lstat(argv[1], &st);
	say("lstat", &st);
	fstatat(AT_FDCWD, argv[1], &st, 0);
	say("fstatat", &st);
	fstat(dirfd(opendir(argv[1])), &st);
	say("fstat", &st);
	statx(AT_FDCWD, argv[1], 0, STATX_BASIC_STATS, &x);
	printf("statx %llu %llu\n", x.stx_size, about ? x.stx_size / 512 : x.stx_blocks);
	for (char **e = environ; *e; e++)
		puts(*e);
}
C
	veer-cc -D_GNU_SOURCE size.c -o size
	cat >suite <<'S'
mkdir work && cd work
../size . && ../size .. && ../size /
mkdir big && cd big && seq -f name-that-takes-some-room-%g 500 | xargs touch
../../size . about | cat
cd ../..; rm -r work
S
	# What it prints is all of its environment, secrets included, and these are not kept.
	env -i "PATH=$PATH" "VEER_CACHE_DIR=$VEER_CACHE_DIR" X=1 veer record -q -o o -- sh suite >out 2>&1
	same "4 seeds, 0 refused, 4 alike, 0 differ" "$(test-fidelity -v o)"
	env -i "PATH=$PATH" "VEER_CACHE_DIR=$VEER_CACHE_DIR" X_TOKEN=1 veer record -q -o o2 -- sh suite >out 2>&1
	contains "$(test-fidelity -v o2)" "(the value of X_TOKEN is not stored)"
}

# A file that is read as standard input has its time, and a pipe is none: gzip writes the one into its header.
input_as_it_was() {
	veer doctor 2>/dev/null | grep -q "sandbox  *namespaces" || skip "no namespaces"
	cat >input.c <<'C'
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
int main(void)
{
	struct stat st;
	char part[65536];
	long all = 0, n;
	fstat(0, &st);
	printf("%d %lld.%ld\n", S_ISREG(st.st_mode), S_ISREG(st.st_mode) ? (long long)st.st_mtim.tv_sec : 0,
	       S_ISREG(st.st_mode) ? st.st_mtim.tv_nsec : 0);
	printf("%d\n", lseek(0, 0, SEEK_CUR) >= 0);
	while ((n = read(0, part, sizeof part)) > 0)
		all += n;
	printf("%ld\n", all);
	return part[0] == 'x';
}
C
	veer-cc input.c -o input
	echo text >file
	touch -d '2001-02-03 04:05:06.789' file
	cat >suite <<'S'
./input <file
echo text | ./input
: | ./input
head -c 300000 /dev/zero | ./input
./input </dev/null
S
	veer record -q -o o -- sh suite >out 2>&1
	same "5 seeds, 0 refused, 5 alike, 0 differ" "$(test-fidelity -v o)"
	contains "$(veer amplify -o o --budget 20s --max-distance 0 2>&1)" "5 of 5 recorded tests were analysed"
}

# Output to a file of the program's own is read afterwards, in the order in which it was written.
late_output() {
	cat >mixed.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	for (int i = 0; i < 5; i++) {
		fprintf(stderr, "error %d\n", i);
		if (i % 2)
			write(1, "out\n", 4);
	}
	if (argc > 1 && argv[1][0] == 'd')
		dup2(1, 2);
	if (argc > 1 && argv[1][0] == 'e')
		dup2(2, 1);
	if (argc > 1 && argv[1][0] == 'f' && fork() == 0)
		exit(write(2, "child\n", 6) != 6);
	if (argc > 1 && argv[1][0] == 'x')
		execv(argv[0], (char *[]){argv[0], NULL});
	wait(NULL);
	fputs("end\n", stderr);
	write(1, "all\n", 4);
}
C
	veer-cc -w mixed.c -o mixed
	cat >suite <<'S'
for way in none dup error fork x; do
	./mixed $way >out 2>err
	./mixed $way 2>err
	./mixed $way >out 2>&1
	./mixed $way >out 2>/dev/null
	./mixed $way >/dev/null 2>err
	./mixed $way >out 2>&-
	./mixed $way 2>err | cat
	./mixed $way 2>&1 | cat
	./mixed $way >>out 2>>err
done
S
	veer record -q -o o -- sh suite >log 2>&1
	test-seeds o >seeds
	has "output 56 $(hash 'error 0\nerror 1\nout\nerror 2\nerror 3\nout\nerror 4\nend\nall\n')"
	has "output 12 $(hash 'out\nout\nall\n')"
	veer doctor 2>/dev/null | grep -q "sandbox  *namespaces" || return 0
	# A file that others write to meanwhile is none of these.
	rm -f out log
	cat >suite <<'S'
{ ./mixed a | sed 's/^/sed /'; } >out 2>&1
exec >log 2>&1
./mixed b | { ./mixed c; cat; }
S
	veer record -q -o o2 -- sh suite
	same "3 seeds, 0 refused, 3 alike, 0 differ" "$(test-fidelity -v o2)"
	contains "$(test-fidelity -v o)" ", 0 refused,"
	contains "$(test-fidelity -v o)" ", 0 differ"
}

# kept NAME: how often the last recording in `o` has the variable
kept() { test-seeds o | grep -c "^  environment $1=" || true; }
# said [NAME=VALUE...] COMMAND...: what the summary of a recording says
said() { env "$@" 2>&1 >out | sed 's/^veer: //'; }

# Files that are one file by several names are so in later runs, whichever of them is read.
links() {
	cat >links.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
int main(int argc, char **argv)
{
	struct stat a, b;
	for (int i = 2; i < argc; i++)
		if (stat(argv[1], &a) || stat(argv[i], &b))
			return 2;
		else
			printf("%d %d\n", a.st_ino == b.st_ino && a.st_dev == b.st_dev, (int)b.st_nlink);
	FILE *f = fopen(argv[argc - 1], "r");
	putchar(f ? getc(f) : 'n');
}
C
	veer-cc links.c -o links
	cat >suite <<'S'
mkdir d && echo x >d/a && ln d/a d/b && ln d/a c && echo x >other
./links d/a d/b c && ./links c other d/a d/b && ./links other c d/b d/a
rm -r d c other
S
	veer record -q -o o -- sh suite >out
	same "1 3 1 3 x0 1 1 3 1 3 x0 3 0 3 0 3 x" "$(tr '\n' ' ' <out | sed 's/ *$//')"
	veer doctor 2>/dev/null | grep -q "sandbox  *namespaces" || return 0
	same "3 seeds, 0 refused, 3 alike, 0 differ" "$(test-fidelity -v o)"
}

# A test is what the program asked for: what else is in the environment neither makes it another one nor is stored.
asked() {
	cat >ask.c <<'C'
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
	char name[100] = "";
	FILE *f = argc > 1 ? fopen(argv[1], "r") : NULL;
	if (f && fscanf(f, "%99s", name) == 1)
		puts(getenv(name) ? getenv(name) : "unset");
	if (argc > 2)
		return system("echo $ASK_CHILD") != 0;
	puts(getenv("ASK_ME") ? getenv("ASK_ME") : "nobody");
}
C
	veer-cc ask.c -o ask
	echo ASK_SCRIPT >script
	cat >suite <<'S'
./ask; ASK_ME=a ./ask; ASK_ME=b ./ask; NOISE=1 ASK_ME=b ./ask; ASK_SCRIPT=1 ./ask script; ASK_SCRIPT=2 ./ask script
S
	same "6 executions recorded, 5 seeds in o" "$(said GITHUB_RUN_ID=1 veer record -o o -- sh suite)"
	same "2 0 0" "$(kept ASK_SCRIPT) $(kept GITHUB_RUN_ID) $(kept NOISE)"
	same "6 executions recorded, 5 seeds in o (5 known before)" "$(said GITHUB_RUN_ID=2 veer record -o o -- sh suite)"
	same "6 executions recorded, 5 seeds in o (5 known before)" \
		"$(said MAKEFLAGS=x CI_JOB=7 veer record -o o -- sh suite)"
	same "6 executions recorded, 5 seeds in o (2 known before)" "$(said ASK_ME=c veer record -o o -- sh suite)"

	# What it executes may ask for anything. Then all is kept, and a difference that it makes is another test.
	same "1 execution recorded, 1 seed in o" "$(said GITHUB_RUN_ID=1 veer record -o o -- ./ask no child)"
	same 1 "$(kept GITHUB_RUN_ID)"
	same "1 execution recorded, 1 seed in o (1 known before)" \
		"$(said GITHUB_RUN_ID=2 veer record -o o -- ./ask no child)"
	same "1 execution recorded, 1 seed in o" "$(said ASK_CHILD=2 veer record -o o -- ./ask no child)"
}

# A library of the project asks, too.
asked_by_library() {
	cat >library.c <<'C'
#include <stdlib.h>
char *library(void) { return getenv("LIBRARY_VARIABLE"); }
C
	cat >program.c <<'C'
#include <stdio.h>
char *library(void);
int main(void) { puts(library() ? library() : "none"); }
C
	veer-cc -shared -fPIC library.c -o liblibrary.so
	veer-cc program.c -L. -llibrary -Wl,-rpath,"$PWD" -o program
	LIBRARY_VARIABLE=1 OTHER_VARIABLE=2 veer record -q -o o -- ./program >out
	same "1 0" "$(kept LIBRARY_VARIABLE) $(kept OTHER_VARIABLE)"
	veer doctor 2>/dev/null | grep -q "sandbox  *namespaces" || return 0
	same "1 seeds, 0 refused, 1 alike, 0 differ" "$(test-fidelity -v o)"
}

secrets() {
	cat >secret.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv)
{
	const char *token = getenv("MY_API_TOKEN"), *other = getenv("DB_password");
	if (argc > 1 && argv[1][0] == 'x')
		puts("x");
	puts(token && strcmp(token, "sesame-1") ? "wrong" : "right");
	return !other;
}
C
	veer-cc secret.c -o secret
	MY_API_TOKEN=sesame-1 veer record -q -o o -- sh -c 'DB_password=sesame-2 ./secret y' >out
	same 1 "$(test-seeds o | grep -c 'environment MY_API_TOKEN=value-not-stored-by-veer$')"
	same 1 "$(test-seeds o | grep -c 'environment DB_password=value-not-stored-by-veer$')"
	! grep -rl sesame o || die "a secret is stored"
	# Its value is no part of what the test is.
	same "1 execution recorded, 1 seed in o (1 known before)" \
		"$(said MY_API_TOKEN=sesame-3 veer record -o o -- sh -c 'DB_password=sesame-4 ./secret y')"
	same "" "$(find o -type f ! -name lock -perm /077)"
	veer doctor 2>/dev/null | grep -q "sandbox  *namespaces" || return 0
	contains "$(veer amplify -o o --budget 10s 2>&1)" "(the value of MY_API_TOKEN is not stored)"
	! grep -rl sesame o || die "a secret is stored"
}

bad() {
	contains "$(veer record 2>&1 || true)" "no command to run"
	same 2 "$(status veer record 2>/dev/null)"
	contains "$(veer record -o o -- /nonexistent 2>&1 || true)" "cannot run /nonexistent"
	one_line "$(veer record -o /proc/nothing -- true 2>&1 || true)"
	same "veer: no program was recorded; were they built with CC=veer-cc?" "$(veer record -o o -- true 2>&1)"
	contains "$(veer record --help)" "usage: veer record"
}

try "arguments, environment, files, output" plain
try "the command sees no difference" transparent
try "harnesses" harness
try "parallel make" parallel_make
try "ctest" ctest_suite
try "DejaGnu" dejagnu_suite
try "standard input" standard_input
try "streams" streams
try "files as they were before" files
try "temporary folders" temporary
try "programs in programs" nested
try "what cannot be run again says why" why
try "identical seeds merge" merged
try "names of temporary folders" temporary_names
try "kill -9" killed
try "seeds run again alike" again
try "sizes of folders" sizes
try "standard input as it was" input_as_it_was
try "output that is read afterwards" late_output
try "hard links" links
try "variables that were asked for" asked
try "variables that a library asks for" asked_by_library
try "secrets" secrets
try "bad usage" bad
finish
