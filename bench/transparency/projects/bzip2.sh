# bzip2: no configure; the program uses its own shared library.
sources=bzip2
environment=LD_LIBRARY_PATH=.

configure() { :; }

build() { make -j"$JOBS" CC="$CC" libbz2.a bzip2 bzip2recover; }

# `make check` stops at its first failure; these are its six comparisons one by
# one, then round trips, a damaged file and bzip2recover.
check_suite() {
    for n in 1 2 3; do
        check "compress sample$n" same "./bzip2 -$n" sample$n.ref sample$n.bz2
        check "decompress sample$n" same "./bzip2 -d" sample$n.bz2 sample$n.ref
        check "decompress sample$n, small" same "./bzip2 -ds" sample$n.bz2 sample$n.ref
        check "test sample$n" ./bzip2 -t sample$n.bz2
        head -c 3000 sample$n.bz2 >cut.bz2
        observe "cut sample$n" ./bzip2 -tvv cut.bz2
    done
    for level in 1 5 9; do
        for file in *.c *.h; do
            check "round trip -$level $file" round_trip "$level" "$file"
        done
    done
    rm -f rec0*
    ./bzip2 -1 <debian/changelog >recover.bz2
    observe bzip2recover ./bzip2recover recover.bz2
    observe help ./bzip2 --help
}

same() { $1 <"$2" | cmp - "$3"; }

round_trip() { ./bzip2 "-$1" <"$2" | ./bzip2 -d | cmp - "$2"; }

results() { results_checks; }
