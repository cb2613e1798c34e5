#!/bin/sh
# Called by the target `test-veer` of meson.build: builds the project once more with veer-cc, in BUILD/veer, runs its
# tests, and looks for what they could have found. Options of `veer test` can be given in VEER_FLAGS.
set -eu
build=$MESON_BUILD_ROOT
[ -e "$build/veer/build.ninja" ] || CC=veer-cc meson setup "$build/veer" "$MESON_SOURCE_ROOT"
meson compile -C "$build/veer"
# shellcheck disable=SC2086
exec veer test -o "$build/veer-out" ${VEER_FLAGS:---budget 1m --error-exitcode=1} -- meson test -C "$build/veer"
