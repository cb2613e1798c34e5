# file: libmagic (libtool), the program, and a table of sample files.
sources=file
needs="zlib1g-dev libbz2-dev liblzma-dev"
code=src

# bzip2 and xz in a sandbox are the system's business: no seccomp.
configure() { ./configure --disable-silent-rules --disable-libseccomp; }

# tests/test is a check program; `make check` with no sample builds only that.
build() { make -j"$JOBS" && make -C tests test; }

# `make check` stops at its first failure; this is its loop, sample by sample.
check_suite() {
    for sample in tests/*.testfile; do
        name=${sample%.testfile}
        magic=$(ls "$name"*.magic 2>/dev/null | tr '\n' ':')
        flags=
        [ -f "$name.flags" ] && flags=$(cat "$name.flags")
        check "${name#tests/}" env MAGIC="${magic:-magic/magic}" \
            tests/test "-e$flags" "$sample" "$name.result"
    done
    for option in -b -i -k -z -L; do
        observe "file $option, the samples" sh -c \
            "src/file -m magic/magic.mgc $option tests/*.testfile tests/*.result"
    done
    observe "file --list" src/file -m magic/magic.mgc --list
    observe "file, system programs" src/file -m magic/magic.mgc -b /bin/sh /usr/bin/perl /lib/ld-linux* /dev/null
}

results() { results_checks; }

programs() { elf_programs src tests; }
