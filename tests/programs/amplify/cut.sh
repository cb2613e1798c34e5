dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
printf 'abcdefgh\nxyz\n' >"$dir/file.inp"
failed=0

check() { # expected, arguments...
	expected=$1
	shift
	got=$(./cut "$@" "$dir/file.inp" 2>/dev/null | tr '\n' ' ')
	[ "$got" = "$expected" ] || {
		echo "cut $*: $got, not $expected"
		failed=1
	}
}

check 'a x ' -c1
check 'bcd yz ' -c2-4
check 'cdefgh z ' -c3-
check 'c:efgh z ' -c3,5- --output-d=:
check 'cde:fgh z ' -c3-5,6- --output-d=:
check 'ab:d xy ' -c1-2,4 --output-d=:
check '' -c0
check '' -c-
exit $failed
