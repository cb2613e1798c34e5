# libyaml: two automake tests, and its small programs on the documents that come with it.
sources=libyaml
needs="autoconf automake libtool"
code="src tests"

configure() { ./bootstrap && ./configure --disable-silent-rules --disable-shared; }

build() { make -j"$JOBS" && make -j"$JOBS" check TESTS=; }

check_suite() {
    make -k check
    for document in examples/*.yaml regression-inputs/*; do
        for program in scanner parser loader reformatter reformatter-alt deconstructor; do
            case $program in
            scanner | parser | loader) observe "run-$program $document" tests/run-$program "$document" ;;
            *) observe "example-$program $document" sh -c "tests/example-$program <'$document'" ;;
            esac
        done
    done
}

results() { results_automake tests; results_checks; }

programs() { elf_programs tests; }
