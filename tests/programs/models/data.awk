# What standard input is in the tests of models: 7,000 bytes, short and long lines, some
# bytes of every kind.
BEGIN {
	state = 7
	for (i = 0; i < 7000; i++) {
		state = (state * 1103515245 + 12345) % 2147483648
		r = int(state / 65536) % 1000
		c = r % 26 + 97
		if (r < 60 && int(i / 600) % 3) c = 10
		else if (r < 120) c = 32
		else if (r < 140) c = int(state / 256) % 256
		else if (r < 160) c = 59
		printf "%c", c
	}
}
