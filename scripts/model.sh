#!/bin/sh
# Compiles a model of libc that is plain C, and instruments it as programs are.
# usage: model.sh SOURCE OUTPUT DEPFILE WORKER COMPILER...
set -eu
source=$(realpath "$1") output=$2 depfile=$3 worker=$4
shift 4
"$@" -MD -MF "$depfile" -MT "$output" -c "$source" -o "$output.bc"
answer=$(printf '%s\t%s\n' "$output.bc" "$output" | "$worker" traced 1)
rm -f "$output.bc"
case $answer in
ok*) ;;
*)
	echo "$source: $answer" >&2
	exit 1
	;;
esac
