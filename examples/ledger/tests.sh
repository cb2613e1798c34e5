# The test suite of the ledger: input and expected output, five times.
failed=0
expect() {
	if [ "$(printf "$1" | ./ledger)" = "$(printf "$2")" ]; then
		echo "PASS: $3"
	else
		echo "FAIL: $3"
		failed=1
	fi
}
expect '' 'check 17\n' 'empty ledger'
expect 'rent 750\n' 'rent 750\ncheck 60106\n' 'one account'
expect 'rent 750\nfood 12\nrent -50\n' 'food 12\nrent 700\ncheck 26536\n' 'two accounts'
expect 'a 1\nb 2\nc 3\nd 4\ne 5\n' 'a 1\nb 2\nc 3\nd 4\ne 5\ncheck 22258\n' 'many accounts'
expect 'insurance 9\n' 'insurance 9\ncheck 10729\n' 'a long name'
exit $failed
