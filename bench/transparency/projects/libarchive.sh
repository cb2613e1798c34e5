# libarchive: a test program for the library, one each for tar, cpio and cat; SUITES="bsdcat bsdtar" names some of them.
sources=libarchive
needs="autoconf automake libtool pkg-config zlib1g-dev libbz2-dev liblzma-dev"
code="libarchive libarchive_fe tar cpio cat"

# Debian's patches add tests to Makefile.am.
configure() {
    autoreconf -fi && ./configure --disable-silent-rules --disable-shared --without-xml2 --without-expat --without-openssl \
        --without-nettle --without-lz4 --without-zstd --disable-acl --disable-xattr
}

build() { make -j"$JOBS" && make -j"$JOBS" check TESTS=; }

# The test programs work in folders of their own: paths are absolute. Files of failed tests stay there.
check_suite() {
    mkdir -p "tmp.$STAGE"
    for name in ${SUITES:-bsdcat bsdcpio bsdtar libarchive}; do
        echo "SUITE $name"
        case $name in
        libarchive) TMPDIR="$PWD/tmp.$STAGE" ./libarchive_test -r "$PWD/libarchive/test" ;;
        *) TMPDIR="$PWD/tmp.$STAGE" ./"${name}"_test -p "$PWD/$name" -r "$PWD/${name#bsd}/test" ;;
        esac
    done
}

# " 12: test_name   ok"
results() {
    sed -nE 's#^SUITE (.*)#\1#p; s#^ *[0-9]+: ([A-Za-z0-9_]+) .*(ok|FAIL).*#\2 \1#p' "$LOG" |
        awk 'NF == 1 { suite = $1; next } { print $1, suite ": " $2 }'
}

programs() { ls libarchive_test bsdtar bsdcpio bsdcat bsdtar_test bsdcpio_test bsdcat_test; }
