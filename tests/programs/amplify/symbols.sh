#!/bin/sh
# symbols looks for image.o where it is run.
program=$(pwd)/symbols
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
errors=0

"$program" 2>/dev/null && errors=1

{
	printf '\177OBJ\002\000\012\000'
	printf '\001\000\002\020'
	printf '\006\000\001\040'
	printf '\000main\000buf\000'
} >image.o
"$program" >listing
diff listing - <<END || errors=1
10 function main
20 object   buf
END

printf '\177OBJ\000\000\000\000' >image.o
[ -z "$("$program")" ] || errors=1
printf '\177ELF\000\000\000\000' >image.o
"$program" 2>/dev/null && errors=1
exit $errors
