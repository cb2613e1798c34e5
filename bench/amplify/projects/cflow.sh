package=cflow
build() { ./configure -q CC="$CC" CFLAGS="$CFLAGS" && make -s -j2 MAKEINFO=true; }
check='make -s -C tests check'
