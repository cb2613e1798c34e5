package=sed release=bullseye newest="sid trixie" program=sed/sed
leave_out='*/po/*.po'
build() {
	if [ ! -x configure ]; then autoreconf -fi; fi
	FORCE_UNSAFE_CONFIGURE=1 CC=clang-19 CFLAGS= ./configure --disable-nls --disable-acl --without-selinux
	# its obstack.c is older than what clang takes for an error
	make -j1 CC="$CC" CFLAGS="$CFLAGS -Wno-incompatible-function-pointer-types" sed/sed
}
alone='sed --sym-arg 10 A --sym-files 1 20; sed -n -f A B --sym-files 2 20'
