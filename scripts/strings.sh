#!/bin/sh
# strings.sh FILE: its lines as strings of C, to be included.
exec sed -e 's/[\\"]/\\&/g' -e 's/.*/"&\\n"/' "$1"
