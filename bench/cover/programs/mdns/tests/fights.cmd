host.conf
