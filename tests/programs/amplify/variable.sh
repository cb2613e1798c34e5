[ "$(./variable)" = fast ]
[ "$(PACK_OPTIONS=level=2 ./variable)" = best ]
