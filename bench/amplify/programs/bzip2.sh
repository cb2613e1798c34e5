package=bzip2 release=bookworm newest="sid trixie bookworm" program=bzip2
build() { $CC $CFLAGS -D_FILE_OFFSET_BITS=64 -o bzip2 blocksort.c huffman.c crctable.c randtable.c compress.c decompress.c bzlib.c bzip2.c; }
alone='bzip2 -d -c A --sym-files 1 60; bzip2 -c A --sym-files 1 24'
