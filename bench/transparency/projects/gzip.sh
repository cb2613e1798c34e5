# gzip: automake tests, shell scripts around one program.
sources=gzip
code=". lib"

check_suite() { make -j"$JOBS" -k -C tests check; }

results() { results_automake tests; }

programs() { elf_programs .; }
