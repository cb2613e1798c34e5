// Options come from a variable that the test sets, as M4PATH or GZIP do.
/* distance: 0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const levels[] = {"none", "fast", "best", "most"};

int main(void)
{
	const char *options = getenv("PACK_OPTIONS");
	int level = 1;
	if (options && strncmp(options, "level=", 6) == 0)
		level = options[6] - '0';
	if (level < 0 || level > 4)
		return 2;
	puts(levels[level]); /* bug: global-buffer-overflow */
	return 0;
}
