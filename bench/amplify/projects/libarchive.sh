package=libarchive
build() { ./configure -q --disable-shared --without-xml2 --without-expat --without-openssl --disable-acl --disable-xattr CC="$CC" CFLAGS="$CFLAGS" && make -s -j2 bsdtar bsdtar_test; }
check='mkdir -p t && cd t && ../bsdtar_test -p "$PWD/../bsdtar" -r "$PWD/../tar/test" -q'
