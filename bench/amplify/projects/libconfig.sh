package=libconfig
build() { [ -x configure ] || autoreconf -fi; ./configure -q --disable-shared --disable-cxx CC="$CC" CFLAGS="$CFLAGS" && make -s -j2; }
check='cd tests && ./libconfig_tests'
