bad.conf
