# zlib: a static and a shared library with small test programs.
sources=zlib
environment=LD_LIBRARY_PATH=.
code=". test"

configure() { ./configure; }

build() { make -j"$JOBS" all infcover; }

# The suite itself has three verdicts; round trips of the sources add breadth.
check_suite() {
    make -k check
    check infcover ./infcover
    for level in 1 6 9; do
        for file in *.c; do
            check "minigzip -$level $file" round_trip ./minigzip "$level" "$file"
            check "minigzipsh -$level $file" round_trip ./minigzipsh "$level" "$file"
        done
    done
}

round_trip() {
    "$1" "-$2" <"$3" >round.gz && gzip -t round.gz &&
        "$1" -d <round.gz | cmp - "$3"
}

results() {
    sed -n -e 's/.*\*\*\* \(zlib.* test\) OK.*/PASS \1/p' \
        -e 's/.*\*\*\* \(zlib.* test\) FAILED.*/FAIL \1/p' "$LOG"
    results_checks
}
