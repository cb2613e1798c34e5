# Sourced by the scripts: --help prints what stands at their head.
#
# shellcheck shell=sh
case ${1-} in -h | --help)
	sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"
	exit 0
	;;
esac
