# grep. Without gnulib's own tests: see sed.
sources=grep
needs="gettext libpcre2-dev locales-all"
code="src lib"

build() { make -j"$JOBS" && make -j"$JOBS" -C tests check TESTS=; }

check_suite() { make -j"$JOBS" -k -C tests check; }

results() { results_automake tests; }

programs() { elf_programs src tests; }
