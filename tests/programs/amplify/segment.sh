set -e
printf '\010HEAD\003xyz' >a.in
test "$(./segment a.in)" = 68
printf '\010HEAD\006xyz' >b.in
test "$(./segment b.in)" = 121
