package=indent release=bullseye newest="sid trixie" program=src/indent
leave_out='*/po/*.po */regression/*'
build() {
	CC=clang-19 CFLAGS= ./configure --disable-nls
	make -j1 -C src CC="$CC" CFLAGS="$CFLAGS" indent
}
alone='indent -st A --sym-files 1 60'
