#!/bin/sh
out=$(mktemp) || exit 1
trap 'rm -f "$out"' EXIT
printf '\001\002ab\060\005\002\000\003\001z\004\200\000\001!' | ./tlv >"$out" || exit 1
diff "$out" - <<END || exit 1
01 61 62
30 {
  02
  03 7a
}
04 21
END
printf '\001\003ab' | ./tlv >/dev/null 2>&1 && exit 1
printf '\001' | ./tlv 2>/dev/null && exit 1
printf '\040\003\040\001\001' | ./tlv >/dev/null 2>&1 && exit 1
[ -z "$(./tlv </dev/null)" ]
