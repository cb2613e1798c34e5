package=lua5.4 release=bullseye newest="sid trixie" program=src/lua
build() {
	cd src
	rm -f luac.c
	printf '#define DEB_HOST_MULTIARCH ""\n' >lua5.4-deb-multiarch.h
	$CC $CFLAGS -DLUA_USE_LINUX -o lua [a-z]*.c -lm -ldl -Wl,-E
}
alone='lua A --sym-files 1 60'
