// What a program makes symbolic itself (include/veer.h) has, when the judge looks at it, the bytes that the input
// gives: OPEN/objects, beside OPEN/reports, one object after the other. Elsewhere objects keep the value they have.
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "abi/objects.h"
#include "runtime/san_run.h"

#define API __attribute__((visibility("default")))

API void veer_make_symbolic(void *data, size_t size, const char *name);
API void veer_assume(uintptr_t condition);

static off_t used;

void veer_make_symbolic(void *data, size_t size, const char *name)
{
	char path[PATH_MAX + 16];
	int saved = errno;
	(void)name;
	if (!san_reports[0] || !size)
		return;
	snprintf(path, sizeof path, "%s/../%s", san_reports, OBJECTS_FILE);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		ssize_t n = pread(fd, data, size, __atomic_fetch_add(&used, (off_t)size, __ATOMIC_RELAXED));
		(void)n; // what is not given stays
		close(fd);
	}
	errno = saved;
}

// Other runs are of no interest, whatever they do wrong.
void veer_assume(uintptr_t condition)
{
	if (!condition)
		exit(0);
}
