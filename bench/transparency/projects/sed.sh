# sed: automake tests of the program, and gnulib's tests of the library it shares
# with the other GNU projects here (they leave gnulib's tests out).
sources=sed
needs="autoconf automake gettext locales-all"
code="sed lib"

build() { make -j"$JOBS" && make -j"$JOBS" check TESTS=; }

programs() { elf_programs sed testsuite gnulib-tests; }
