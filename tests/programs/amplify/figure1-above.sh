# distance: 1
# Only 100: the side of the branch on which the bug is was never taken.
[ "$(printf '\144\000\000\000' | ./figure1)" = cleared ] || exit 1
