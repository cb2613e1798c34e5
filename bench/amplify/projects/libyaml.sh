package=libyaml
build() { autoreconf -fi && ./configure -q --disable-shared CC="$CC" CFLAGS="$CFLAGS" && make -s -j2 && make -s -j2 -C tests check TESTS=; }
check='make -s -C tests check; for f in examples/*.yaml; do for p in scanner parser loader reformatter deconstructor; do tests/run-$p "$f" || exit; done; done'
