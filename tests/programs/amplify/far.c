/* distance: 0 */
// The bug depends on the byte at 200,000 of a file of 300 KB.
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static unsigned char data[400000];

int main(void)
{
	int fd = open("image", O_RDONLY);
	ssize_t n = 0, r;
	while (fd >= 0 && n < (ssize_t)sizeof data && (r = read(fd, data + n, sizeof data - (size_t)n)) > 0)
		n += r;
	for (ssize_t i = 0; i < n; i += 14) // more branches than are looked at of one run
		if (data[i] == 1)
			puts("a mark");
	char field[16] = "";
	if (n > 200000 && data[200000] >= '0')
		memset(field, 1, data[200000] - '0'); /* bug: stack-buffer-overflow */
	printf("%zd bytes, %d\n", n, field[3]);
	return 0;
}
