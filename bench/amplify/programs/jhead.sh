package=jhead release=bookworm newest="sid trixie" program=jhead
build() { $CC $CFLAGS -o jhead [a-z]*.c -lm; }
