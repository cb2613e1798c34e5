// Switches in switches: dense, sparse, of 64 bits, with a case that falls through.
// domain: objects 2
// paths: 14
#include <klee/klee.h>
#include <stdint.h>

static int dense(uint8_t c)
{
	int r = 0;
	switch (c) {
	case 10: r += 1; /* fall through */
	case 11: r += 2; break;
	case 12: r = 7; break;
	case 13: r = 8; break;
	case 14: return 9;
	case 15: r = 10; break;
	case 16: r = 11; break;
	default: break;
	}
	return r;
}

static int sparse(uint64_t c)
{
	switch (c * 0x100000001u) {
	case 0: return 0;
	case 0x700000007u: return 1;
	case 0xff000000ffu: return 2;
	case 0xff00000100u: return 3; /* unreachable */
	default: return 4;
	}
}

int main(void)
{
	uint8_t in[2];
	klee_make_symbolic(in, sizeof in, "in");
	int r = dense(in[0]);
	if (r == 9 || r == 3)
		return sparse(in[1]);
	return r;
}
