# SQLite: the amalgamation, the shell, and the Tcl test suite in testfixture. The
# full suite runs for hours; this is nearly every script of test/, once, one
# process a script, without fault injection and without the slow ones (and avtrans, whose test names are random).
sources=sqlite3
needs="tcl-dev zlib1g-dev libreadline-dev"
code="src ext"

omitted="malloc|fault|ioerr|_err|big|crash|thread|speed|fts4merge|fuzz|notify|walslow|win32"
slow="async|avtrans|corruptC|e_fts3|exclusive2|fts3expr3|fts3rnd|fts4growth2|memleak|misc7|mmap1|
    percentile|savepoint[3-6]|securedel2|soak|sort[234]|wal3|walcksum|walprotocol|walsetlk|
    walvfs|where8m"

configure() { ./configure --enable-fts5 --enable-all; }

build() { make -j"$JOBS" all testfixture; }

# Scripts that call run_test_suite run others; those are run here one by one.
check_suite() {
    rm -rf scripts
    grep -L -e run_test_suite -e permutations.test test/*.test | xargs -n 1 basename |
        grep -vE "$omitted" | grep -vxE "($(echo "$slow" | tr -d ' \n'))\.test" |
        xargs -P "$JOBS" -I{} sh -c 'mkdir -p scripts/{} && cd scripts/{} &&
            ../../testfixture ../../test/{} >log 2>&1 </dev/null || echo "exit $?" >>log'
}

# One line a test case. A script that ends early without an error has found
# nothing to test.
results() {
    for folder in scripts/*; do
        script=${folder#scripts/}
        sed -nE -e "s/^(.*)\.\.\. Ok$/PASS $script \1/p" \
            -e "s/^! ([^ ]*) expected: .*/FAIL $script \1/p" "$folder/log"
        if grep -q 'errors out of' "$folder/log"; then
            echo "PASS $script finished"
        elif ! grep -q '^exit ' "$folder/log"; then
            echo "SKIP $script finished"
        else
            echo "FAIL $script finished"
        fi
    done
}

programs() { elf_programs . | grep -v '/scripts/'; }
