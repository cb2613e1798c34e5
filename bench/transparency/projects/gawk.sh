# gawk: its suite compares outputs and leaves a file _NAME behind on failure.
sources=gawk
needs="libmpfr-dev libreadline-dev bison locales-all"
code=". support extension"

configure() { ./configure --disable-silent-rules --enable-mpfr; }

# Debian leaves the manual out, and with it what is made from the manual.
build() {
    make -j"$JOBS" -C support && make -j"$JOBS" gawk && make -j"$JOBS" -C extension
}

# The tests share files and ports: not in parallel.
check_suite() {
    rm -f test/_*
    make -k -C test check
}

# A test announces itself with its name alone on a line.
results() {
    grep -xE '[a-z][a-zA-Z0-9_-]*' "$LOG" | sort -u | while read -r name; do
        grep -qE "^$name( |\t)*:" test/Makefile || continue
        if [ -f "test/_$name" ]; then
            echo "FAIL $name"
        else
            echo "PASS $name"
        fi
    done
}

programs() { echo ./gawk; }
