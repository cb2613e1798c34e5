package=jq release=bookworm newest="sid trixie" program=jq
patches=no # they are the fixes
build() {
	if [ ! -x configure ]; then autoreconf -fi; fi
	CC=clang-19 CFLAGS= ./configure --cache-file="$CACHE" --disable-shared --enable-static --disable-docs --without-oniguruma --disable-maintainer-mode
	printf 'include Makefile\nprepared: $(BUILT_SOURCES)\n' >prepared.mk
	make -j1 -f prepared.mk prepared
	make -j1 CC="$CC" CFLAGS="$CFLAGS" jq
}
alone='jq --sym-arg 12 A --sym-files 1 40'
