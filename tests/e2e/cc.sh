#!/bin/sh
# veer-cc as a drop-in compiler: every way to call it, and what ends up in the output.
. "$(dirname "$0")/lib.sh"

two_files() {
	cat >one.c <<'C'
#include <stdio.h>
int two(int x);
int main(int argc, char **argv) { (void)argv; printf("%d\n", two(argc)); return 0; }
C
	echo 'int two(int x) { return x + 41; }' >two.c
}

compile_and_link() {
	two_files
	veer-cc -O2 -c one.c
	veer-cc -c two.c -o other.o
	veer-cc one.o other.o -o prog
	same 42 "$(./prog)"
	same "main two " "$(functions prog)"
}

at_once() {
	two_files
	veer-cc -O2 -Wall one.c two.c -o prog
	same 42 "$(./prog)"
	same "main two " "$(functions prog)"
	veer-cc one.c two.c
	same "main two " "$(functions a.out)"
}

mixed() { # a source and an object in one call
	two_files
	veer-cc -c two.c
	veer-cc one.c two.o -o prog
	same "main two " "$(functions prog)"
}

several_objects() {
	two_files
	veer-cc -c one.c two.c
	same 1 "$(sections one.o)"
	veer-cc one.o two.o -o prog
	same 42 "$(./prog)"
}

from_stdin() {
	two_files
	cat one.c two.c | veer-cc -x c - -o prog
	same 42 "$(./prog)"
	same "main two " "$(functions prog)"
	mkfifo pipe
	cat one.c two.c >pipe &
	out=$(veer-cc -x c pipe -o piped 2>&1)
	one_line "$out"
	contains "$out" "pipe: no bitcode"
	same 42 "$(./piped)"
	mkfifo args
	echo "one.c two.c -o answered" >args &
	veer-cc @args
	same "main two " "$(functions answered)"
	veer-cc -x c -c - -o s.o <two.c
	same 1 "$(sections s.o)"
}

preprocess_and_assemble() { # not a byte differs from clang's own output
	two_files
	for mode in -E -S "-E -P" -M -MM "-E -dM"; do
		# shellcheck disable=SC2086
		veer-cc $mode two.c -o ours
		"$CLANG" $mode two.c -o theirs
		cmp ours theirs
	done
	same "$("$CLANG" --version)" "$(veer-cc --version)"
	same "$("$CLANG" -dumpmachine)" "$(veer-cc -dumpmachine)"
	same "$("$CLANG" -print-prog-name=ld)" "$(veer-cc -print-prog-name=ld)"
}

native_code_is_clangs() { # the loaded part of an object is what clang makes
	two_files
	veer-cc -O2 -g -c one.c -o ours.o
	"$CLANG" -O2 -g -c one.c -o theirs.o
	objcopy -O binary -j .text ours.o ours.text
	objcopy -O binary -j .text theirs.o theirs.text
	cmp ours.text theirs.text
	objdump -r ours.o | sed 1,3d >a
	objdump -r theirs.o | sed 1,3d >b
	cmp a b
}

dependencies() {
	two_files
	echo '#define X 1' >x.h
	echo '#include "x.h"' >>two.c
	veer-cc -MD -MP -MF deps -MT target -c two.c -o two.o
	contains "$(cat deps)" "target: two.c x.h"
	same "deps one.c two.c two.o x.h" "$(echo *)"
	veer-cc -Wp,-MD,other -c two.c
	contains "$(cat other)" "two.o: two.c x.h"
}

response_files() {
	two_files
	mkdir 'a b'
	echo '#define N 41' >'a b/n.h'
	printf '%s\n' '-I"a b"' "-include 'n.h'" '-DM=\"x\ y\"' >args
	echo 'int two(int x) { return x + N + (sizeof M != 4); }' >two.c
	veer-cc @args -c two.c
	veer-cc one.c two.o -o prog
	same 42 "$(./prog)"
	echo 'one.c two.o -o prog2' >link
	veer-cc @link
	same "main two " "$(functions prog2)"
}

shared_and_archive() {
	two_files
	veer-cc -fPIC -shared two.c -o libtwo.so
	veer-cc one.c -L. -ltwo -Wl,-rpath,. -o prog
	same 42 "$(./prog)"
	same "main " "$(functions prog)"
	same "two " "$(functions libtwo.so)"
	echo 'int unused(void) { return 1; }' >unused.c
	veer-cc -c two.c unused.c
	ar crs libboth.a two.o unused.o
	veer-cc one.c -L. -lboth -o prog2
	same "main two " "$(functions prog2)" # only what the linker took
	ar crsT thin.a two.o unused.o
	veer-cc one.c thin.a -o prog3
	same "main two " "$(functions prog3)"
	same 42 "$(veer run -- ./prog3)"
}

partial_link() {
	two_files
	printf '.globl three\nthree: mov $3, %%eax\nret\n.section .note.GNU-stack,"",@progbits\n' >three.s
	as three.s -o three.o
	veer-cc -c one.c two.c
	ld -r one.o two.o -o both.o
	veer-cc both.o -o prog
	same "main two " "$(functions prog)"
	veer-cc -r -nostdlib one.o two.o three.o -o all.o
	veer-cc all.o -o prog2
	same "main two " "$(functions prog2)"
	same 42 "$(veer run -- ./prog2)"
}

link_time_optimisation() {
	two_files
	for lto in -flto -flto=thin -flto=auto; do
		rm -f ./*.o
		veer-cc -O2 $lto -c one.c two.c
		veer-cc -O2 $lto -fuse-ld=lld one.o two.o -o prog
		same 42 "$(./prog)"
		same "main two " "$(functions prog)"
		same 42 "$(veer run -- ./prog)"
	done
	echo 'int unused(void) { return missing(); }' >unused.c
	veer-cc -O2 -flto -Wno-implicit-function-declaration -std=gnu89 -c unused.c
	rm -rf "$VEER_CACHE_DIR/side"
	out=$(veer-cc -O2 -flto -fuse-ld=lld one.o two.o -o lost 2>&1)
	one_line "$out"
	contains "$out" "no longer in the cache"
	veer-cc -O2 -flto -c one.c two.c
	"$LLVM/llvm-ar" crs libx.a two.o unused.o
	veer-cc -O2 -flto -fuse-ld=lld one.o libx.a -o prog
	same 42 "$(veer run -- ./prog)"
}

assembler() {
	cat >one.c <<'C'
#include <stdio.h>
int three(void);
int main(void) { printf("%d\n", three()); return 0; }
C
	cat >three.S <<'S'
#define VALUE 3
	.globl three
three:	mov $VALUE, %eax
	ret
	.section .note.GNU-stack,"",@progbits
S
	veer-cc -c three.S
	veer-cc one.c three.o -o prog
	same 3 "$(./prog)"
	same 3 "$(veer run -- ./prog)"
	veer-cc one.c three.S -o prog2
	rm three.o three.S
	same 3 "$(veer run -- ./prog2)"
}

foreign_objects() { # compiled by another compiler, and gone when the variant is built
	two_files
	"$CLANG" -c two.c -o two.o
	veer-cc one.c two.o -o prog
	"$CLANG" -c two.c -o t.o
	ar crs libt.a t.o
	veer-cc one.c libt.a -o prog2
	rm two.o libt.a t.o
	same 42 "$(veer run -- ./prog)"
	same 42 "$(veer run -- ./prog2)"
}

version_script() {
	two_files
	echo '{ global: two; local: *; };' >map
	veer-cc -fPIC -shared two.c -Wl,--version-script=map -Wl,-soname,libtwo.so.1 -Wl,-z,defs -o libtwo.so.1
	veer-cc one.c libtwo.so.1 -Wl,-rpath,. -Wl,-Map,mapfile -o prog
	rm map mapfile
	same 42 "$(veer run -- ./prog)"
	[ ! -e mapfile ] # building the variant writes nothing here
}

standards() {
	echo 'int f(x) int x; { return x; }' >old.c
	for std in gnu89 c99 gnu11 gnu17; do
		veer-cc -std=$std -Wno-deprecated-non-prototype -c old.c
		same 1 "$(sections old.o)"
	done
	echo 'constexpr int n = 3; bool f(void) { return n; }' >new.c
	veer-cc -std=gnu23 -c new.c
	same 1 "$(sections new.o)"
	echo 'int main() { f(); } int f() { return 0; }' >older.c
	veer-cc -std=gnu89 older.c -o older
	./older
}

gcc_options() {
	two_files
	out=$(veer-cc -O2 -fanalyzer -fno-tree-pre -mno-fancy-math-387 -c two.c 2>&1)
	one_line "$out"
	contains "$out" "unknown option ignored"
	contains "$out" "-fanalyzer"
	same 1 "$(sections two.o)"
	same 1 "$(status veer-cc -Werror -fanalyzer -c two.c)" # a probe wants to hear no
	same "" "$(veer-cc -O2 -pipe -Wall -pthread -fstack-protector-strong -c two.c 2>&1)"
}

silent() {
	two_files
	same "" "$(veer-cc -O2 -g -Wall one.c two.c -o prog 2>&1)"
	out=$(veer-cc -c missing.c 2>&1) && die "compiled a missing file"
	contains "$out" "missing.c"
	echo 'int main(void) { return x; }' >bad.c
	same "$("$CLANG" bad.c 2>&1)" "$(veer-cc bad.c 2>&1)"
	same 1 "$(status veer-cc -c bad.c)"
}

no_bitcode() { # compiles natively, but not for the bitcode
	cat >hard.c <<'C'
#if __has_feature(address_sanitizer)
#error no sanitizers here
#endif
int two(int x) { return x + 41; }
C
	two_files
	out=$(veer-cc -c hard.c 2>&1)
	one_line "$out"
	contains "$out" "hard.c: no bitcode"
	veer-cc one.c hard.o -o prog
	same 42 "$(./prog)"
	same "main " "$(functions prog)"
	same 42 "$(veer run -- ./prog)"
	veer-cc one.c hard.c -o prog2 2>/dev/null
	same 42 "$(veer run -- ./prog2)"
}

precompiled_header() { # as CMake uses it
	two_files
	echo '#include <stdio.h>' >all.h
	veer-cc -O2 -x c-header all.h -o all.h.pch
	same "" "$(veer-cc -O2 -Xclang -include-pch -Xclang all.h.pch -Xclang -include -Xclang "$PWD/all.h" one.c two.c -o prog 2>&1)"
	same "main two " "$(functions prog)"
}

other_names() {
	two_files
	for name in cc gcc clang; do
		PATH=$VEER_BUILD/wrappers:$PATH $name one.c two.c -o prog
		same "main two " "$(functions prog)"
	done
	PATH=$VEER_BUILD/wrappers:$PATH sh -c 'cc -c one.c && gcc -c two.c && c++ one.o two.o -o mixed'
	same "main two " "$(functions mixed)"
	same 42 "$(veer run -- ./mixed)"
}

special_outputs() {
	two_files
	veer-cc -c two.c -o /dev/null
	veer-cc one.c two.c -o /dev/null
	[ -c /dev/null ]
	mkdir -p 'sub dir'
	veer-cc -c two.c -o 'sub dir/two file.o'
	veer-cc one.c 'sub dir/two file.o' -o 'my prog'
	same 42 "$(veer run -- './my prog')"
}

strip_keeps_it() {
	two_files
	veer-cc one.c two.c -s -Wl,--gc-sections -o prog
	strip prog
	same "main two " "$(functions prog)"
	same 42 "$(veer run -- ./prog)"
	for ld in bfd gold lld; do
		command -v ld.$ld >/dev/null 2>&1 || ld.$ld --version >/dev/null 2>&1 || [ $ld = lld ] || continue
		veer-cc -fuse-ld=$ld one.c two.c -o "prog-$ld"
		same "main two " "$(functions "prog-$ld")"
		same 42 "$(veer run -- "./prog-$ld")"
	done
}

user_sanitizers() { # a project that already builds with them
	two_files
	veer-cc -g -fsanitize=address,undefined one.c two.c -o prog
	same 42 "$(./prog)"
	same 42 "$(veer run -- ./prog)"
	veer-cc --coverage one.c two.c -o covered
	same 42 "$(./covered)"
	same 42 "$(veer run -- ./covered)"
}

try "compile, then link" compile_and_link
try "compile and link at once" at_once
try "a source and an object" mixed
try "several sources with -c" several_objects
try "standard input" from_stdin
try "-E, -S, -M and questions are clang's" preprocess_and_assemble
try "native code is clang's" native_code_is_clangs
try "dependency files" dependencies
try "response files" response_files
try "shared libraries and archives" shared_and_archive
try "ld -r" partial_link
try "-flto" link_time_optimisation
try "assembler sources" assembler
try "objects of another compiler" foreign_objects
try "version scripts, -z defs, map files" version_script
try "language standards" standards
try "gcc-only options" gcc_options
try "silent, and clang's own errors" silent
try "a source whose bitcode run fails" no_bitcode
try "precompiled headers" precompiled_header
try "other names, C++ as linker" other_names
try "special outputs" special_outputs
try "strip and other linkers" strip_keeps_it
try "sanitizers and coverage of the project" user_sanitizers
finish
