package=catdoc release=bullseye newest="sid trixie" program=src/catdoc
build() {
	CC=clang-19 CFLAGS= ./configure --disable-wordview
	make -j1 -C src CC="$CC $CFLAGS" FLAGS="-I. -DHAVE_CONFIG_H -DCATDOC_VERSION=\\\"0\\\" -DCHARSETPATH=\\\"charsets\\\""
}
alone='catdoc A --sym-files 1 200; xls2csv A --sym-files 1 2560; catppt A --sym-files 1 2560'
