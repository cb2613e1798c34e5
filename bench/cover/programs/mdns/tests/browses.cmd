listener.conf
