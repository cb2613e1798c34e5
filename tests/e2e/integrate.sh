#!/bin/sh
# The target `test-veer` under the build systems people use, on examples/test-veer, whose tests step over a bug: it is
# found and fails the build; when it is mended, nothing is.
. "$(dirname "$0")/lib.sh"
FLAGS="--budget 20s --max-distance 1 --error-exitcode=1"

project() {
	cp -R "$VEER_SOURCE/examples/test-veer/." .
	PROJECT=$PWD
	LINE=$(grep -n 'puts(names' weekday.c | cut -d: -f1)
}

mend() {
	contains "$(cat "$PROJECT/weekday.c")" "n > 7"
	sed -i 's/n > 7/n > 6/' "$PROJECT/weekday.c"
}

# errors DIR: KIND FILE LINE of what was found
errors() {
	perl -MJSON::PP -0777 -e '
		for my $f (@{decode_json(<STDIN>)->{findings}}) {
			my ($file) = $f->{file} =~ m,([^/]*)$,;
			print "$f->{kind} $file $f->{line}\n" if $f->{level} eq "error";
		}' <"$1/results.json"
}

# both DIR COMMAND...: the bug makes the command fail; without it, it does not. DIR is where veer puts what it finds;
# that stays there when a bug is mended (docs/TESTING.md).
both() {
	out=$1
	shift
	! "$@" >said 2>&1 || die "the bug does not fail the build: $(cat said)"
	[ -e "$out/results.json" ] || die "$(cat said)"
	same "global-buffer-overflow weekday.c $LINE" "$(errors "$out")"
	mend
	rm -r "$out"
	"$@" >said 2>&1 || die "it fails without a bug: $(cat said)"
}

needs() {
	for tool; do
		command -v "$tool" >/dev/null 2>&1 || skip "no $tool here"
	done
}

plain_make() {
	project
	make
	make check
	both veer-out make test-veer VEER_FLAGS="$FLAGS"
}

autotools() {
	needs autoconf automake
	project
	autoreconf -i
	mkdir b
	cd b
	../configure
	make check
	both veer-out make test-veer VEER_FLAGS="$FLAGS"
}

cmake_project() {
	needs cmake ctest
	project
	cmake -S . -B b -G "Unix Makefiles" -DVEER_FLAGS="$(echo "$FLAGS" | tr ' ' ';')"
	make -C b all test
	both b/veer-out make -C b test-veer
}

meson_project() {
	needs meson ninja
	project
	meson setup b
	meson test -C b
	VEER_FLAGS=$FLAGS
	export VEER_FLAGS
	both b/veer-out ninja -C b test-veer
}

# What the examples for CI run is a command of the makefile.
ci_examples() {
	project
	for file in ci/*.yml; do
		perl -MCPAN::Meta::YAML -e 'CPAN::Meta::YAML->read($ARGV[0]) or die CPAN::Meta::YAML->errstr' "$file"
		command=$(sed -n 's/^ *- \(run: \)\{0,1\}\(make test-veer.*\)/\2/p' "$file")
		contains "$(sh -c "$command -n VEER=:")" ": test --budget 10m --error-exitcode=1 -- make"
	done
}

veer test --help >/dev/null 2>&1 || {
	echo "skip $SUITE: this veer has no command test"
	exit 0
}
try "plain make" plain_make
try "autoconf and automake" autotools
try "CMake and CTest" cmake_project
try "Meson" meson_project
try "examples for CI" ci_examples
finish
