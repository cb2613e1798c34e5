package=elfutils
# Shared libraries without undefined symbols, so the sanitizers' runtime is one, too.
build() {
	case $CFLAGS in *-fsanitize=*)
		CFLAGS="$CFLAGS -shared-libsan -Wl,-rpath,$(dirname "$(clang-19 -print-file-name=libclang_rt.asan-x86_64.so)")"
		;;
	esac
	./configure -q --disable-libdebuginfod --disable-debuginfod --disable-nls --without-bzlib --without-lzma --without-zstd \
		CC="$CC" CFLAGS="$CFLAGS" CXX=clang++-19 && make -s -j2
}
# The tests of readelf, without the one that takes the programs of the project apart.
check='cd tests && make -s check check_PROGRAMS= TESTS="$(ls run-readelf*.sh | grep -v self)"'
