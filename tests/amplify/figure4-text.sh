# distance: 7
# As text, with a number on every path. The sign is decided before the digits (see figure1-text.sh), and a number of one
# digit is not enough: what lies just before a variable, AddressSanitizer takes for another one.
for x in 7 150 200; do
	./figure4 $x >/dev/null || exit 1
done
