package=sox release=bookworm newest=trixie program=src/sox
patches=no # they are the fixes: SoX has had no release since 2015
build() {
	CC=clang-19 CFLAGS= ./configure --disable-shared --enable-static --disable-openmp --disable-symlinks --without-libltdl --without-magic \
		--without-png --without-ladspa --without-mad --without-lame --without-id3tag --without-twolame --without-oggvorbis \
		--without-opus --without-flac --without-amrwb --without-amrnb --without-wavpack --without-sndio --without-coreaudio \
		--without-alsa --without-ao --without-pulseaudio --without-waveaudio --without-sndfile --without-oss --without-sunaudio
	for each in libgsm lpc10; do make -j1 -C $each CC="$CC" CFLAGS="$CFLAGS"; done
	make -j1 -C src AUTOMAKE=: ACLOCAL=: AUTOCONF=: CC="$CC" CFLAGS="$CFLAGS" sox
}
alone='sox -t wav A -n --sym-files 1 120; sox -t voc A -n --sym-files 1 60; sox -t aiff A -n --sym-files 1 100; sox -D -t hcom A -t raw - --sym-files 1 168'
