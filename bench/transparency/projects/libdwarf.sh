# libdwarf (Debian's dwarfutils): a shared library and dwarfdump.
sources=dwarfutils
needs="libelf-dev zlib1g-dev"
code="libdwarf dwarfdump dwarfexample"

# dwarfdump reads objects that the plain compiler makes, the same in all stages.
configure() {
    ./configure --disable-silent-rules --enable-shared --enable-dwarfexample || return
    mkdir samples
    for version in 2 4 5; do
        for unit in dwarf_line dwarf_frame dwarf_leb; do
            "$PLAIN_CC" -c -O1 -gdwarf-$version -fdebug-compilation-dir=. -I. -Ilibdwarf \
                libdwarf/$unit.c -o samples/$unit.dwarf$version.o || return
        done
    done
}

build() { make -j"$JOBS" && make -j"$JOBS" check TESTS=; }

# The suite has ten tests; dumps of the samples add breadth.
check_suite() {
    make -k check
    for sample in samples/*.o dwarfdump/*.obj dwarfdump/*.exe dwarfdump/*.dSYM \
        dwarfexample/dummyexecutable.debug; do
        for option in -a -i -l -f -F -b -r -ka -G; do
            observe "dwarfdump $option $sample" dwarfdump/dwarfdump $option "$sample"
        done
    done
}

results() { results_automake libdwarf dwarfdump dwarfexample; results_checks; }

programs() { elf_programs libdwarf dwarfdump dwarfexample; }
