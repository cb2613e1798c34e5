#!/bin/sh
# What veer itself reads, writes and prints when names, links and files around it are anybody's.
. "$(dirname "$0")/lib.sh"

cp "$VEER_SOURCE/tests/programs/over.c" "$SCRATCH"
veer-cc -g -o "$SCRATCH/over" "$SCRATCH/over.c" || exit 1

campaign() { veer explore -q -j1 --runs 20 "$@" -- "$SCRATCH/over" oabcdefghijk; }

# --- sources -----------------------------------------------------------------

# Names of sources are what #line says: those elsewhere are not quoted.
foreign_sources() {
	mkdir home project
	echo 'a secret of somebody' >home/secret
	{
		cat "$SCRATCH/over.c" | head -n 7
		echo "#line 1 \"$PWD/home/secret\""
		tail -n +8 "$SCRATCH/over.c"
	} >project/p.c
	(
		cd project
		veer-cc -g -o p p.c
		veer explore -q -j1 --runs 20 -- ./p oabcdefghijk
		veer report >said
		veer report --format html >/dev/null
		veer explain F1 >>said
		veer report --format sarif --to said.sarif
		contains "$(cat said)" "secret:" # its name
		lacks "$(cat said veer-out/report.html said.sarif)" "a secret of somebody"
	)
	# Those of the program are, wherever it was built.
	mkdir elsewhere build
	cp "$SCRATCH/over.c" elsewhere/q.c
	(cd build && veer-cc -g -o q ../elsewhere/q.c && veer explore -q -j1 --runs 20 -o ../out -- ./q oabcdefghijk)
	(cd home && veer report -o ../out --format html >/dev/null && veer explain -o ../out F1 >../said)
	contains "$(cat said)" "small[strlen(argv[1])] = 1;"
	contains "$(cat out/report.html)" "small[strlen(argv[1])] = 1;"
}

# --- names -------------------------------------------------------------------

program_names() {
	for name in "it's" 'a"b' "$(printf 'line\nbreak')" "$(printf 'bell\007\033[31m')" "$(printf 'no\377text')" \
		"$(printf 'turned\342\200\256around')" '$(touch pwned)' '<b>&amp;'; do
		cp "$SCRATCH/over" "./$name"
		rm -rf veer-out
		veer explore -q -j1 --runs 20 -- "./$name" oabcdefghijk >said 2>&1
		contains "$(cat said)" "F1 error: stack-buffer-overflow at $SCRATCH/over.c:9 in main"
		same 0 "$(status sh -n veer-out/findings/F1/reproduce.sh)"
		contains "$(veer replay F1)" "F1: again: stack-buffer-overflow in main"
		veer report >>said
		veer explain --quick F1 >>said
		veer watch --once >>said
		python3 -m json.tool veer-out/results.json >/dev/null
		veer report --format sarif --to said.sarif >/dev/null
		python3 -m json.tool said.sarif >/dev/null
		veer report --format junit --to said.xml >/dev/null
		python3 -c 'import xml.dom.minidom; xml.dom.minidom.parse("said.xml")'
		veer report --quick --format html >/dev/null
		for file in said veer-out/results.json said.sarif said.xml veer-out/report.html \
			veer-out/findings/F1/report.txt veer-out/findings/F1/reproduce.sh; do
			clean $file
		done
		lacks "$(cat veer-out/report.html)" '<b>&amp;'
		[ ! -e pwned ]
	done
	name=$(printf 'bell\007\033[31m\nline')
	cp "$SCRATCH/over" "./$name"
	veer test -v -j1 --budget 20s --max-distance 0 -o tested -- "./$name" oabc >said 2>&1
	clean said
	folder=$(printf 'out\033[31m\342\200\256')
	veer record -o "$folder" -- "./$name" oabc >said 2>&1
	contains "$(cat said)" "1 seed in out"
	veer record -q -o other -- "$SCRATCH/over" oab >>said 2>&1
	veer merge other "$folder" >merged 2>&1
	contains "$(cat merged)" "new inputs"
	cat merged >>said
	clean said
	veer replay -o "$name" F1 >said 2>&1 || true # errors, too
	one_line "$(cat said)"
	clean said
}

# In tables and lcov, names of sources and functions.
coverage_names() {
	name=$(printf 'x\033[31m\342\200\256y.c')
	{
		printf '#line 1 "%s"\n' 'x\033[31m\342\200\256y\nSF:other.c'
		cat "$SCRATCH/over.c"
	} >p.c
	veer-cc -g -w -o p p.c
	veer explore -q -j1 --runs 20 -- ./p oabcdefghijk >said 2>&1
	veer coverage --uncovered --lcov first.info >table
	veer report --format lcov --to second.info >/dev/null
	for file in said table first.info second.info; do clean $file; done
	same 1 "$(grep -c '^SF:' first.info)"
	same 1 "$(grep -c '^SF:' second.info)"
}

# What a saved trace names: inputs, sources, functions. In SMT-LIB a line break would end the comment, too.
trace_names() {
	name=$(printf 'in\033[31m\342\200\256')
	echo x >"$name"
	cat >p.c <<'END'
#include <fcntl.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	char c = 0;
	return argc < 2 || read(open(argv[1], O_RDONLY), &c, 1) != 1 || c == 'y';
}
END
	{
		printf '#line 1 "%s"\n' 'x\033[31m\n(assert false)\342\200\256y.c'
		cat p.c
	} >odd.c
	veer-cc -g -w -o p odd.c
	for option in --events --stacks --smt2 "--smt2 --negate 1" "--coverage --stats"; do
		# shellcheck disable=SC2086
		veer path --no-compare $option --sym "file:$name" -- ./p "$name" >said 2>&1
		clean said
		lacks "$(cat said)" "
(assert false)"
	done
	veer path --no-compare --save trace --sym "file:$name" -- ./p "$name"
	veer solve trace >said
	contains "$(cat said)" " sat "
	event=$(sed -n 's/^\([0-9]*\) sat .*/\1/p' said | tail -n 1)
	veer solve trace --negate "$event" --hex >>said
	veer solve trace --negate "$event" --smt2 >>said
	clean said
}

# --- links and other files in the folder of a campaign ------------------------------------

# refuses PART COMMAND...: one line, and what the link leads to stays as it was
refuses() {
	part=$1
	shift
	same 1 "$(status "$@" 2>said | tail -n 1)"
	one_line "$(cat said)"
	contains "$(cat said)" "$part"
}

links() {
	mkdir target
	campaign -o out >/dev/null
	for name in findings files recorded; do
		rm -rf at
		cp -r out at
		rm -rf at/findings at/$name
		ln -s "$PWD/target" at/$name
		case $name in
		findings) refuses "at/findings is a link, not a folder" campaign -o at ;;
		files) refuses "at/files is a link, not a folder" veer record -q -o at -- "$SCRATCH/over" x ;;
		recorded) veer record -q -o at -- "$SCRATCH/over" x || true ;;
		esac
		same "" "$(ls target)"
	done
	echo kept >target/file
	for name in report.html results.json; do
		rm -rf at
		cp -r out at
		rm -f at/$name
		ln -s "$PWD/target/file" at/$name
		veer report --quick --format html -o at >/dev/null
		campaign -o at >/dev/null
		same kept "$(cat target/file)"
		[ ! -L at/$name ]
	done
	mkfifo target/pipe # a link to what is no file would be written to
	rm at/report.html
	ln -s "$PWD/target/pipe" at/report.html
	timeout 60 veer report --quick --format html -o at >/dev/null
	[ ! -L at/report.html ]
	for name in veer.db veer.db-wal; do
		rm -rf at
		cp -r out at
		rm -f at/$name
		ln -s "$PWD/target/file" at/$name
		refuses "at/$name is a link, not a file; remove it, or use another folder" campaign -o at
		same kept "$(cat target/file)"
	done
}

# A pipe would be waited for.
other_kinds() {
	mkdir pipe folder
	mkfifo pipe/veer.db
	mkdir folder/veer.db
	for command in report coverage; do
		same 1 "$(status timeout 20 veer $command $([ $command = coverage ] || echo -o) pipe 2>said)"
		same "veer: pipe/veer.db is a pipe, not a file; remove it, or use another folder" "$(cat said)"
	done
	refuses "pipe/veer.db is a pipe" campaign -o pipe
	refuses "folder/veer.db is a folder" campaign -o folder
}

# --- leftovers -----------------------------------------------------------------

# What a killed campaign left in the cache is removed by the next veer, while others work; what these use is not.
leftovers() {
	VEER_CACHE_DIR=$PWD/cache
	folders() { find cache/runs cache/tmp -mindepth 1 -maxdepth 1 -type d | sort; }
	running() { [ -d cache/runs ] && [ "$(folders | wc -l)" -gt "$1" ]; }
	cat >endless.c <<'END'
#include <unistd.h>
int main(void)
{
	char c;
	unsigned hash = 0;
	while (read(0, &c, 1) == 1)
		hash = c > 'm' ? hash * 31 + (unsigned char)c : hash ^ 5;
	return hash == 12345678;
}
END
	veer-cc -g -o endless endless.c
	veer explore -q -j1 -o lives -- ./endless <endless.c >/dev/null 2>&1 &
	lives=$!
	for _ in $(seq 300); do if [ -e lives/veer.db ] && running 0; then break; fi; sleep 0.1; done
	own=$(folders)
	[ "$own" ]
	veer explore -q -j1 -o dies -- ./endless <endless.c >/dev/null 2>&1 &
	dies=$!
	for _ in $(seq 300); do if [ -e dies/veer.db ] && running 1; then break; fi; sleep 0.1; done
	kill -KILL $dies
	wait $dies || true
	[ "$(folders)" != "$own" ] || die "it left nothing"
	for _ in $(seq 100); do # its workers end
		veer run -q -- true
		if [ "$(folders)" = "$own" ]; then break; fi
		sleep 0.2
	done
	same "$own" "$(folders)"
	kill -INT $lives
	wait $lives || true
	same "" "$(folders)"
}

# --- what the machine does not have ----------------------------------------------

without() { # how, part of the line
	unshare -m true 2>/dev/null || skip "no mount namespaces"
	cp "$SCRATCH/over" .
	same 1 "$(status unshare -m sh -c "$1; exec veer explore -q -- ./over x" 2>said)"
	one_line "$(cat said)"
	contains "$(cat said)" "$2"
	lacks "$(cat said)" docker
}
# /tmp is where this test is, perhaps: so it is made read-only as it is.
read_only_tmp() {
	without 'mount --bind /tmp /tmp && mount -o remount,ro,bind /tmp' \
		"cannot make a folder in /tmp: Read-only file system; set TMPDIR to one that you may write to"
}
no_proc() {
	without 'umount -l /proc' "/proc is missing; as root: mount -t proc proc /proc"
	same 1 "$(status unshare -m sh -c 'umount -l /proc; exec veer run -- ./over x' 2>said)"
	same "veer: /proc is missing, by which veer finds its parts; as root: mount -t proc proc /proc" "$(cat said)"
}

# A program's recorded link line is whatever somebody wrote: what it names is not executed, and what it writes lies in the
# build's own folder. That veer-cc records these options here is the user's doing.
link_line() {
	mkdir tools out
	veer-cc -g -fuse-ld=lld -B"$PWD/tools" -o planted "$SCRATCH/over.c"
	veer-cc -g -fuse-ld=lld -Wl,--reproduce="$PWD/out/canary" -o writes "$SCRATCH/over.c"
	for name in ld ld.lld; do
		printf '#!/bin/sh\ntouch %s/executed\n' "$PWD" >tools/$name
		chmod +x tools/$name
	done
	echo canary >out/canary
	same 0 "$(status veer run -- ./planted x 2>said)"
	contains "$(cat said)" "has -B$PWD/tools, by which a compiler runs code of its choice; link it again without"
	[ ! -e executed ] || die "a linker beside the program was executed"
	if "$VEER_BUILD/tests/unit/test_confine" | grep -q "^skip"; then skip "no Landlock"; fi
	veer run -- ./writes x 2>said || true
	same canary "$(cat out/canary)"
	same canary "$(ls out)"
}

# What LLVM says when it fails is what the user is told. That it fails here is a library's doing that stands before it.
fails() {
	cat >fails.c <<'END'
#include <assert.h>
int LLVMVerifyModule(void *module, int action, char **message)
{
	int units = 0;
	assert(units && "of the test");
	return 0;
}
END
	clang-19 -shared -fPIC -o fails.so fails.c
}

assertion() {
	fails
	same 0 "$(VEER_CACHE_DIR=$PWD/cache LD_PRELOAD=$PWD/fails.so status veer run -- "$SCRATCH/over" x 2>said)"
	contains "$(cat said)" "LLVM crashed on this unit: "
	contains "$(cat said)" "Assertion \`units && \"of the test\"' failed."
	lacks "$(cat said)" "Stack dump"
}

# Damaged bitcode on which LLVM dies: one line says which source, and what to do.
bitcode_crash() {
	fails
	same 1 "$(LD_PRELOAD=$PWD/fails.so status veer bitcode "$SCRATCH/over" -o whole.bc 2>said)"
	same 1 "$(wc -l <said | tr -d ' ')"
	contains "$(cat said)" "veer: cannot link the bitcode of $SCRATCH/over: "
	contains "$(cat said)" "over.c: LLVM crashed on this unit: "
	contains "$(cat said)" "; compile that again with veer-cc"
	[ ! -e whole.bc ] || die "there is a file"
}

# A library that is put before all programs that veer starts: tools that read what foreign files hold try to write
# into a folder of the user, and tell that they were there by a line that their caller keeps or ignores.
planted() {
	cat >planted.c <<'END'
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
__attribute__((constructor)) static void plant(void)
{
	static const char *const tools[] = {"llvm-symbolizer", "veer-instrument", "make", "cc1", "clang", "ld", "as", "ar"};
	const char *name = program_invocation_short_name;
	for (unsigned i = 0; i < sizeof tools / sizeof *tools; i++) {
		char path[4096];
		size_t n = strlen(tools[i]);
		if (strncmp(name, tools[i], n) != 0 || (name[n] && name[n] != '-' && name[n] != '.'))
			continue;
		snprintf(path, sizeof path, "%s/%s", CANARIES, tools[i]);
		if (open(path, O_CREAT | O_WRONLY, 0600) >= 0 || socket(AF_UNIX, SOCK_DGRAM, 0) >= 0)
			rename(CANARIES "/mine", CANARIES "/harmed");
	}
}
END
	mkdir canaries
	clang-19 -DCANARIES="\"$PWD/canaries\"" -shared -fPIC -o planted.so planted.c
}

# unharmed WHAT: nothing but the user's own file is there
unharmed() {
	same mine "$(ls canaries)" || die "$1 wrote outside"
}

# All tools that read foreign files are confined: that they would do harm shows what they do outside.
tools() {
	if "$VEER_BUILD/tests/unit/test_confine" | grep -q "^skip"; then skip "no Landlock"; fi
	contains "$(veer doctor || true)" "confined by Landlock"
	planted
	cat >object.c <<'END'
#include <veer.h>
int main(void)
{
	struct { int a, b; } pair;
	veer_make_symbolic(&pair, sizeof pair, "pair");
	return pair.a == 3;
}
END
	veer-cc -g -o object object.c
	cat >calls.c <<'END'
static int is_a(const char *text) { if (text[0] == 'a') return 3; return 4; }
int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	return is_a(argv[1]);
}
END
	veer-cc -g -O0 -o calls calls.c
	printf 'int twice(int x)\n{\n\treturn x > 5 ? 2 * x : 0;\n}\n' >lib.c
	veer-cc -g -c lib.c && ar crs libtwice.a lib.o
	LD_PRELOAD=$PWD/planted.so "$CLANG" -c lib.c -o /dev/null # outside
	same "clang" "$(ls canaries)"
	rm canaries/clang
	echo mine >canaries/mine
	export LD_PRELOAD="$PWD/planted.so"
	veer explore -q -j1 --runs 20 -o found -- "$SCRATCH/over" oabcdefghijk >out 2>&1
	contains "$(cat out)" "over.c:9 in main"
	unharmed "the symbolizer of runs"
	veer path --sym argv --stacks --no-compare -- ./calls x >out 2>&1 || true
	contains "$(cat out)" "called from $PWD/calls.c:6"
	unharmed "the symbolizer"
	veer explore -q -j1 --runs 20 -o objects -- ./object >out 2>&1
	veer export --as c -o objects --to c >out 2>&1 || die "$(cat out)"
	contains "$(cat c/*.c)" "pair"
	unharmed "the list of types"
	veer bitcode ./object -o whole.bc
	unharmed "the linking of bitcode"
	veer cover -q -j1 --budget 2s -o covered libtwice.a >out 2>&1 || die "$(cat out)"
	unharmed "the host of a library"
	veer export --as c -o covered --to functions >out 2>&1 || die "$(cat out)"
	unharmed "the compilers of tests in C"
	unset LD_PRELOAD
	make -s -C functions check >out 2>&1 || die "$(cat out)"
}

try "tools that read foreign files are confined" tools
try "bitcode on which LLVM crashes" bitcode_crash
try "what a recorded link line cannot do" link_line
try "what LLVM says when it crashes" assertion
try "sources that #line names are quoted only where the program was built" foreign_sources
try "programs of any name" program_names
try "names in coverage" coverage_names
try "names in traces" trace_names
try "links in a campaign's folder are not followed" links
try "a database that is no file" other_kinds
try "leftovers of killed campaigns are removed" leftovers
try "/tmp is read-only" read_only_tmp
try "/proc is missing" no_proc
finish
