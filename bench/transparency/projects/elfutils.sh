# elfutils: libelf, libdw and the tools on top of them. Without the server of debugging information.
sources=elfutils
needs="zlib1g-dev libbz2-dev liblzma-dev libzstd-dev gettext flex bison m4 pkg-config"
code="libelf libdw libdwfl libdwelf libebl libasm libcpu backends lib src"

configure() {
    ./configure --disable-silent-rules --disable-debuginfod --disable-libdebuginfod --enable-maintainer-mode CFLAGS="-g -O2 -Wno-error"
}

# Warnings of another compiler are no errors; nested functions and such are left to configure.
build() { make -j"$JOBS" WERROR_CFLAGS= && make -j"$JOBS" -C tests check TESTS= ; }

check_suite() { make -j"$JOBS" -k -C tests check; }

results() { results_automake tests; }

programs() { elf_programs src tests; }
