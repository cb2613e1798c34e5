package=jbig2dec release=bookworm newest="sid trixie" program=jbig2dec
build() {
	$CC $CFLAGS -DHAVE_STDINT_H=1 -DHAVE_GETOPT_H=1 -DHAVE_STRING_H=1 -DHAVE_CONFIG_H=0 -I. -o jbig2dec \
		$(ls *.c | grep -v -e pbm2png -e image_png -e test -e memento -e getopt -e memcmp)
}
