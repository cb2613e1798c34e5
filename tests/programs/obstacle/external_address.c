// A parser of libc for Internet addresses.
#include "bomb.h"
#include <arpa/inet.h>

int main(int argc, char **argv)
{
	if (argc < 2)
		return 1;
	struct in_addr address;
	if (!inet_aton(argv[1], &address))
		return 1;
	unsigned value = ntohl(address.s_addr);
#if LEVEL == 1
	if (value >> 24 == 10)
		bomb();
#else
	if (value >> 16 == (172 << 8 | 17) && (value & 0xff) == 254)
		bomb();
#endif
	return 0;
}
