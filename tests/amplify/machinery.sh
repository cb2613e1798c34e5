srcdir=.. ./machinery
