#!/bin/sh
# Tables with addresses of four and of eight bytes, and ones that are refused.
set -e
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

printf '\030\000\000\000\002\000\007\000\000\000\004\000' >"$tmp/four"
printf '\000\020\000\000\040\000\000\000\000\000\000\000\000\000\000\000' >>"$tmp/four"
[ "$(./aranges "$tmp/four")" = "unit at 7
1000-1020" ]

printf '\034\000\000\000\002\000\001\000\000\000\010\004' >"$tmp/eight"
printf '\001\000\000\000\000\000\100\000\000\000\000\000\020\000\000\000\000\000\000\000' >>"$tmp/eight"
[ "$(./aranges "$tmp/eight")" = "unit at 1
400000-400010" ]

printf '\010\000\000\000\003\000\001\000\000\000\004\000' >"$tmp/version"
[ "$(./aranges "$tmp/version" 2>&1 || true)" = "aranges: unknown version" ]
printf 'short' >"$tmp/short"
[ "$(./aranges "$tmp/short" 2>&1 || true)" = "aranges: no header" ]
