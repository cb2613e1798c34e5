// Where cells lie in the sanitized variant: in heap blocks of exactly their size, so that AddressSanitizer sees every
// access outside of them. They are made at once: what the traced run did not touch is there, and empty. That a cell is
// large enough and a made-up pointer not null is assumed, so such a report is none; the run ends there.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/fragment/fragment.h"
#include "runtime/fragment/left.h"
#include "runtime/san_run.h"

extern const char *__asan_get_report_description(void) __attribute__((weak));
extern void *__asan_get_report_address(void) __attribute__((weak));
extern void *__asan_region_is_poisoned(void *from, size_t size) __attribute__((weak));
__attribute__((visibility("default"))) void __veer_f_error(void);

enum { NEAR = 256, NULL_PAGES = 1 << 16 };

static bool has_null; // a pointer was made null

void place_start(void)
{
}

bool place_reserve(struct cell *c)
{
	c->at = (uint64_t)calloc(1, c->size ? c->size : 1);
	if (!c->at)
		return false;
	if (c->kind == CELL_OBJECT && c->record) {
		c->made = true;
		fill_cell(c);
	}
	return true;
}

void place_make(struct cell *c)
{
	(void)c;
}

uint64_t place_room(uint64_t address)
{
	enum { MOST = 4096 };
	char *end = __asan_region_is_poisoned ? __asan_region_is_poisoned((void *)address, MOST) : NULL;
	return end ? (uint64_t)end - address : MOST;
}

const uint8_t *place_records(uint64_t *ret_size)
{
	char path[PATH_MAX + 16];
	struct stat st;
	void *p = MAP_FAILED;
	snprintf(path, sizeof path, "%s/../%s", san_reports, OBJECTS_FILE);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0 && fstat(fd, &st) == 0 && st.st_size > 0)
		p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (fd >= 0)
		close(fd);
	*ret_size = p != MAP_FAILED ? (uint64_t)st.st_size : 0;
	return p != MAP_FAILED ? p : NULL;
}

// --- pointers ---------------------------------------------------------------------------------------

bool place_defers(const struct pointer *p)
{
	return defer_pointer(p);
}

// What the traced run did not write is left as it is.
bool place_writes(const struct cell *c)
{
	return c->record;
}

// place_writes says how far it came.
bool place_is_past(void)
{
	return false;
}

void place_partial(void)
{
}

void place_finish(void)
{
	defer_finish();
}

void label_pointer(const struct pointer *p, const struct option *options, unsigned n, uint8_t chosen)
{
	(void)p, (void)n;
	has_null |= options[chosen].value == FRAGMENT_NULL;
}

// --- no labels --------------------------------------------------------------------------------------

uint32_t label_input(const struct cell *c, const uint8_t *bytes)
{
	(void)c, (void)bytes;
	return CELL_NONE;
}

void label_bytes(const struct cell *c, uint64_t offset, uint64_t size)
{
	(void)c, (void)offset, (void)size;
}

bool label_range(const struct cell *c, int64_t low, int64_t high)
{
	(void)c, (void)low, (void)high;
	return true;
}

void label_given(const struct cell *c, uint64_t offset, uint8_t byte)
{
	(void)c, (void)offset, (void)byte;
}

void label_stream(const struct cell *c, int fd)
{
	(void)c, (void)fd;
}

void label_union(const struct cell *c, uint64_t offset, unsigned n, const char *place)
{
	(void)c, (void)offset, (void)n, (void)place;
}

// Calls of these runs are not probed.
void probe_pointer(struct cell *c, struct type to, uint64_t offset, const char *place)
{
	(void)c, (void)to, (void)offset, (void)place;
}

void label_bool(const struct cell *c, uint64_t offset)
{
	((uint8_t *)c->at)[offset] &= 1;
}

// --- nobody compares what these runs leave ----------------------------------------------------------

void left_cell(struct cell *c)
{
	(void)c;
}

void left_start(void)
{
}

void left_returned(const struct fragment_unit *u, uint32_t function, const void *result)
{
	(void)u, (void)function, (void)result;
}

void left_call(const char *name, const int64_t *arguments, unsigned n)
{
	(void)name, (void)arguments, (void)n;
}

void left_leads(const char *place, const char *function)
{
	(void)place, (void)function;
}

void left_call_thunk(void (*thunk)(void))
{
	thunk();
}

// --- what is assumed --------------------------------------------------------------------------------

static bool is_beside_cell(uint64_t address)
{
	for (uint32_t i = 0; i < n_cells; i++)
		if (cells[i].kind != CELL_GLOBAL && address - (cells[i].at - NEAR) < cells[i].size + 2 * NEAR)
			return true;
	return false;
}

// Before the report is written.
void __veer_f_error(void)
{
	if (!fragment || !__asan_get_report_description || !__asan_get_report_address)
		return;
	const char *what = __asan_get_report_description();
	uint64_t address = (uint64_t)__asan_get_report_address();
	bool outside = what && strcmp(what, "heap-buffer-overflow") == 0 && is_beside_cell(address);
	if (outside || (has_null && address < NULL_PAGES)) {
		char begun[PATH_MAX + 32];
		snprintf(begun, sizeof begun, "%s/address.%d", san_reports, (int)getpid());
		unlink(begun);
		fragment_end();
	}
}

void fragment_end(void)
{
	_exit(0);
}
