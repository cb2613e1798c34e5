package=mawk release=bookworm newest="sid trixie" program=mawk
build() {
	CC=clang-19 CFLAGS= ./configure --cache-file="$CACHE"
	make -j1 CC="$CC" CFLAGS="$CFLAGS" mawk
}
alone='mawk --sym-arg 20 A --sym-files 1 20'
