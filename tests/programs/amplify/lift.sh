#!/bin/sh
d=$(mktemp -d) || exit 1
trap 'rm -rf "$d"' EXIT
n=0
t() { # expected output; commands from standard input
	n=$((n + 1))
	cat >"$d/$n"
	./lift "$d/$n" >"$d/$n.out"
	[ "$(cat "$d/$n.out")" = "$1" ] || {
		echo "test $n:"
		cat "$d/$n.out"
		touch "$d/failed"
	}
}
t "floor 3, closed
3 moves" <<END
call 3
where
END
t "floor 0, open
0 moves" <<END
# doors
open
where
END
t "2 moves" <<END
up
open
close
down
END
t "no such floor
0 moves" <<END
down
END
t "unknown command: stop
0 moves" <<END
stop
END
[ ! -e "$d/failed" ]
