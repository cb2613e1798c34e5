package=libxml2 release=bullseye newest="sid trixie" program=xmllint
patches=no
build() {
	if [ ! -x configure ]; then autoreconf -fi; fi
	CC=clang-19 CFLAGS= ./configure --disable-shared --enable-static --without-python --without-zlib --without-lzma --without-threads --without-icu \
		--without-ftp --without-http --without-iconv --without-modules --without-readline --without-history
	make -j1 CC="$CC" CFLAGS="$CFLAGS" libxml2.la
	make -j1 CC="$CC" CFLAGS="$CFLAGS" xmllint
}
alone='xmllint A --sym-files 1 40; xmllint --htmlout A --sym-files 1 40; xmllint --html A --sym-files 1 40'
