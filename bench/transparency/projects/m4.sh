# m4: its own checks, one a section of the manual. Without gnulib's tests: see sed.
sources=m4
code="src lib"

build() { make -j"$JOBS"; }

# A line a test; M4PATH is one of the variables that only users set.
check_suite() {
    make -k -C checks check
    echo "include(\`foreach.m4')foreach(\`x', \`(a, b)', \`x.')" >path.m4
    for path in examples doc:examples doc; do
        observe "M4PATH=$path" env M4PATH=$path src/m4 path.m4
    done
}

results() {
    awk '/^Checking / { name = $2; sub(".*/", "", name); status[name] = "PASS" }
        /^(Failed|Skipped) checks were:/ { outcome = $1; getline; for (i = 1; i <= NF; i++) {
            name = $i; sub(".*/", "", name); sub(":.*", "", name); status[name] = toupper(outcome) } }
        END { for (name in status) print status[name], name }' "$LOG"
    results_checks
}

programs() { elf_programs src; }
