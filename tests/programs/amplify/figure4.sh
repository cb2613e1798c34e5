# One test, between 100 and 199.
[ "$(printf '\226\000\000\000' | ./figure4)" = cleared ] || exit 1
