#!/bin/sh
# Bad input: one clear line that says what, where and what to do; a proper exit
# status; nothing lost.
. "$(dirname "$0")/lib.sh"

make_prog() {
	echo 'int main(int argc, char **argv) { (void)argv; return argc - 1; }' >prog.c
	veer-cc -g prog.c -o prog
}

# complains STATUS PART COMMAND...: exits so, with one line on standard error that holds PART
complains() {
	want=$1 part=$2
	shift 2
	got=0
	"$@" 2>err >/dev/null || got=$?
	same "$want" "$got"
	one_line "$(cat err)"
	contains "$(cat err)" "$part"
	case $(cat err) in veer*) ;; *) die "no tool name in: $(cat err)" ;; esac
}

# runs_natively PART: `prog` runs, with one line that says why it is not sanitized
runs_natively() {
	same 0 "$(status veer run -- ./prog 2>err)"
	sed -i '/^veer: no program ran/d' err
	one_line "$(cat err)"
	contains "$(cat err)" "/prog runs natively: "
	contains "$(cat err)" "$1"
}

usage() {
	make_prog
	complains 2 "no variant 'fast' (there are: sanitized, traced, explored, fragment, fragment-sanitized)" veer run --variant fast -- ./prog
	complains 2 "no option --wrong" veer run --wrong -- ./prog
	complains 2 "no command to run" veer run
	complains 2 "wants a value" veer run --variant
	complains 2 "wants a number" veer run --error-exitcode x -- ./prog
	complains 2 "from 1 to 255" veer run --error-exitcode 256 -- ./prog
	complains 2 "there is no command 'frob'" veer frob
	complains 2 "there is no source 'disk'" veer path --sym argv,disk -- ./prog
	complains 2 "there is no source 'env:'" veer run --variant traced --sym env: -- ./prog
	complains 1 "cannot find nothing" veer path --sym file:nothing -- ./prog
	complains 2 "which program" veer bitcode
	complains 1 "cannot run ./nothing: No such file" veer run -- ./nothing
	complains 1 "cannot run ./prog.c: Permission denied" veer run -- ./prog.c
	veer --help >help
	veer run --help >>help
	veer --version >>help
	for c in run bitcode clean doctor; do contains "$(cat help)" "$c"; veer $c --help >/dev/null; done
}

not_ours() {
	make_prog
	"$CLANG" prog.c -o foreign
	complains 1 "foreign has no bitcode" veer bitcode foreign
	complains 1 "prog.c is not a program" veer bitcode prog.c
	complains 1 "cannot open missing: No such file" veer bitcode missing
	complains 1 ". is not a regular file" veer bitcode .
	contains "$(veer run -- ./foreign 2>&1)" "no program ran as its sanitized variant"
	same "" "$(veer run -q -- ./foreign 2>&1)"
}

stripped() {
	make_prog
	"$LLVM/llvm-strip" prog
	complains 1 "llvm-strip" veer bitcode prog
	contains "$(veer run -- ./prog 2>&1)" "no program ran as its sanitized variant"
}

linked_without_us() {
	make_prog
	veer-cc -c prog.c
	"$CLANG" prog.o -o prog
	runs_natively "was not linked by veer-cc"
}

corrupt() {
	make_prog
	at=$(grep -abo VEERBC1 prog | head -n 1 | cut -d: -f1)
	cp prog good
	# header, text, payload
	for offset in 9 30 60 70 400; do
		cp good prog
		printf '\377' | dd of=prog bs=1 seek=$((at + offset)) conv=notrunc 2>/dev/null
		complains 1 damaged veer bitcode prog
		runs_natively "damaged"
	done
	head -c 60 good >short
	complains 1 "ELF" veer bitcode short
}

bad_bitcode() { # intact frame, nonsense inside: what LLVM says, not a crash
	make_prog
	cat >forge.c <<'C'
#include <stdio.h>
#include "base/buf.h"
#include "object/elf.h"
#include "object/frame.h"
int main(int argc, char **argv) {
	struct buf payload = {0}, out = {0};
	struct err err;
	FILE *f = fopen(argv[2], "r");
	for (int c; (c = fgetc(f)) != EOF;) buf_addch(&payload, (char)c);
	struct frame frame = {.kind = FRAME_BITCODE, .source = "forged.c", .cwd = "/", .note = ""};
	frame_pack(&out, &frame, payload.data, payload.len);
	return argc != 3 || elf_append(argv[1], FRAME_SECTION, out.data, out.len, &err) < 0;
}
C
	"$CLANG" -I"$VEER_SOURCE/src" forge.c "$VEER_BUILD/src/object/libobject.a" "$VEER_BUILD/src/base/libbase.a" -lzstd -lxxhash -o forge
	cp prog good
	echo nonsense >nonsense
	./forge prog nonsense
	complains 1 "forged.c" veer bitcode prog
	runs_natively "cannot instrument forged.c"
	veer bitcode good -o real.bc
	for offset in 40 200 600 1200 2000; do
		cp good prog
		cp real.bc broken.bc
		head -c 64 /dev/zero | dd of=broken.bc bs=1 seek=$offset conv=notrunc 2>/dev/null
		./forge prog broken.bc
		# Whatever LLVM makes of it: the program runs, with at most one line about it.
		same 0 "$(status veer run -- ./prog 2>err)"
		[ "$(grep -vc 'no program ran' err)" -le 1 ] || die "$(cat err)"
	done
}

unwritable_cache() {
	make_prog
	echo x >file
	VEER_CACHE_DIR=$PWD/file/cache complains 1 "set VEER_CACHE_DIR" veer run -- ./prog
	VEER_CACHE_DIR=/proc/veer complains 1 "set VEER_CACHE_DIR" veer run -- ./prog
	VEER_CACHE_DIR=/proc/veer complains 1 "set VEER_CACHE_DIR" veer clean
	VEER_CACHE_DIR=/proc/veer veer-cc -c prog.c # compiling needs no cache
	out=$(VEER_CACHE_DIR=/proc/veer veer-cc -flto -c prog.c 2>&1) # but with -flto it does
	one_line "$out"
	contains "$out" "prog.c: cannot create"
	[ -s prog.o ]
}

missing_compiler() {
	make_prog
	VEER_CLANG=/nonexistent/clang complains 1 "cannot find /nonexistent/clang; install $CLANG" veer-cc -c prog.c
	VEER_CLANG=/nonexistent/clang complains 1 "cannot find /nonexistent/clang" veer run -- ./prog
	VEER_CLANG=/nonexistent/clang veer doctor >out && die "the doctor is content without a compiler"
	contains "$(cat out)" "apt-get install $CLANG"
	veer doctor >out
	contains "$(cat out)" "everything is there"
}

# In a file system of 300 kB, in namespaces of its own.
on_full_disk() {
	unshare -Urm sh -ec "mkdir -p full; mount -t tmpfs -o size=300k none full; $1"
}

disk_full() {
	make_prog
	unshare -Urm true || skip "user namespaces are not allowed here"
	# The object fits, its section does not: the object stays good.
	yes '#define LINE_OF_TEXT this is here to make debug information large' | head -n 10 >big.c
	i=0
	while [ $i -lt 2000 ]; do echo "int function_with_a_long_name_$i(int *p, int n) { return p[n] + $i; }" >>big.c; i=$((i + 1)); done
	veer-cc -O0 -c big.c -o reference.o
	size=$("$CLANG" -O0 -c big.c -o plain.o && wc -c <plain.o)
	export size
	unshare -Urm sh -ec "mkdir full; mount -t tmpfs -o size=$((size / 1024 + 40))k none full
		veer-cc -O0 -c big.c -o full/big.o 2>err; cp full/big.o got.o"
	one_line "$(cat err)"
	contains "$(cat err)" "No space left"
	cmp plain.o got.o
	# The variant does not fit.
	on_full_disk 'VEER_CACHE_DIR=$PWD/full/cache veer run -- ./prog 2>err'
	sed -i '/^veer: no program ran/d' err
	one_line "$(cat err)"
	contains "$(cat err)" "runs natively"
	contains "$(cat err)" "pace left"
	# Nowhere to write the bitcode.
	on_full_disk 'head -c 400k /dev/zero >full/fill 2>/dev/null || true; veer bitcode prog -o full/x.bc 2>err || echo $? >code'
	one_line "$(cat err)"
	contains "$(cat err)" "No space left"
	same 1 "$(cat code)"
}

killed() { # kill -9 while a variant is built: the next run builds it
	make_prog
	for delay in 0.01 0.03 0.06 0.1; do
		veer clean >/dev/null
		veer run -- ./prog &
		pid=$!
		sleep $delay
		kill -9 $pid 2>/dev/null || true
		wait $pid 2>/dev/null || true
		same 1 "$(status veer run -- ./prog a)"
	done
}

nested() {
	make_prog
	out=$(veer run -- veer run -- ./prog 2>&1) && die "a nested run worked"
	contains "$out" "may not trace its children"
}

cache_of_another() { # what is in the cache gets executed
	make_prog
	mkdir -m 777 open
	VEER_CACHE_DIR=$PWD/open complains 1 "anybody may write" veer run -- ./prog
	[ "$(id -u)" = 0 ] || return 0
	mkdir theirs
	chown 65534 theirs
	VEER_CACHE_DIR=$PWD/theirs complains 1 "belongs to another user" veer run -- ./prog
}

cache_in_use() { # only a folder that veer made is its cache
	make_prog
	mkdir -p mine/tmp mine/runs mine/programs
	echo precious >mine/tmp/file
	(cd mine && VEER_CACHE_DIR=. complains 1 "no cache of veer and not empty" veer run -- ../prog)
	(cd mine && VEER_CACHE_DIR=. complains 1 "no cache of veer and not empty" veer clean)
	same precious "$(cat mine/tmp/file)"
	[ -d mine/runs ] && [ -d mine/programs ]
}

interrupted() { # Ctrl-C while a variant is built
	i=0
	while [ $i -lt 3000 ]; do
		echo "int f$i(int *p, int n) { int s = 0; for (int i = 0; i < n; i++) s += p[i] * $i / (i + 1); return s; }"
		i=$((i + 1))
	done >prog.c
	echo 'int main(void) { return 0; }' >>prog.c
	veer-cc prog.c -o prog
	started=$(date +%s)
	setsid sh -c 'trap "" HUP; exec veer run -- ./prog' 2>/dev/null &
	pid=$!
	sleep 1
	kill -INT -$pid
	wait $pid || true
	[ $(($(date +%s) - started)) -lt 8 ] || die "it went on"
}

clean() {
	make_prog
	veer run -- ./prog
	contains "$(veer clean)" " 0.0 MiB left"
	same 0 "$(find "$VEER_CACHE_DIR/programs" "$VEER_CACHE_DIR/units" -type f | wc -l)"
	veer run -- ./prog
	VEER_CACHE_SIZE=1 veer clean --trim >/dev/null
	same 0 "$(find "$VEER_CACHE_DIR/programs" "$VEER_CACHE_DIR/units" -type f | wc -l)"
	veer run -- ./prog
	VEER_CACHE_SIZE=1G veer clean --trim >/dev/null
	same 2 "$(find "$VEER_CACHE_DIR/programs" "$VEER_CACHE_DIR/units" -type f | wc -l)"
}

try "wrong arguments" usage
try "programs of others" not_ours
try "llvm-strip" stripped
try "linked without veer-cc" linked_without_us
try "corrupt section" corrupt
try "corrupt bitcode" bad_bitcode
try "unwritable cache" unwritable_cache
try "missing compiler" missing_compiler
try "disk full" disk_full
try "killed while building" killed
try "nested runs" nested
try "clean and its limit" clean
try "a cache that others can write to" cache_of_another
try "a folder that is no cache" cache_in_use
try "interrupted while building" interrupted
finish
