package=jansson
build() { autoreconf -fi && ./configure -q --disable-shared CC="$CC" CFLAGS="$CFLAGS" && make -s -j2 && make -s -j2 -C test check TESTS=; }
check='make -s -C test check'
