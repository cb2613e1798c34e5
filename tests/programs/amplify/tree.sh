set -e
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
printf 'r\001\002\001a\377\003\002b\377\377\003c\377\377\004' >"$dir/four"
./tree "$dir/four" >"$dir/out"
diff "$dir/out" - <<END
r 7
  a 6
    c 4
  b 3
END
printf 'x\377\377\007' >"$dir/one"
[ "$(./tree "$dir/one")" = "x 7" ]
printf 'x\005\377\007' >"$dir/bad"
[ "$(./tree "$dir/bad" 2>&1 || true)" = "tree: no such node" ]
