test "$(./weekday 1)" = Mon && test "$(./weekday -s 3)" = Tue && echo "PASS: tests.sh"
