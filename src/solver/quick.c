// quick
