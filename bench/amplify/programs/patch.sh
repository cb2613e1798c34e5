package=patch release=bullseye newest="sid trixie" program=src/patch
patches=no # they are the fixes
build() {
	CC=clang-19 CFLAGS= ./configure --cache-file="$CACHE" --disable-xattr
	make -j1 -C lib AUTOMAKE=: ACLOCAL=: AUTOCONF=: AUTOHEADER=: CC="$CC" CFLAGS="$CFLAGS"
	make -j1 -C src AUTOMAKE=: ACLOCAL=: AUTOCONF=: AUTOHEADER=: CC="$CC" CFLAGS="$CFLAGS"
}
alone='patch -i A B --sym-files 2 100'
