# expat: one large test program, its benchmark, and xmlwf.
sources=expat
needs="autoconf automake libtool"
code="lib xmlwf"

configure() {
    cd expat && ./buildconf.sh && ./configure --disable-silent-rules --disable-shared --without-docbook
}

build() { make -C expat -j"$JOBS" && make -C expat -j"$JOBS" check TESTS=; }

check_suite() {
    make -C expat -k check
    for document in expat/doc/*.xml expat/doc/*.html expat/*.in; do
        for option in -- -s -n -p -r; do
            observe "xmlwf $option $document" expat/xmlwf/xmlwf $option "$document"
        done
    done
}

results() { results_automake expat/tests; results_checks; }

programs() { elf_programs expat/tests expat/xmlwf; }
