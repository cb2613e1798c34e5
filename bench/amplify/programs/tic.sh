package=ncurses release=bullseye newest="sid trixie" program=progs/tic
patches=no # they are the fixes
leave_out='*/Ada95/* */doc/* */test/* */c++/*'
build() {
	mkdir -p test c++ Ada95
	CC=clang-19 CFLAGS= ./configure --without-ada --without-cxx --without-cxx-binding --without-manpages --without-tests \
		--without-shared --without-debug --with-normal --disable-db-install --without-gpm --with-default-terminfo-dir=/nowhere \
		--with-build-cc=clang-19
	make -j1 -C include
	make -j1 -C ncurses CC="$CC" CFLAGS="-DHAVE_CONFIG_H $CFLAGS -I../ncurses -I. -I../include -DNCURSES_STATIC -D_GNU_SOURCE"
	make -j1 -C progs CC="$CC" CFLAGS="-DHAVE_CONFIG_H $CFLAGS -I../progs -I. -I../include -DNCURSES_STATIC -D_GNU_SOURCE"
}
alone='tic -I A --sym-files 1 100; tic -C A --sym-files 1 100'
