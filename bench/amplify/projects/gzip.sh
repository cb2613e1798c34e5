package=gzip
build() { ./configure -q CC="$CC" CFLAGS="$CFLAGS" && make -s -j2 MAKEINFO=true; }
check='make -s MAKEINFO=true check'
