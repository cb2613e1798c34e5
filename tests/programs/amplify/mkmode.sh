set -e
PROGRAM=${PROGRAM-./mkmode}
refused() {
	if $PROGRAM "$@" 2>/dev/null; then exit 1; fi
}
test 0755 = "$($PROGRAM 755 a+r)"
test 0700 = "$($PROGRAM 755 go=)"
test 0751 = "$($PROGRAM 755 u=rwx,o-r)"
test 0644 = "$($PROGRAM 0 u=rw,g=r,o=r)"
test 0111 = "$($PROGRAM 0 +x)"
refused 755 z+r
refused 888 a+r
