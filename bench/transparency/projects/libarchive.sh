# libarchive: a test program for the library, one each for tar, cpio and cat.
sources=libarchive
needs="autoconf automake libtool pkg-config zlib1g-dev libbz2-dev liblzma-dev"
code="libarchive libarchive_fe tar cpio cat"

# Debian's patches add tests to Makefile.am.
configure() {
    autoreconf -fi && ./configure --disable-silent-rules --disable-shared --without-xml2 --without-expat --without-openssl \
        --without-nettle --without-lz4 --without-zstd --disable-acl --disable-xattr
}

build() { make -j"$JOBS" && make -j"$JOBS" check TESTS=; }

check_suite() {
    for name in libarchive bsdtar bsdcpio bsdcat; do
        echo "SUITE $name"
        case $name in
        libarchive) ./libarchive_test -r libarchive/test -q ;;
        *) ./"${name}"_test -p "$PWD/$name" -r "${name#bsd}/test" -q ;;
        esac
    done
}

# " 12: test_name   ok"
results() {
    sed -nE 's#^SUITE (.*)#\1#p; s#^ *[0-9]+: ([A-Za-z0-9_]+) .*(ok|FAIL).*#\2 \1#p' "$LOG" |
        awk 'NF == 1 { suite = $1; next } { print $1, suite ": " $2 }'
}

programs() { ls libarchive_test bsdtar bsdcpio bsdcat bsdtar_test bsdcpio_test bsdcat_test; }
