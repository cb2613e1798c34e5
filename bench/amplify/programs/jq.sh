package=jq release=bookworm newest="sid trixie" program=jq
build() {
	if [ ! -x configure ]; then autoreconf -fi; fi
	./configure --disable-shared --enable-static --disable-docs --without-oniguruma --disable-maintainer-mode
	make -j1 jq
}
