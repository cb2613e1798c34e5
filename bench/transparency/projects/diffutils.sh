# diffutils: cmp, diff, diff3, sdiff. Without gnulib's own tests: see sed.
sources=diffutils
needs="gettext locales-all"
code="src lib"

build() { make -j"$JOBS" && make -j"$JOBS" -C tests check TESTS=; }

check_suite() { make -j"$JOBS" -k -C tests check; }

results() { results_automake tests; }

programs() { elf_programs src; }
