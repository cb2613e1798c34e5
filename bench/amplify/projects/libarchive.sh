package=libarchive
build() { [ -x configure ] || autoreconf -fi; ./configure -q --disable-shared --without-xml2 --without-expat --without-openssl --disable-acl --disable-xattr CC="$CC" CFLAGS="$CFLAGS" && make -s -j2 bsdtar bsdtar_test; }
check='mkdir -p t && cd t && ../bsdtar_test -p ../bsdtar -r ../tar/test -q test_basic test_copy test_option_T_upper test_option_c test_option_t test_option_x test_strip_components test_version test_windows test_format_newc'
