# coreutils: a hundred programs on one library. Without gnulib's own tests: see
# sed. Expensive tests stay off, as by default.
sources=coreutils
needs="gettext gperf libgmp-dev locales-all"
code="src lib"

configure() { ./configure --disable-silent-rules --enable-no-install-program=stdbuf; }

build() { make -j"$JOBS" && make -j"$JOBS" check-am TESTS=; }

check_suite() { make -j"$JOBS" -k check-am; }

results() { results_automake tests; }

programs() { elf_programs src; }
