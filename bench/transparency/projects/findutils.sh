# findutils: automake tests, and DejaGnu tests of find, xargs and locate.
# Without gnulib's own tests: see sed.
sources=findutils
needs="gettext dejagnu locales-all"
code="find xargs locate lib gl"

build() { make -j"$JOBS" && make -j"$JOBS" check-am TESTS=; }

# The DejaGnu suites share scratch files: not in parallel.
check_suite() {
    make -j"$JOBS" -k check-am
    for folder in find xargs locate; do
        make -k -C $folder check
    done
}

results() { results_automake tests find xargs locate; results_dejagnu find xargs locate; }

programs() { elf_programs find xargs locate; }
