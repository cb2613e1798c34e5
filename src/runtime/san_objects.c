// What a program makes symbolic itself (include/veer.h) has, when the oracle looks at it, the bytes that the input
// gives: OPEN/objects, beside OPEN/reports (abi/objects.h). Elsewhere objects keep the value they have.
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "abi/objects.h"
#include "runtime/san_run.h"

#define API __attribute__((visibility("default")))

API void veer_make_symbolic(void *data, size_t size, const char *name);
API void veer_assume(uintptr_t condition);

// The records, as this process has them: which were taken is its own business.
static void *records;
static size_t room;

static void open_records(void)
{
	char path[PATH_MAX + 16];
	struct stat st;
	snprintf(path, sizeof path, "%s/../%s", san_reports, OBJECTS_FILE);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0 && fstat(fd, &st) == 0 && st.st_size > 0) {
		void *p = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
		room = p != MAP_FAILED ? (size_t)st.st_size : 0;
		records = room ? p : NULL;
	}
	if (fd >= 0)
		close(fd);
}

// Objects that several threads make at once have no order, and so no values of their own.
void veer_make_symbolic(void *data, size_t size, const char *name)
{
	static int opened;
	int saved = errno;
	if (!san_reports[0] || !size)
		return;
	if (!__atomic_exchange_n(&opened, 1, __ATOMIC_ACQ_REL))
		open_records();
	if (records)
		objects_take(records, room, name && *name ? name : "input", data, size);
	errno = saved;
}

// Other runs are of no interest, whatever they do wrong.
void veer_assume(uintptr_t condition)
{
	if (!condition)
		exit(0);
}
