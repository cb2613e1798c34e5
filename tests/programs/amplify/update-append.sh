set -e
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
printf 'ab\001d' >"$tmp/file"
[ "$(./update a "$tmp/file")" = "size 2" ]
