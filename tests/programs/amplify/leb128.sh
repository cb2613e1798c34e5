# Numbers of one, two and three bytes, some in a row, with and without sign.
n=0
bad=0
is() {
	n=$((n + 1))
	if [ "$2" = "$1" ]; then echo "ok $n"; else
		echo "not ok $n: $2"
		bad=1
	fi
}
is 2 "$(printf '\002' | ./leb128)"
is 300 "$(printf '\254\002' | ./leb128)"
is 624485 "$(printf '\345\216\046' | ./leb128)"
is "1 128 3" "$(printf '\001\200\001\003' | ./leb128 | xargs)"
is -1 "$(printf '\177' | ./leb128 -s)"
is -123456 "$(printf '\300\273\170' | ./leb128 -s)"
is "" "$(./leb128 </dev/null)"
echo "1..$n"
exit $bad
