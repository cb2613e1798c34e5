package=file release=bookworm newest="sid trixie" program=src/file
build() {
	if [ ! -x configure ]; then autoreconf -fi; fi
	CC=clang-19 CFLAGS= ./configure --cache-file="$CACHE" --disable-shared --enable-static --disable-libseccomp --disable-xzlib --disable-bzlib --disable-zlib
	make -j1 -C src CC="$CC" CFLAGS="$CFLAGS"
}
alone='file -m A B --sym-files 2 60'
