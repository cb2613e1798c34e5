#!/bin/sh
status=0
for text in '' f fo foo foob fooba foobar; do
	back=$(printf %s "$text" | ./base64 | ./base64 -d) || status=1
	[ "$back" = "$text" ] || status=1
done
[ "$(printf foobar | ./base64)" = Zm9vYmFy ] || status=1
[ "$(printf fooba | ./base64)" = Zm9vYmE= ] || status=1
[ "$(printf '%060d' 0 | ./base64 | wc -l)" -eq 2 ] || status=1
echo 'Zm9v!' | ./base64 -d >/dev/null 2>&1 && status=1
echo 'Z' | ./base64 -d 2>/dev/null && status=1
exit $status
