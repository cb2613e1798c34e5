set -e
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
printf 'ab\001d' >"$tmp/file"
[ "$(./update descriptor "$tmp/file")" = "size 2" ]
