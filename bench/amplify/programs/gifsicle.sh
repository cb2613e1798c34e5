package=gifsicle release=bookworm newest="sid trixie" program=src/gifsicle
build() {
	autoreconf -i
	CC=clang-19 CFLAGS= ./configure --disable-gifview --disable-threads --disable-simd
	make -j1 CC="$CC" CFLAGS="$CFLAGS"
}
alone='gifsicle --info A --sym-files 1 80; gifsicle --sym-args 1 2 10 A --sym-files 1 80'
