# Helpers for `run`, `step`, `table` and the project recipes. POSIX sh, sourced.

# warn TEXT: one message on stderr.
warn() {
    printf 'bench: %s\n' "$*" >&2
}

die() {
    warn "$@"
    exit 1
}

# load_recipe PROJECT: reset everything a recipe may set, then read the recipe.
load_recipe() {
    [ -f "$here/projects/$1.sh" ] || die "no recipe projects/$1.sh"
    sources= needs= code=. environment=
    configure() { ./configure --disable-silent-rules; }
    build() { make -j"$JOBS"; }
    check_suite() { make -j"$JOBS" -k check; }
    results() { results_automake .; }
    programs() { elf_programs .; }
    . "$here/projects/$1.sh"
    [ -n "$sources" ] || die "projects/$1.sh sets no sources"
}

# main_source: the first of a recipe's source packages; steps run in its folder.
main_source() {
    echo "${sources%% *}"
}

# elf_programs DIR...: the ELF executables (not shared libraries, not objects)
# below the folders; for one in libtool's .libs the script that starts it.
elf_programs() {
    find "$@" -type f -perm -u+x ! -name '*.so*' ! -name '*.o' ! -name '*.lo' -print |
    LC_ALL=C sort |
    while read -r file_name; do
        # Byte 16 is e_type: 2 executable, 3 position independent.
        case $(head -c 18 "$file_name" | od -An -tx1 -v | tr -d ' \n') in
        7f454c46*0[23]00) echo "$file_name" ;;
        esac
    done |
    sed -E 's#\.libs/(lt-)?##' | LC_ALL=C sort -u
}

# --- running tests ------------------------------------------------------------

# check NAME COMMAND...: a test that passes when the command succeeds.
check() {
    check_name=$1
    shift
    if "$@" </dev/null; then
        echo "RESULT: PASS $check_name"
    else
        echo "RESULT: FAIL $check_name"
    fi
}

# observe NAME COMMAND...: a test without a verdict of its own. Its result is
# the exit status and a checksum of everything the command prints, so a run that
# behaves differently shows up as a difference. The output is kept for `diff`.
observe() {
    observe_name=$1
    shift
    mkdir -p "observed.$STAGE"
    observe_file=observed.$STAGE/$(echo "$observe_name" | tr ' /' '__')
    observe_status=0
    "$@" </dev/null >"$observe_file" 2>&1 || observe_status=$?
    echo "RESULT: exit$observe_status/$(cksum <"$observe_file" | cut -d' ' -f1) $observe_name"
}

# --- results: one line "STATUS NAME" a test, in any order --------------------

# results_checks: what check and observe said.
results_checks() {
    sed -n 's/^RESULT: //p' "$LOG"
}

# results_automake DIR...: the .trs files of automake's parallel test harness.
results_automake() {
    find "$@" -name '*.trs' -print |
    while read -r trs; do
        name=${trs%.trs}
        name=${name#./}
        sed -n "s|^:test-result: \([A-Z]*\) *\(.*\)|\1 $name \2|p" "$trs"
    done
}

# results_dejagnu DIR...: the .sum files of DejaGnu.
results_dejagnu() {
    find "$@" -name '*.sum' -print |
    while read -r sum; do
        name=$(basename "$sum" .sum)
        sed -nE "s#^((K|X)?(PASS|FAIL)|UNRESOLVED|UNSUPPORTED|UNTESTED|ERROR): (.*)#\1 $name: \4#p" "$sum"
    done
}
