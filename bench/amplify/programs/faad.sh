package=faad2 release=bookworm newest="sid trixie" program=faad
leave_out='*/project/* */plugins/*'
build() {
	flags="$CFLAGS -DHAVE_STDINT_H=1 -DHAVE_INTTYPES_H=1 -DHAVE_STRING_H=1 -DHAVE_STDLIB_H=1 -DHAVE_SYS_TYPES_H=1 -DHAVE_SYS_STAT_H=1"
	flags="$flags -DHAVE_STRINGS_H=1 -DHAVE_LRINTF=1 -DHAVE_MEMCPY=1 -DSTDC_HEADERS=1 -DPACKAGE_VERSION=\"0\" -DAPPLY_DRC -D_GNU_SOURCE"
	$CC $flags -Iinclude -Ilibfaad -Ifrontend -o faad libfaad/*.c $(ls frontend/*.c) -lm
}
alone='faad -i A --sym-files 1 200; faad -o out A --sym-files 1 100'
