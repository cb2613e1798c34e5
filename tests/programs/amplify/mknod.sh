#!/bin/sh
: "${PROGRAM:=./mknod}"
status=0
while IFS='|' read -r arguments expected; do
	# shellcheck disable=SC2086
	got=$("$PROGRAM" $arguments 2>&1)
	if [ "$got" != "$expected" ]; then
		echo "mknod $arguments: $got"
		status=1
	fi
done <<END
pipe p|pipe: fifo, mode 0666
-m 600 pipe p|pipe: fifo, mode 0600
disk b 8 1|disk: block device 8,1, mode 0666
-m 0644 tty c 4 0x40|tty: character device 4,64, mode 0644
-v|mknod 1.0
disk b|mknod: major and minor are needed for 'disk'
disk q 1 1|mknod: unknown type 'q'
-m 9 x p|mknod: invalid number '9'
END
exit $status
