attic.conf
