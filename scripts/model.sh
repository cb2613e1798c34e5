#!/bin/sh
# Compiles a model of libc that is plain C, and instruments it as programs are.
# usage: model.sh SOURCE OUTPUT WORKER COMPILER...
set -eu
source=$(realpath "$1") output=$2 worker=$3
shift 3
"$@" -c "$source" -o "$output.bc"
answer=$(printf '%s\t%s\n' "$output.bc" "$output" | "$worker" traced 1)
rm -f "$output.bc"
case $answer in
ok*) ;;
*)
	echo "$source: $answer" >&2
	exit 1
	;;
esac
