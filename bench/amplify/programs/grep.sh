package=grep release=bullseye newest="sid trixie" program=src/grep
leave_out='*/po/*.po'
build() {
	if [ ! -x configure ]; then autoreconf -fi; fi
	CC=clang-19 CFLAGS= ./configure --cache-file="$CACHE" --disable-nls --disable-perl-regexp
	set -- AUTOMAKE=: ACLOCAL=: AUTOCONF=: AUTOHEADER=: CC="$CC$(sed -n 's/^CC = clang-19//p' Makefile)" CFLAGS="$CFLAGS"
	make -j1 -C lib "$@"
	make -j1 -C src "$@"
}
alone='grep --sym-arg 8 A --sym-files 1 20; grep -E --sym-arg 8 A --sym-files 1 20'
