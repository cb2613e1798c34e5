#!/bin/sh
status=0
while read -r date expected; do
	got=$(./date "$date" 2>&1)
	[ "$got" = "$expected" ] || {
		echo "$date: $got"
		status=1
	}
done <<END
2026-11-16 16 November 2026
2024-02-29 29 February 2024
2023-02-29 date: 2023-02-29 is no date
2023-12-32 date: 2023-12-32 is no date
2023-1-1 date: 2023-1-1 is no date
2023-04-31 date: 2023-04-31 is no date
END
exit $status
