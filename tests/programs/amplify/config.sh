echo 7 >config.txt
test "$(./config help)" = "usage: config show"
