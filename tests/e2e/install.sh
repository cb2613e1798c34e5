#!/bin/sh
# What is installed: manual pages, completion, and veer itself, from another place than it was built for.
. "$(dirname "$0")/lib.sh"

commands() { sed -n 's/^COMMAND(\(.*\))$/\1/p' "$VEER_SOURCE/src/cli/commands.def" | tr _ -; }

# --- manual pages ---------------------------------------------------------------------------------

pages_are_complete() {
	for command in $(commands); do
		page=$VEER_BUILD/install/veer-$command.1
		[ -s "$page" ] || die "no page for $command"
		veer help "$command" >help
		veer "$command" --help >same
		cmp help same || die "veer help $command is not veer $command --help"
		# Every option of the help is on the page.
		sed -n 's/^  \(-[a-zA-Z],\|   \) --\([a-z0-9-]*\).*/\2/p' help >options
		while read -r option; do
			grep -qF -- "\\-\\-$(printf %s "$option" | sed 's/-/\\-/g')\\fR" "$page" ||
				die "$command: --$option is not on the page"
		done <options
	done
	contains "$(cat "$VEER_BUILD/install/veer.1")" "veer\\-explore"
	contains "$(cat "$VEER_BUILD/install/veer-cc.1")" "VEER_CLANG"
	contains "$(veer help veer-cc)" "usage: veer-cc"
}

pages_are_rendered() {
	command -v groff >/dev/null || skip "groff is not installed"
	for page in "$VEER_BUILD"/install/*.1; do
		groff -man -ww -Tutf8 "$page" >text 2>warnings || die "groff: $page"
		[ -s text ] || die "$page is empty"
		[ ! -s warnings ] || die "$(cat warnings)"
	done
	groff -man -Tascii -P-cbou "$VEER_BUILD/install/veer-run.1" >text
	grep -q '^ *veer run -- make check$' text || die "$(cat text)"
	grep -q "^ *-o, --output DIR" text || die "$(cat text)"
}

unknown_help() {
	same 2 "$(status veer help nothing 2>err)"
	contains "$(cat err)" "no command 'nothing'"
	same 2 "$(status veer help --completion tcsh 2>err)"
	contains "$(cat err)" "there are bash, zsh, fish"
	same 2 "$(status veer veer-cc 2>err)"
}

# --- completion -----------------------------------------------------------------------------------

folder_of_findings() {
	mkdir -p veer-out/findings/F1 veer-out/findings/F12 other/findings/F3 sub
	: >file
}

# bash_completes WORD...: what comes of the last word, sorted, on one line
bash_completes() {
	bash -c '. "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _veer; printf "%s\n" "${COMPREPLY[@]}"' \
		"$VEER_BUILD/install/veer" "$@" | sort | tr '\n' ' '
}

completes_in_bash() {
	command -v bash >/dev/null || skip "bash is not installed"
	folder_of_findings
	bash -n "$VEER_BUILD/install/veer"
	same "explain explore export " "$(bash_completes veer ex)"
	same "chameleon " "$(bash_completes veer explore --search ch)"
	same "chameleon " "$(bash_completes veer explore --search = ch)"
	same "test-comp " "$(bash_completes veer export --as te)"
	same "argv,stdin " "$(bash_completes veer test --sym argv,st)"
	same "other " "$(bash_completes veer explore -o o)"
	same "F1 F12 " "$(bash_completes veer explain F)"
	same "F3 " "$(bash_completes veer replay -o other F)"
	same "--quick " "$(bash_completes veer report --q)"
	same "file " "$(bash_completes veer run -- cat fi)"
	same " " "$(bash_completes veer explore --runs '')"
	contains "$(bash_completes veer run -- ma)" "make "
}

fish_completes() { HOME=$PWD fish --no-config -c "source $VEER_BUILD/install/veer.fish; complete -C '$*'" | cut -f 1 | sort | tr '\n' ' '; }

completes_in_fish() {
	command -v fish >/dev/null || skip "fish is not installed"
	folder_of_findings
	fish --no-config -n "$VEER_BUILD/install/veer.fish"
	same "explain explore export " "$(fish_completes veer ex)"
	same "chameleon " "$(fish_completes veer explore --search ch)"
	same "F1 F12 " "$(fish_completes veer explain F)"
	same "other/ " "$(fish_completes veer explore -o o)"
	same "--quick " "$(fish_completes veer report --q)"
}

# zsh_completes WORDS: the line as it is after the tab key. Completion works only on a terminal.
zsh_completes() {
	cat >ask.zsh <<-'END'
		zmodload zsh/zpty
		zpty z zsh -f -i
		zpty -w z "PS1=; fpath=($1 \$fpath); autoload -U compinit; compinit -u -D; bindkey '^I' complete-word"
		zpty -w z "show() { print -r -- \"<<\$BUFFER>>\"; BUFFER=; zle accept-line }; zle -N show; bindkey '^X' show"
		zpty -w z "print rea''dy"
		zpty -r z text '*ready*'
		zpty -w -n z "$2"$'\t'
		zpty -w -n z $'\x18'
		zpty -r z text '*<<*>>*'
		zpty -d z
		text=${text##*<<}
		print -r -- "${text%%>>*}"
	END
	TERM=dumb timeout 60 zsh -f ask.zsh "$VEER_BUILD/install" "$1"
}

completes_in_zsh() {
	command -v zsh >/dev/null || skip "zsh is not installed"
	folder_of_findings
	zsh -f -n "$VEER_BUILD/install/_veer"
	same "veer coverage " "$(zsh_completes 'veer covera')"
	same "veer explore --search chameleon " "$(zsh_completes 'veer explore --search ch')"
	same "veer explain -o other F3 " "$(zsh_completes 'veer explain -o other F')"
	same "veer run -- cat file " "$(zsh_completes 'veer run -- cat fi')"
}

# What is offered is what commands take.
choices_are_taken() {
	command -v bash >/dev/null || skip "bash is not installed"
	for search in $(bash_completes veer explore --search ''); do
		veer explore --search "$search" -- ./none 2>err && die "no program"
		lacks "$(cat err)" "strategy; there are"
	done
	for format in $(bash_completes veer report --format ''); do
		veer report --format "$format" -o none 2>err && die "no campaign"
		lacks "$(cat err)" "there are"
	done
	for variant in $(bash_completes veer run --variant ''); do
		veer run --variant "$variant" -- true
	done
}

# --- installed ------------------------------------------------------------------------------------

install_veer() {
	meson install -C "$VEER_BUILD" --no-rebuild --quiet --destdir "$PWD/root" >log 2>&1 || die "$(cat log)"
	mv "$(dirname "$(dirname "$(find root -path '*/bin/veer')")")" "moved there"
	same "" "$(find root -type f)" # nothing outside of the prefix
	PREFIX="$PWD/moved there"
	PATH=$PREFIX/bin:$(printf %s "$PATH" | sed "s|$VEER_BUILD:||")
}

works_where_it_is_moved() {
	command -v meson >/dev/null || skip "meson is not installed"
	install_veer
	same "$PREFIX/bin/veer" "$(command -v veer)"
	for file in bin/veer bin/veer-cc bin/veer-c++ lib/veer/veer-instrument lib/veer/libveer-san.so \
		lib/veer/libveer-trace.so lib/veer/libveer-folders.so lib/veer/libveer-input.a lib/veer/wrappers/gcc include/veer.h \
		lib/veer/include/klee/klee.h share/man/man1/veer.1 share/man/man1/veer-c++.1 share/doc/veer/README.md \
		share/bash-completion/completions/veer share/zsh/site-functions/_veer \
		share/fish/vendor_completions.d/veer.fish share/doc/veer/docs/TESTING.md; do
		[ -e "$PREFIX/$file" ] || die "$file is not installed"
	done
	cat >p.c <<-'END'
		#include <stdlib.h>
		#include <veer.h>
		static int days[7];
		int main(int argc, char **argv)
		{
			(void)veer_make_symbolic;
			return argc > 1 ? days[atoi(argv[1])] : 0;
		}
	END
	cp p.c q.c
	"$PREFIX/lib/veer/wrappers/cc" -g -O1 q.c -o q
	same 1 "$(sections q)"
	veer-cc -g -O1 p.c -o p
	veer test --budget 20s --search none -j1 -q -- ./p 3 2>err || die "$(cat err)"
	contains "$(cat veer-out/results.json)" "global-buffer-overflow"
	veer replay F1 || die "not again"
}

header_by_pkg_config() {
	command -v pkg-config >/dev/null || skip "pkg-config is not installed"
	install_veer
	flags=$(PKG_CONFIG_PATH="$PREFIX/share/pkgconfig" pkg-config --cflags veer)
	echo '#include <veer.h>' >h.c
	eval "$CLANG -c $flags h.c -o h.o"
	same "$(PKG_CONFIG_PATH="$PREFIX/share/pkgconfig" pkg-config --modversion veer)" \
		"$(veer --version | cut -d ' ' -f 2)"
}

try "a manual page for each command, with all its options" pages_are_complete
try "manual pages are rendered without a warning" pages_are_rendered
try "help for what does not exist" unknown_help
try "completion in bash" completes_in_bash
try "completion in fish" completes_in_fish
try "completion in zsh" completes_in_zsh
try "words that are completed are words that are taken" choices_are_taken
try "installed, moved, and used" works_where_it_is_moved
try "the header by pkg-config" header_by_pkg_config
finish
