#!/bin/sh
top=$PWD
work=$(mktemp -d) || exit 1
trap 'cd /; rm -rf "$work"' 0
cd "$work" || exit 1
printf 'a\nb\n' >one
printf '1\n2\n3\n' >two
result=0

expect() {
	"$top/paste" "$@" >got 2>&1 <two
	cmp -s got wanted || {
		echo "paste $*:"
		diff wanted got
		result=1
	}
}

cat >wanted <<END
a	1
b	2
	3
END
expect one two
expect one -
cat >wanted <<END
a,1
b,2
,3
END
expect -d, one two
cat >wanted <<END
a1
b2
3
END
expect '-d\0' one two
cat >wanted <<END
a:1;a
b:2;b
:3;
END
expect '-d:;' one two one
cat >wanted <<END
a\1
b\2
\3
END
expect '-d\\' one two
exit $result
