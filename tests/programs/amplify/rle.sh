# There and back again, for some texts, one with a long run.
set -e
long=$(printf '%0200d' 0)
for text in a aabbb 'hello world' "$long" "x${long}yy"; do
	back=$(printf %s "$text" | ./rle -e | ./rle -d)
	[ "$back" = "$text" ]
done
[ "$(printf aaaa | ./rle -e | wc -c)" -eq 2 ]
[ "$(printf '\003x\001y' | ./rle -d)" = xxxy ]
if printf '\003' | ./rle -d 2>/dev/null; then exit 1; fi
