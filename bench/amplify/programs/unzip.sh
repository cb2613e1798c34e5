package=unzip release=bookworm newest=trixie program=unzip
patches=no # they are the fixes: unzip has had no release since 2009
build() {
	$CC $CFLAGS -I. -DUNIX -DUNICODE_SUPPORT -DUNICODE_WCHAR -DUTF8_MAYBE_NATIVE -DLARGE_FILE_SUPPORT -DNO_LCHMOD -DNOMEMCPY \
		-DNO_WORKING_ISPRINT -DHAVE_DIRENT_H -DHAVE_TERMIOS_H -DDATE_FORMAT=DF_YMD -D_FILE_OFFSET_BITS=64 -DWILD_STOP_AT_DIR -o unzip \
		unzip.c crc32.c crypt.c envargs.c explode.c extract.c fileio.c globals.c inflate.c list.c match.c process.c ttyio.c \
		ubz2err.c unreduce.c unshrink.c zipinfo.c unix/unix.c
}
alone='unzip -t A --sym-files 1 140; unzip -Z -v A --sym-files 1 140; unzip -o A --sym-files 1 140'
