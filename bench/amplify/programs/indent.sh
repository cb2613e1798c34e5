package=indent release=bullseye newest="sid trixie" program=src/indent
patches=no # they are the fixes
leave_out='*/po/*.po */regression/*'
build() {
	CC=clang-19 CFLAGS= ./configure --cache-file="$CACHE" --disable-nls
	make -j1 -C src CC="$CC" CFLAGS="$CFLAGS" indent
}
alone='indent -st A --sym-files 1 60'
