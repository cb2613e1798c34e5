awk 'BEGIN { for (i = 0; i < 3000; i++) printf "unit%d %d # meters, more or less\n", i, i }' >definitions
./units 1meter
