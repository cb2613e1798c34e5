// args: ab
// Characters are gathered before they are written; shifts in place of multiplications.
#include <stdio.h>
#include <string.h>

#ifdef NEW
static char pending[24];
static size_t used;

static void flush(void)
{
	fwrite(pending, 1, used, stdout);
	used = 0;
}

static void put(int c)
{
	if (used == sizeof pending)
		flush();
	pending[used++] = (char)c;
}
#else
static void put(int c)
{
	putchar(c);
}

static void flush(void)
{
}
#endif

static void encode(const unsigned char *p, size_t n)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	for (; n; n -= n < 3 ? n : 3, p += 3) {
#ifdef NEW
		unsigned v = (unsigned)p[0] << 16 | (n > 1 ? (unsigned)p[1] << 8 : 0) | (n > 2 ? p[2] : 0);
		for (int shift = 18; shift >= 0; shift -= 6)
			put((size_t)(18 - shift) / 6 > n ? '=' : digits[v >> shift & 63]);
#else
		unsigned v = p[0] * 65536u + (n > 1 ? p[1] * 256u : 0) + (n > 2 ? p[2] : 0);
		put(digits[v / 262144]);
		put(digits[v / 4096 % 64]);
		put(n > 1 ? digits[v / 64 % 64] : '=');
		put(n > 2 ? digits[v % 64] : '=');
#endif
		if (n <= 3)
			break;
	}
	put('\n');
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		encode((const unsigned char *)argv[i], strlen(argv[i]));
	flush();
	return 0;
}
