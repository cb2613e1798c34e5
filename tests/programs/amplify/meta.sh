#!/bin/sh
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cat >"$dir/one" <<END
title: On Testing
author: N. N.
date: today

title: not in the head
END
printf 'title: Draft\ntitle: Final\n\n' >"$dir/two"
bad=0
[ "$(./meta "$dir/one" "$dir/two")" = "On Testing, by N. N.
Final, by unknown" ] || bad=1
[ "$(./meta </dev/null)" = "untitled, by unknown" ] || bad=1
[ "$(echo 'author:' | ./meta 2>&1)" = "meta: the author is empty" ] || bad=1
[ "$(echo 'nothing' | ./meta 2>&1)" = "meta: a line without a colon" ] || bad=1
exit $bad
