package=nasm release=bookworm newest="sid trixie" program=nasm
patches=no
build() {
	CC=clang-19 CFLAGS= ./configure --disable-gc
	make -j1 CC="$CC" CFLAGS="-std=gnu11 $CFLAGS" ALL_CFLAGS="-std=gnu11 $CFLAGS -DHAVE_CONFIG_H -I. -I./include -I./x86 -I./asm -I./disasm -I./output" BUILD_CFLAGS="-std=gnu11 $CFLAGS -DHAVE_CONFIG_H" nasm ndisasm
}
alone='nasm -f bin -o /dev/null A --sym-files 1 40; ndisasm -b 32 A --sym-files 1 16'
