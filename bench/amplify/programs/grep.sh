package=grep release=bullseye newest="sid trixie" program=src/grep
leave_out='*/po/*.po'
build() {
	if [ ! -x configure ]; then autoreconf -fi; fi
	./configure --disable-nls --disable-perl-regexp
	make -j1 -C lib
	make -j1 -C src
}
