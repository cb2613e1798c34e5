package=mawk
build() { ./configure -q CC="$CC" CFLAGS="$CFLAGS" && make -s; }
check='make -s check'
