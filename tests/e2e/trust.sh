#!/bin/sh
# Silence that can be trusted: which recorded tests were analysed, which were not and why, and that nothing looks done
# that was not.
. "$(dirname "$0")/lib.sh"

# --- files of others ---------------------------------------------------------------------------------

# Creates a file beside the one that it reads.
writer() {
	cat >writer.c <<-'END'
		#include <errno.h>
		#include <stdio.h>
		int main(int argc, char **argv)
		{
			char line[64] = "";
			FILE *in = fopen(argv[argc - 1], "r"), *out = fopen("written", "w");
			if (!in || !out)
				return errno;
			if (fgets(line, sizeof line, in) && line[0] == 'x')
				fputs("x", out);
			return fclose(out) ? 1 : 0;
		}
	END
	veer-cc -g -O1 writer.c -o writer
	echo hello >input
}

others_folder() {
	[ "$(id -u)" = 0 ] || skip "only root can write to the folder of another user"
	mkdir project && cd project
	writer
	chown 12345:12345 . ./*
	veer test -o ../out -v --budget 20s --max-distance 0 -- ./writer input >../said 2>&1 || die "$(cat ../said)"
	lacks "$(cat ../said)" "not amplified"
}

others_group() {
	[ "$(id -u)" = 0 ] || skip "only root can give a file to another group"
	cat >both.c <<-'END'
		#include <errno.h>
		#include <stdio.h>
		int main(int argc, char **argv)
		{
			char line[64] = "";
			FILE *in = fopen(argv[1], "r+"), *out = fopen("folder/new", "w");
			if (argc != 2 || !in || !out)
				return errno;
			return fgets(line, sizeof line, in) && line[0] == 'x';
		}
	END
	veer-cc -g -O1 both.c -o both
	echo hello >input
	mkdir folder
	chmod 755 "$SCRATCH"
	chown -R 12345:12345 .
	chown 12345:12346 input folder
	HOME=$PWD VEER_CACHE_DIR=$PWD/cache
	export HOME VEER_CACHE_DIR
	somebody() { setpriv --reuid 12345 --regid 12345 --clear-groups "$@"; }
	somebody veer --version >/dev/null 2>&1 || skip "another user cannot run veer here"
	somebody veer test -o out -v --budget 20s --max-distance 0 -- ./both input >said 2>&1 || die "$(cat said)"
	lacks "$(cat said)" "not amplified"
}

try "root, in a folder of another user" others_folder
try "files and folders of another group" others_group
finish
