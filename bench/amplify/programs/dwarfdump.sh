package=dwarfutils release=bookworm newest="sid trixie" program=dwarfdump/dwarfdump
leave_out='*/regressiontests *.o2 *.pdf'
build() {
	if [ "$ROLE" = newest ]; then
		mkdir b && cd b
		meson setup --default-library=static -Ddebug=true .. >/dev/null
		ninja -j1
		cp src/bin/dwarfdump/dwarfdump ..
	else
		CC=clang-19 CFLAGS= ./configure --disable-shared --disable-libelf
		make -C libdwarf CC="$CC" CFLAGS="$CFLAGS" libdwarf.la
		make -C dwarfdump CC="$CC" CFLAGS="$CFLAGS" dwarfdump
	fi
}
alone='dwarfdump -a A --sym-files 1 1200'
