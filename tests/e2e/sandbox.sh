#!/bin/sh
# The sandbox around a program that does harm. It is pointed at canary files only, and does nothing outside.
. "$(dirname "$0")/lib.sh"
"$CLANG" -O1 "$VEER_SOURCE/tests/programs/harmful.c" -o "$SCRATCH/harmful" || exit 1
DRIVER=$VEER_BUILD/bench/sandbox/sandbox
MODE=

canaries() {
	mkdir cwd cwd/canaries beside
	chmod 777 cwd cwd/canaries beside
	for i in 1 2 3 4 5; do echo "canary $i" >"cwd/canaries/c$i"; done
	chmod 640 cwd/canaries/c5
	ls -lR cwd >before
	HARMFUL_BESIDE=$PWD/beside
	export HARMFUL_BESIDE
	# The program takes an overlay for the sandbox.
	[ "$(stat -f -c %T cwd)" != overlayfs ] || skip "this folder is an overlay itself"
}

alive() {
	ls -lR cwd | cmp - before
	for i in 1 2 3 4 5; do same "canary $i" "$(cat "cwd/canaries/c$i")"; done
	same "" "$(ls beside)"
}

refuses() {
	canaries
	cd cwd
	same 3 "$(status "$SCRATCH/harmful" delete "$PWD/canaries")"
	cd ..
	alive
}

# inside HARM: what the driver says
inside() {
	(cd cwd && "$DRIVER" run $MODE "$SCRATCH/harmful" "$@" 2>../why) || {
		code=$?
		[ $code -ne 77 ] || skip "$(cat why)"
		cat why
		exit $code
	}
}

harm() { # harm, what it says
	said=$(inside "$1" canaries) || { code=$?; echo "$said"; exit $code; }
	same "$2" "$(echo "$said" | tr '\n' ' ')"
	alive
}

deletes() { canaries; harm delete "5 exit 0 reset "; }
overwrites() { canaries; harm overwrite "5 exit 0 reset "; }
moves() { canaries; harm move "5 exit 0 reset "; }
locks() { canaries; if [ $MODE = landlock ]; then harm lock "0 exit 0 reset "; else harm lock "5 exit 0 reset "; fi; }
fills() { canaries; harm fill "exit 0 reset "; }
slays() { canaries; harm slay "exit 0 reset "; }
talks() { canaries; harm talk "none exit 0 reset "; }
floods() { canaries; harm flood "signal 25 reset "; }
hangs() { canaries; harm hang "too long reset "; }
bombs() { # it ends by its own alarm, by the limit of processes, or after the time it may take
	canaries
	said=$(inside bomb) || { code=$?; echo "$said"; exit $code; }
	contains "$said" reset
	alive
	same "" "$(ps -eo args | grep "^$SCRATCH/harmful" || true)"
}

# By its absolute path a canary is the real one, which is copied or denied.
absolute() {
	canaries
	said=$(inside delete "$PWD/cwd/canaries") || { code=$?; echo "$said"; exit $code; }
	if [ $MODE = landlock ]; then contains "$said" 0; else contains "$said" 5; fi
	alive
}

# A campaign on a program that does all of it: nothing is harmed, nothing invented, everything tried.
explored() {
	canaries
	veer-cc -g -O1 -w "$VEER_SOURCE/tests/programs/hostile.c" -o "$SCRATCH/hostile"
	cd cwd
	echo x >../seed
	timeout 300 veer explore -q --sandbox $MODE -o ../out -j1 --timeout 3000 -- "$SCRATCH/hostile" <../seed >../said 2>&1 || {
		case $(cat ../said) in *"no sandbox"*) skip "$(cat ../said)" ;; esac
		die "$(cat ../said)"
	}
	cd ..
	alive
	same 0 "$(sqlite3 out/veer.db "SELECT count(*) FROM findings WHERE level <> 'resource'")"
	# Each way was a run of its own: 13 bytes that do something.
	same 13 "$(sqlite3 out/veer.db "SELECT count(*) FROM bytes WHERE hex(substr(data, -2, 1)) IN ('64', '6F', '6D', '6C', '66', '62', '73', '74', '46', '53', '68', '72', '70')")"
	same "" "$(ps -eo args | grep "^$SCRATCH/hostile" || true)"
}

# Whatever of a program runs before main, and whoever runs it, does so inside: a FIFO is left as it is.
before_main() {
	mkfifo canary
	exec 9<>canary
	printf 'canary\n' >&9
	programs=$VEER_SOURCE/tests/programs
	set -- "-DCANARY=\"$PWD/canary\"" -O1 -g
	"$CLANG" "$@" -shared -fPIC "$programs/before_main_library.c" -o libbefore.so
	"$CLANG" "$@" -shared -fPIC -DAUDIT "$programs/before_main_library.c" -o audit.so
	veer-cc "$@" -w "$programs/before_main.c" ./libbefore.so -Wl,-rpath,"$PWD" -o before
	for input in w m; do
		printf '%s' $input >seed
		veer explore -q --sandbox $MODE -o out$input -j1 --runs 3 -- ./before <seed >said 2>&1 || {
			case $(cat said) in *"no sandbox"*) skip "$(cat said)" ;; esac
			die "$(cat said)"
		}
		same "" "$(sqlite3 out$input/veer.db 'SELECT kind FROM findings')"
		[ "$(sqlite3 out$input/veer.db 'SELECT count(*) FROM inputs')" -gt 0 ] || die "nothing ran: $(cat said)"
	done
	# Auditors run when the loader lists libraries, before there is any server; that has no room for them.
	veer-cc "$@" -w "$programs/before_main.c" ./libbefore.so -Wl,-rpath,"$PWD" -Wl,--audit="$PWD/audit.so" -o before
	veer explore -q --sandbox $MODE -o outa -j1 --runs 3 -- ./before <seed >said 2>&1 || true
	line=$(timeout 5 dd bs=64 count=1 2>/dev/null <&9)
	same canary "$line"
}

# In a folder on the way to a mount there can be no overlay. Neither its FIFOs nor its devices are reached.
on_the_way() {
	[ "$(id -u)" = 0 ] || skip "only root can mount"
	mkdir -p way/mount/deep way/folder cwd
	mknod way/null c 1 3 2>/dev/null || skip "cannot make devices here"
	echo text >way/file
	ln -s file way/link
	for fifo in fifo folder/fifo; do
		mkfifo way/$fifo
	done
	exec 8<>way/fifo 9<>way/folder/fifo
	printf 'canary\n' >&8
	printf 'canary\n' >&9
	cat >try.sh <<-'END'
		for fifo in ../way/fifo ../way/folder/fifo; do
			dd if=$fifo iflag=nonblock bs=64 count=1 2>/dev/null
			echo harm 1<>$fifo
		done
		(echo >../way/null) 2>/dev/null && echo "a device"
		cat ../way/file ../way/link ../way/mount/deep/inner
		for place in ../way/new ../way/file; do (echo >$place) 2>/dev/null && echo "wrote $place"; done
		echo >../way/mount/deep/new || echo "cannot write in a mount"
	END
	said=$(unshare -m --propagation private sh -c 'mount -t tmpfs tmpfs way/mount && mkdir way/mount/deep &&
		echo inner >way/mount/deep/inner && cd cwd && exec "$1" run namespaces sh ../try.sh' sh "$DRIVER" 2>&1) || {
		case $said in *"does not work"*) skip "$said" ;; esac
		die "$said"
	}
	same "text text inner exit 0 reset " "$(echo "$said" | tr '\n' ' ')"
	same canary "$(timeout 5 dd bs=64 count=1 2>/dev/null <&8)"
	same canary "$(timeout 5 dd bs=64 count=1 2>/dev/null <&9)"
}

hides() {
	mkdir secret cwd
	echo key >secret/file
	cat >reads.c <<-END
		#include <stdio.h>
		#include <stdlib.h>
		int main(void)
		{
			FILE *f = fopen("$PWD/secret/file", "r");
			if (getchar() == 'x' && f && getc(f) != EOF)
				abort();
			return 0;
		}
	END
	veer-cc -g -O1 reads.c -o reads
	printf x >seed
	cd cwd
	for hide in ../cwd ../secret; do
		veer explore -q --sandbox $MODE --hide $hide -o ../out -j1 --runs 3 -- ../reads <../seed >../said 2>&1 || {
			case $(cat ../said) in *"no sandbox"*) skip "$(cat ../said)" ;; esac
			die "$(cat ../said)"
		}
		echo "$hide $(sqlite3 ../out/veer.db 'SELECT count(*) FROM findings')" >>../found
		rm -r ../out
	done
	same "../cwd 1 ../secret 0 " "$(tr '\n' ' ' <../found)"
	# Only who hides the same finds it again.
	sed 's/f && getc(f) != EOF/!(f \&\& getc(f) != EOF)/' ../reads.c >../needs.c
	veer-cc -g -O1 ../needs.c -o ../needs
	veer explore -q --sandbox $MODE --hide ../secret -o ../out -j1 --runs 3 -- ../needs <../seed >../said 2>&1
	contains "$(cat ../said)" "F1 error: abort"
	contains "$(veer replay -o ../out F1 2>&1)" "F1: again"
	said=$(veer explore --hide missing -- ../reads 2>&1 </dev/null) && die "nothing is hidden"
	one_line "$said"
	contains "$said" "no 'missing'"
}

# campaign.sh explores a program with a file completely, here, whatever the machine allows; `said` is what it says.
campaign() {
	veer-cc -g -O1 -w "$VEER_SOURCE/tests/programs/explore/file.c" -o file
	cat >campaign.sh <<-END
		cd "$PWD" && veer explore -q -o out -j1 --sym stdin -- ./file @@ >said 2>&1 </dev/null
	END
}

is_complete() {
	contains "$(cat said)" "complete after"
	contains "$(cat said)" "$1"
	same "$(sed -n 's,^// finds: \([a-z]*\) .*,\1,p' "$VEER_SOURCE/tests/programs/explore/file.c")" \
		"$(sqlite3 out/veer.db 'SELECT level FROM findings')"
}

other_user() {
	campaign
	[ "$(id -u)" = 0 ] || skip "only root can be somebody else"
	chmod 755 "$SCRATCH" # what mktemp made is for its owner alone
	chown 12345:12345 . ./*
	HOME=$PWD VEER_CACHE_DIR=$PWD/cache
	export HOME VEER_CACHE_DIR
	somebody() { setpriv --reuid 12345 --regid 12345 --clear-groups "$@"; }
	somebody veer --version >/dev/null 2>&1 || skip "another user cannot run veer here"
	somebody sh campaign.sh || die "$(cat said)"
	is_complete ""
}

without_namespaces() {
	campaign
	unshare -Ur sh -c 'echo 0 >/proc/sys/user/max_user_namespaces' 2>/dev/null || skip "cannot forbid namespaces here"
	"$DRIVER" run landlock true >/dev/null 2>&1 || skip "there is no Landlock here"
	unshare -Ur sh -c 'echo 0 >/proc/sys/user/max_user_namespaces; exec sh campaign.sh' || die "$(cat said)"
	is_complete "Landlock"
	one_line "$(grep Landlock said)"
}

# The kernel makes no namespaces for who is in one. What is mounted is seen in there only: mounts are private first.
in_chroot() {
	campaign
	how="-m --propagation private"
	[ "$(id -u)" = 0 ] || how="-Ur $how"
	# shellcheck disable=SC2086
	apart() { unshare $how sh -c 'mount --make-rprivate / && mount -t tmpfs tmpfs "$1" && mkdir "$1/root" &&
		mount --rbind / "$1/root" && exec chroot "$1/root" "$2" "$3"' sh "$PWD/mounted" "$@"; }
	mkdir mounted
	apart true x 2>/dev/null || skip "cannot mount here"
	same "" "$(ls mounted)"
	"$DRIVER" run landlock true >/dev/null 2>&1 || skip "there is no Landlock here"
	apart sh "$PWD/campaign.sh" || die "$(cat said)"
	is_complete "Landlock"
}

try "harmful does nothing outside" refuses
try "a campaign of another user" other_user
try "FIFOs and devices on the way to a mount" on_the_way
try "a campaign where namespaces are forbidden" without_namespaces
try "a campaign in a chroot" in_chroot
for MODE in namespaces landlock; do
	try "$MODE: deletes" deletes
	try "$MODE: overwrites" overwrites
	try "$MODE: moves" moves
	try "$MODE: changes permissions" locks
	try "$MODE: deletes by absolute path" absolute
	try "$MODE: fills the disk" fills
	try "$MODE: kills its parent" slays
	try "$MODE: opens sockets" talks
	try "$MODE: floods its output" floods
	try "$MODE: hangs" hangs
	try "$MODE: forks without end" bombs
	try "$MODE: hides" hides
	try "$MODE: explored" explored
	[ $MODE = landlock ] || try "$MODE: code before main" before_main
done
finish
