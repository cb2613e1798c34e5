// cache
