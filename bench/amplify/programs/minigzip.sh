package=zlib release=bookworm newest="sid trixie" program=minigzip
leave_out='*/contrib/* */doc/* */examples/*'
build() {
	./configure --static >/dev/null
	$CC $CFLAGS -D_LARGEFILE64_SOURCE=1 -DHAVE_HIDDEN -I. -o minigzip [a-z]*.c test/minigzip.c
}
