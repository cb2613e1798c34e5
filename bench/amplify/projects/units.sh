package=units
build() { ./configure -q CC="$CC" CFLAGS="$CFLAGS" && make -s -j2 units; }
check='make -s check'
