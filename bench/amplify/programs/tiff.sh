package=tiff release=bullseye newest="sid trixie" program=tiffinfo
patches=no # those of bullseye are fixes of newer versions
leave_out='*/html/* */test/*'
build() {
	mkdir -p html man test
	sed -i '/add_subdirectory(\(test\|html\|man\|doc\|contrib\|build\))/d' CMakeLists.txt
	cmake -S . -B made -DCMAKE_C_COMPILER=clang-19 -DBUILD_SHARED_LIBS=OFF -Dcxx=OFF -Djpeg=OFF -Dold-jpeg=OFF -Dzlib=OFF -Dlzma=OFF \
		-Dzstd=OFF -Dwebp=OFF -Djbig=OFF -Dlerc=OFF -Dlibdeflate=OFF -Dpixarlog=OFF -Dtiff-docs=OFF -Dtiff-tests=OFF -Dtiff-contrib=OFF
	flags="$CFLAGS -Imade/libtiff -Imade/port -Ilibtiff -Iport"
	mkdir objects
	for each in libtiff/tif_*.c; do
		case $each in *win32* | *jpeg_12*) continue ;; esac
		$CC $flags -c $each -o objects/$(basename $each .c).o
	done
	common=
	if [ -f tools/tiff_tools.c ]; then common=tools/tiff_tools.c; fi
	for each in tiffinfo tiffdump tiffcp tiffcrop tiff2ps tiff2pdf tiff2rgba tiff2bw tiffmedian tiffdither pal2rgb rgb2ycbcr tiffcmp \
		tiffsplit tiffset thumbnail fax2ps; do
		$CC $flags -o $each tools/$each.c $common objects/*.o -lm
	done
}
alone='tiffinfo -d A --sym-files 1 150; tiffcp A out --sym-files 1 150; tiffcrop -E top -X 2 -Y 1 A out --sym-files 1 150; tiff2pdf -o out A --sym-files 1 150; tiff2ps A --sym-files 1 150'
