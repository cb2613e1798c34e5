#!/bin/sh
data=$(mktemp) || exit 1
trap 'rm -f "$data"' EXIT
cat >"$data" <<END
name,"city, country",age
ann,"paris, france",30
bob,,41
END
all=0
[ "$(./csv 1 <"$data" | tr '\n' ' ')" = "name ann bob " ] || all=1
[ "$(./csv 2 <"$data" | head -n 2)" = "city, country
paris, france" ] || all=1
[ "$(./csv 3 <"$data" | tail -n 1)" = 41 ] || all=1
[ "$(echo 1,2,3,4,5,6 | ./csv 6)" = 6 ] || all=1
[ "$(echo 1 | ./csv 2)" = "" ] || all=1
./csv 0 </dev/null 2>/dev/null && all=1
exit $all
