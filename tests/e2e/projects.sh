#!/bin/sh
# Small projects under the build systems people use: their probes, their
# libraries, their tests, with CC=veer-cc and then under veer run.
. "$(dirname "$0")/lib.sh"

sources() { # a program, a shared library, a test that passes; both have a bug
	cat >lib.c <<'C'
#include "config.h"
int sum(const int *v, int n);
int sum(const int *v, int n) { int s = 0; for (int i = 0; i <= n; i++) s += v[i]; return s - v[n]; }
C
	cat >main.c <<'C'
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
int sum(const int *v, int n);
int main(int argc, char **argv) {
	int *v = malloc(3 * sizeof *v);
	for (int i = 0; i < 3; i++) v[i] = i + argc;
	printf("%s %d\n", HAVE_STRDUP ? "probed" : "not probed", sum(v, 3));
	(void)argv;
	free(v);
	return 0;
}
C
	cat >test.sh <<'T'
[ "$("$1")" = "probed 6" ]
T
}

# found COMMAND...: its run shows the library's bug
found() {
	veer run -- "$@" >out 2>&1 || true
	contains "$(cat out)" "heap-buffer-overflow at"
	contains "$(cat out)" "lib.c:3 in sum"
}

plain_make() {
	sources
	echo '#define HAVE_STRDUP 1' >config.h
	printf '%s\n' 'prog: main.o libsum.a' '	$(CC) -o $@ main.o -L. -lsum' 'libsum.a: lib.o' '	ar crs $@ lib.o' \
		'check: prog' '	sh test.sh ./prog' >Makefile
	make CC=veer-cc CFLAGS=-O2
	make check
	found make check
}

cmake_project() {
	sources
	cat >CMakeLists.txt <<'T'
cmake_minimum_required(VERSION 3.10)
project(sum C)
include(CheckFunctionExists)
include(CheckCCompilerFlag)
include(CheckTypeSize)
check_function_exists(strdup HAVE_STRDUP)
check_function_exists(no_such_function_at_all HAVE_NONSENSE)
check_c_compiler_flag(-Wall FLAG_WALL)
check_c_compiler_flag(-fanalyzer FLAG_ANALYZER)
check_type_size(long LONG)
if(NOT HAVE_STRDUP OR HAVE_NONSENSE OR NOT FLAG_WALL OR FLAG_ANALYZER OR NOT LONG EQUAL 8)
  message(FATAL_ERROR "a probe went wrong: ${HAVE_STRDUP} ${HAVE_NONSENSE} ${FLAG_WALL} ${FLAG_ANALYZER} ${LONG}")
endif()
file(WRITE ${CMAKE_BINARY_DIR}/config.h "#define HAVE_STRDUP ${HAVE_STRDUP}\n")
include_directories(${CMAKE_BINARY_DIR})
add_library(sum SHARED lib.c)
add_executable(prog main.c)
target_link_libraries(prog sum)
enable_testing()
add_test(NAME sum COMMAND sh ${CMAKE_SOURCE_DIR}/test.sh $<TARGET_FILE:prog>)
T
	cmake -S . -B b -DCMAKE_C_COMPILER=veer-cc -DCMAKE_BUILD_TYPE=Release
	cmake --build b
	(cd b && ctest)
	found sh -c 'cd b && ctest'
}

meson_project() {
	sources
	cat >meson.build <<'T'
project('sum', 'c')
cc = meson.get_compiler('c')
assert(cc.get_id() == 'clang')
assert(cc.has_function('strdup') and not cc.has_function('no_such_function_at_all'))
assert(cc.has_argument('-Wall') and not cc.has_argument('-fanalyzer'))
assert(cc.sizeof('long') == 8)
configure_file(output: 'config.h', configuration: {'HAVE_STRDUP': 1})
lib = shared_library('sum', 'lib.c')
prog = executable('prog', 'main.c', link_with: lib)
test('sum', find_program('sh'), args: [files('test.sh'), prog])
T
	CC=veer-cc meson setup b
	ninja -C b
	meson test -C b
	found meson test -C b
}

autotools_project() { # autoconf's probes, automake's harness, libtool's wrappers
	sources
	cat >configure.ac <<'T'
AC_INIT([sum], [1.0])
AM_INIT_AUTOMAKE([foreign])
AC_CONFIG_HEADERS([config.h])
AC_PROG_CC
LT_INIT([disable-static])
AC_CHECK_FUNCS([strdup no_such_function_at_all])
AC_CHECK_SIZEOF([long])
AC_CONFIG_FILES([Makefile])
AC_OUTPUT
T
	cat >Makefile.am <<'T'
lib_LTLIBRARIES = libsum.la
libsum_la_SOURCES = lib.c
bin_PROGRAMS = prog
prog_SOURCES = main.c
prog_LDADD = libsum.la
TESTS = wrapper.sh
EXTRA_DIST = wrapper.sh
T
	printf '#!/bin/sh\nsh "$srcdir/test.sh" ./prog\n' >wrapper.sh
	chmod +x wrapper.sh
	autoreconf -i
	./configure CC=veer-cc
	same "#define HAVE_STRDUP 1" "$(grep HAVE_STRDUP config.h)"
	same "/* #undef HAVE_NO_SUCH_FUNCTION_AT_ALL */" "$(grep NO_SUCH config.h)"
	same "#define SIZEOF_LONG 8" "$(grep SIZEOF_LONG config.h)"
	make
	make check
	head -n 1 prog | grep -q '^#!' # a libtool wrapper, really
	found make check
}

try "plain make" plain_make
try "CMake and ctest" cmake_project
try "Meson" meson_project
try "autoconf, automake, libtool" autotools_project
finish
