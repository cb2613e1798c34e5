set -e
test "$(./strings 1)" = "1: .text"
test "$(./strings 13)" = "13: .symtab"
