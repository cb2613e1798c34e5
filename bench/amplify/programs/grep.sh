package=grep release=bullseye newest="sid trixie" program=src/grep
leave_out='*/po/*.po'
build() {
	if [ ! -x configure ]; then autoreconf -fi; fi
	CC=clang-19 CFLAGS= ./configure --cache-file="$CACHE" --disable-nls --disable-perl-regexp
	make -j1 -C lib AUTOMAKE=: ACLOCAL=: AUTOCONF=: AUTOHEADER=: CC="$CC" CFLAGS="$CFLAGS"
	make -j1 -C src AUTOMAKE=: ACLOCAL=: AUTOCONF=: AUTOHEADER=: CC="$CC" CFLAGS="$CFLAGS"
}
alone='grep --sym-arg 8 A --sym-files 1 20; grep -E --sym-arg 8 A --sym-files 1 20'
