awk 'BEGIN { for (i = 0; i < 30000; i++) printf "0123456789" }' >image
./far
