#!/bin/sh
tmp=$(mktemp) || exit 1
trap 'rm -f "$tmp"' EXIT
./label B 12 screws "nails, small, and other things" >"$tmp" || exit 1
cmp "$tmp" - <<END || exit 1
+------------------------+
|B12: screws             |
+------------------------+
+------------------------+
|B12: nails, small, and o|
|ther things             |
+------------------------+
END
./label b 12 screws 2>/dev/null && exit 1
./label B 0 screws 2>/dev/null && exit 1
./label B 2>/dev/null && exit 1
exit 0
