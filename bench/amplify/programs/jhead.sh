package=jhead release=bookworm newest="sid trixie" program=jhead
build() { $CC $CFLAGS -o jhead $(ls *.c | grep -v myglob) -lm; }
alone='jhead -v A --sym-files 1 300'
