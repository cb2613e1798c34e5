package=binutils release=bullseye newest="sid trixie" program=binutils/readelf
leave_out='*/testsuite/* */gas/* */ld/* */gold/* */gprof/* */gprofng/* */cpu/* */po/*.po */elfcpp/* *ChangeLog*'
build() { readelf_only; }
readelf_only() {
	# What is not built need not be configured: the objects of readelf, compiled by hand with a small config.h.
	(cd libiberty && ./configure >/dev/null && make -j1 >/dev/null)
	(cd zlib && ./configure --host=x86_64-linux-gnu >/dev/null && make -j1 libz.a >/dev/null)
	(cd bfd && ./configure --disable-nls --disable-shared --disable-plugins --enable-64-bit-bfd >/dev/null && make -j1 bfd.h)
	(cd binutils && ./configure --disable-nls --disable-plugins --without-debuginfod --without-msgpack >/dev/null && make -j1 readelf)
}
