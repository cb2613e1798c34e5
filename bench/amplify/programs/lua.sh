package=lua5.4 release=bullseye newest="sid trixie" program=src/lua
build() {
	cd src
	rm -f luac.c
	$CC $CFLAGS -DLUA_USE_LINUX -o lua [a-z]*.c -lm -ldl -Wl,-E
}
