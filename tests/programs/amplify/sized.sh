set -e
printf 'x\012\010\014' >a.in
test "$(./sized a.in)" = "20 of 28 bytes"
printf 'x\000\000\000' >b.in
test "$(./sized b.in)" = "0 of 8 bytes"
! ./sized 2>usage
grep -q usage usage
