# distance: 5
# As text. That there is no sign is a branch of atoi; behind it come one for the other sign, for each digit and for the
# end.
[ "$(./figure1 50)" = cleared ] || exit 1
