package=fig2dev release=bookworm newest="sid trixie" program=fig2dev/fig2dev
patches=no # those of bookworm are the fixes of the newest version
build() {
	CC=clang-19 CFLAGS= ./configure --without-xpm
	make -j1 -C fig2dev CC="$CC" CFLAGS="$CFLAGS"
}
alone='fig2dev -L svg A --sym-files 1 200; fig2dev -L tikz A --sym-files 1 200'
