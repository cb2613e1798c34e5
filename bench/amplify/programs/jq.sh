package=jq release=bookworm newest="sid trixie" program=jq
build() {
	if [ ! -x configure ]; then autoreconf -fi; fi
	CC=clang-19 CFLAGS= ./configure --disable-shared --enable-static --disable-docs --without-oniguruma --disable-maintainer-mode
	make -j1 CC="$CC" CFLAGS="$CFLAGS" jq
}
