package=elfutils
build() { [ -x configure ] || autoreconf -fi; ./configure -q --disable-libdebuginfod --disable-debuginfod --disable-nls --without-bzlib --without-lzma --without-zstd CC="$CC" CFLAGS="$CFLAGS" CXX=clang++-19 && make -s -j2; }
check='for f in tests/testfile*.bz2; do g=/tmp/veer-elf-$$; bzcat "$f" >"$g"; [ "$(stat -c %s "$g")" -gt 60000 ] || src/readelf -a "$g" >/dev/null 2>&1; rm -f "$g"; done'
