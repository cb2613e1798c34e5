package=giflib release=bullseye newest="sid trixie" program=giftext
leave_out='*/pic/* */doc/*'
build() {
	for each in giftext gif2rgb giffix gifbuild; do
		$CC $CFLAGS -D_GNU_SOURCE -I. -o $each $each.c dgif_lib.c egif_lib.c gif_err.c gif_font.c gif_hash.c gifalloc.c \
			openbsd-reallocarray.c getarg.c qprintf.c quantize.c -lm
	done
}
alone='giftext A --sym-files 1 80; gif2rgb -1 -o out A --sym-files 1 80; giffix A --sym-files 1 80; gifbuild A --sym-files 1 80'
