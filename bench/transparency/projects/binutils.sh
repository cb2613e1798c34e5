# binutils: readelf, objdump, objcopy and friends, with the DejaGnu suite of the
# folder binutils/. That suite takes the system's assembler and linker, of the
# same version, so neither is built.
sources=binutils
needs="binutils gcc dejagnu bison flex texinfo zlib1g-dev"
code="binutils bfd opcodes libiberty libctf include"

# The folders configure themselves as the build gets to them. To time the build
# alone, let it get to all, and clean up.
configure() {
    ./configure --disable-gdb --disable-gprofng --disable-gold --disable-gprof \
        --disable-ld --disable-gas --disable-nls --disable-werror MAKEINFO=true &&
        make -j"$JOBS" configure-host MAKEINFO=true && make clean-host
}

build() { make -j"$JOBS" MAKEINFO=true; }

# The suite, then dumps of what is on every system.
check_suite() {
    make -k -C binutils check MAKEINFO=true CC_FOR_TARGET=gcc
    for object in /bin/sh /usr/bin/env /lib64/ld-linux-x86-64.so.2 \
        "$(gcc -print-file-name=libc_nonshared.a)" "$(gcc -print-file-name=crt1.o)" \
        "$(gcc -print-file-name=libgcc.a)"; do
        observe "readelf -aW $(basename "$object")" binutils/readelf -aW "$object"
        observe "readelf -w $(basename "$object")" binutils/readelf -w "$object"
        observe "objdump -x $(basename "$object")" binutils/objdump -x "$object"
        observe "objdump -dr $(basename "$object")" binutils/objdump -dr "$object"
        observe "nm $(basename "$object")" binutils/nm-new -D "$object"
        observe "size $(basename "$object")" binutils/size "$object"
        observe "strings $(basename "$object")" binutils/strings "$object"
    done
}

results() { results_dejagnu binutils; results_checks; }

programs() { elf_programs binutils; }
