#!/bin/sh
# Undefined behaviour that real programs get away with: each program of tests/programs/benign prints and returns the same
# natively at -O0 and in all variants ("Sanitized: ends" when that one must not go on). All are one executable, so that a
# variant is linked once.
. "$(dirname "$0")/lib.sh"
BENIGN=$VEER_SOURCE/tests/programs/benign
WORK=$SCRATCH/benign
mkdir "$WORK" && cd "$WORK" || exit 1

# What a case prints and returns, one after the other. Programs run inside `veer run` as a suite's do.
cat >all.sh <<'S'
for name in $(cat names); do
	timeout 10 ./$1 "$name" 0123456789 </dev/null >"$2/$name" 2>/dev/null
	echo "status $?" >>"$2/$name"
done
S

prepare() {
	cd "$WORK"
	for source in "$BENIGN"/*.c; do basename "$source" .c; done | grep -vxE 'main|other' >names
	sed 's/.*/CASE(&)/' names >cases.def
	[ "$(wc -l <names)" -ge 60 ]
	mkdir native traced symbolic explored sanitized
	printf '%s\n' "$BENIGN"/*.c | xargs -n 12 -P 2 veer-cc -g -w -O0 -std=gnu17 -I. -c
	veer-cc ./*.o -o benign -lm
	sh all.sh benign native
	for variant in traced explored sanitized; do
		veer run --variant $variant -- ./benign 2>>err || same 100 $? # builds the variant
		veer run --variant $variant -- sh all.sh benign $variant 2>>err
	done
	veer run --variant traced --sym argv,stdin --self-check -- sh all.sh benign symbolic 2>>err
	lacks "$(cat err)" "runs natively"
}

different() { # folder, marker of cases to leave out: those that are not as natively
	while read -r name; do
		grep -q "^// $2" "$BENIGN/$name.c" || cmp -s "native/$name" "$1/$name" || echo "$name"
	done <names
}

alike() { # folder, marker
	cd "$WORK"
	bad=$(different "$1" "$2")
	for name in $bad; do diff "native/$name" "$1/$name" | sed "s/^/$name: /"; done
	same "" "$bad"
}

traced() { alike traced "nothing"; }
symbolic() { alike symbolic "nothing"; } # all arguments are symbolic, and every expression has the right value
explored() { alike explored "nothing"; }
sanitized() { alike sanitized "Sanitized: ends"; }

ends_natively() { # by itself: no case counts on a crash
	cd "$WORK"
	same "" "$(grep -lE '^status (1[2-9][0-9]|2)' native/* || true)"
}

try "all cases are built and run" prepare
try "no case ends by a signal" ends_natively
try "traced" traced
try "traced on symbolic arguments" symbolic
try "explored" explored
try "sanitized" sanitized
finish
