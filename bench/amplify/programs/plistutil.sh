package=libplist release=bullseye newest="sid trixie" program=plistutil
leave_out='*/test/data/* */cython/*'
build() {
	$CC $CFLAGS -D_GNU_SOURCE -DPACKAGE_VERSION='"0"' -DPACKAGE_NAME='"plist"' -DPACKAGE_URL='""' -DPACKAGE_BUGREPORT='""' \
		-DHAVE_STRNDUP=1 -DHAVE_GMTIME_R=1 -DHAVE_LOCALTIME_R=1 -DHAVE_TIMEGM=1 -DHAVE_MEMMEM=1 -DHAVE_STRPTIME=1 \
		-DHAVE_TM_TM_GMTOFF=1 -DHAVE_TM_TM_ZONE=1 \
		-Iinclude -Ilibcnary/include -Isrc -o plistutil src/*.c libcnary/node*.c tools/plistutil.c -lm -lpthread
}
alone='plistutil -i A --sym-files 1 100'
