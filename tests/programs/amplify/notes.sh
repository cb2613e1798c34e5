#!/bin/sh
d=`mktemp -d`
trap 'rm -rf "$d"' 0
status=0

printf 'NOTE\020\003\005\001GNUabcde\003\003\002ABIxyz' >$d/two
out=`./notes $d/two`
test "$out" = "1 GNU: abcde
2 ABI: xyz" || { echo "two notes: $out"; status=1; }

printf 'NOTE\001' >$d/none
out=`./notes $d/none $d/two | wc -l`
test $out -eq 2 || { echo "two files: $out"; status=1; }

printf 'NOTE\020\003\005\001GNU' >$d/short
./notes $d/short 2>/dev/null && { echo "cut off"; status=1; }
printf 'ELF' >$d/other
./notes $d/other 2>/dev/null && { echo "not notes"; status=1; }
exit $status
