# Sourced by ./quickstart and ./check: makes sure that what veer needs is
# installed, and builds it.
#
# shellcheck shell=sh

# Another version: VEER_LLVM=22 ./check (docs/INSTALLING.md).
LLVM=${VEER_LLVM:-19}

PACKAGES="clang-$LLVM llvm-$LLVM llvm-$LLVM-dev lld-$LLVM libclang-rt-$LLVM-dev libzstd-dev libxxhash-dev
libcadical-dev libz3-dev libsqlite3-dev libfftw3-dev libcapstone-dev libunicorn-dev pkg-config meson ninja-build binutils make libc6-dev"

# What the tests need on top: perl, the build systems whose probes are tried, a
# generator of random programs, a solver that judges path conditions, what reads
# manual pages, the shells that complete command lines, a compiler for devices.
TEST_PACKAGES="perl cmake autoconf automake libtool util-linux csmith libcsmith-dev z3
groff-base zsh fish clang-format-19 gcc-arm-none-eabi"

is_installed() {
	[ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

install_packages() { # package...
	if ! command -v apt-get >/dev/null 2>&1; then
		if command -v "clang-$LLVM" >/dev/null && command -v meson >/dev/null && command -v "llvm-config-$LLVM" >/dev/null; then
			return 0
		fi
		echo "This system has no apt-get. Please install, under the names your system gives them," >&2
		echo "the Debian packages: $*" >&2
		echo "and run this again." >&2
		exit 1
	fi
	missing=
	for package; do
		is_installed "$package" || missing="$missing $package"
	done
	[ -n "$missing" ] || return 0
	as_root=
	if [ "$(id -u)" != 0 ]; then
		command -v sudo >/dev/null 2>&1 || {
			echo "Not root, and no sudo: please install$missing, then run this again." >&2
			exit 1
		}
		as_root=sudo
	fi
	echo "Installing$missing"
	log=$(mktemp)
	# shellcheck disable=SC2086
	if ! { $as_root apt-get update -q && $as_root env DEBIAN_FRONTEND=noninteractive \
		apt-get install -y -q --no-install-recommends $missing; } >"$log" 2>&1; then
		tail -n 5 "$log" >&2
		echo "apt-get could not install$missing (whole output: $log)." >&2
		echo "veer needs LLVM $LLVM; Debian has 19 since bookworm." >&2
		exit 1
	fi
	rm -f "$log"
}

build_veer() { # folder, target of ninja (all), meson option...
	build_folder=$1 build_target=$2 # the caller has variables of its own
	shift 2
	build_log=$build_folder.log
	if ! { { [ -e "$build_folder/build.ninja" ] || CC=clang-$LLVM meson setup "$build_folder" "-Dllvm=$LLVM" "$@"; } &&
		ninja -C "$build_folder" "$build_target"; } >"$build_log" 2>&1; then
		tail -n 30 "$build_log" >&2
		echo "The build failed (whole output: $build_log)." >&2
		exit 1
	fi
}
