srcdir=.. ./machinery word
