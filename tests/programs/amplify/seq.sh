#!/bin/sh
fails=0
equal() {
	if [ "$2" != "$3" ]; then
		echo "$1: expected '$2', got '$3'"
		fails=$((fails + 1))
	fi
}
equal plain "1 2 3" "$(./seq 3 | tr '\n' ' ' | sed 's/ $//')"
equal range "7 8" "$(./seq 7 8 | paste -sd' ')"
equal empty "" "$(./seq 2 1)"
equal format "<1.0> <2.0>" "$(./seq -f '<%.1f>' 2 | paste -sd' ')"
equal percent "1%x" "$(./seq -f '%g%%x' 1)"
equal quoted "no. 1" "$(./seq -f '"no. %g"' 1)"
equal width "  5" "$(./seq -f %3g 5 5)"
equal two "seq: too many directives" "$(./seq -f '%g%g' 1 2>&1)"
equal none "seq: no directive in the format" "$(./seq -f 'x%%' 1 2>&1)"
equal unknown "seq: unknown directive" "$(./seq -f %d 1 2>&1)"
[ $fails -eq 0 ]
