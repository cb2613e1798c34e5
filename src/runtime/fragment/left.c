// What a run leaves behind, for who compares two versions (abi/left.h): the result, and what is not as it was in cells
// and globals; new objects as far as pointers in these lead to them. By type, so that neither addresses nor padding
// count.

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/fragment/fragment.h"
#include "runtime/fragment/left.h"
#include "runtime/fragment/left_walk.h"
#include "runtime/serve/serve.h"
#include "runtime/trace/rt.h"

enum { TEXT = 1024, GLOBALS = 4096, IMAGES = 1 << 20 };

void *__libc_malloc(size_t size); // glibc's own

static char report[LEFT_MOST] RT_LARGE;
static size_t used;
static bool full, written;

static bool is_asked(void)
{
	return launch_left || launch_labels;
}

bool left_is_full(void)
{
	return full;
}

// --- lines ------------------------------------------------------------------------------------------

void left_put(const char *text)
{
	size_t n = strlen(text);
	full |= n > sizeof report - used;
	if (full)
		return;
	memcpy(report + used, text, n);
	used += n;
}

void left_print(const char *format, ...)
{
	char line[512];
	va_list args;
	va_start(args, format);
	vsnprintf(line, sizeof line, format, args);
	va_end(args);
	left_put(line);
}

static bool is_printable(uint8_t c)
{
	return c >= ' ' && c <= '~';
}

void left_put_bytes(const uint8_t *data, uint64_t size)
{
	for (uint64_t i = 0; i < size && !full; i++)
		if (is_printable(data[i]) && data[i] != '\\')
			left_print("%c", data[i]);
		else
			left_print("\\x%02x", data[i]);
}

// Long ones by a hash of all of it.
void left_put_text(const uint8_t *data, uint64_t size)
{
	uint64_t n = 0, hash = 14695981039346656037u;
	while (n < size && data[n] && is_printable(data[n]))
		n++;
	if (n == size || data[n])
		n = size;
	for (uint64_t i = TEXT; i < n; i++)
		hash = (hash ^ data[i]) * 1099511628211u;
	left_put_bytes(data, n < TEXT ? n : TEXT);
	if (n > TEXT)
		left_print("...%llu bytes, %016llx", (unsigned long long)n, (unsigned long long)hash);
}

static void write_report(const char *end)
{
	if (written)
		return;
	written = true;
	if (full) {
		full = false;
		used = 0;
		left_put(LEFT_FULL "\n");
	}
	left_print(LEFT_END "\t%s\n", end);
	int fd = rt_report_open(LAUNCH_LEFT_FILE);
	for (size_t at = 0; fd >= 0 && at < used;) {
		long n = syscall(SYS_write, fd, report + at, used - at);
		if (n <= 0)
			break;
		at += (size_t)n;
	}
}

// --- the run ----------------------------------------------------------------------------------------

static struct {
	const struct fragment_unit *unit;
	const struct shape_global *is;
	uint8_t *before;
	uint64_t at, size;
} globals[GLOBALS] RT_LARGE;
static uint32_t n_globals;

void left_cell(struct cell *c)
{
	if (!is_asked() || c->kind != CELL_OBJECT || !c->size)
		return;
	if (!c->image)
		c->image = rt_map(c->size);
	if (c->image)
		memcpy(c->image, (const void *)c->at, c->size);
}

void left_start(void)
{
	uint64_t bytes = 0;
	for (const struct fragment_unit *u = is_asked() ? unit_next(NULL) : NULL; u; u = unit_next(u))
		for (uint32_t i = 0; i < u->shapes->n_globals && n_globals < GLOBALS; i++) {
			const struct shape_global *g = unit_global(u, i);
			uint64_t size = unit_type(u, g->type).is->size;
			if (!u->globals[i] || !size || g->flags & (SHAPE_GLOBAL_CONST | SHAPE_GLOBAL_LITERAL) ||
			    size > IMAGES - bytes)
				continue;
			uint8_t *before = rt_map(size);
			if (!before)
				return;
			memcpy(before, u->globals[i], size);
			bytes += size;
			globals[n_globals].unit = u;
			globals[n_globals].is = g;
			globals[n_globals].before = before;
			globals[n_globals].at = (uint64_t)u->globals[i];
			globals[n_globals++].size = size;
		}
	for (uint32_t i = 0; is_asked() && i < n_cells; i++)
		if (cells[i].made)
			left_cell(&cells[i]);
}

static void leave_cells(void)
{
	for (uint32_t i = 0; i < n_cells; i++) {
		const struct cell *c = &cells[i];
		struct left_walk w = {.before = c->image, .base = c->at, .input = c->input};
		if (c->kind != CELL_OBJECT || !c->made || !c->image || left_is_same(&w, c->at, c->size))
			continue;
		bool is_text = cell_is_string(c) || !c->type.is->size;
		snprintf(w.place, sizeof w.place, "%s", c->name + !is_text);
		if (is_text)
			left_text(&w, c->at, c->size);
		else
			left_walk_elements(&w, c->type, c->at, c->size);
	}
}

static uint32_t input_of_global(uint64_t at)
{
	for (uint32_t i = 0; i < n_cells; i++)
		if (cells[i].kind == CELL_GLOBAL && cells[i].at == at)
			return cells[i].input;
	return CELL_NONE;
}

static void leave_globals(void)
{
	for (uint32_t i = 0; i < n_globals; i++) {
		const struct fragment_unit *u = globals[i].unit;
		const char *function = unit_text(u, globals[i].is->function);
		struct left_walk w = {
			.before = globals[i].before, .base = globals[i].at, .input = input_of_global(globals[i].at)};
		snprintf(w.place, sizeof w.place, "%s%s%s", function, *function ? "." : "",
		         unit_text(u, globals[i].is->name));
		left_walk(&w, unit_type(u, globals[i].is->type), globals[i].at, globals[i].at + globals[i].size);
	}
}

void left_returned(const struct fragment_unit *u, uint32_t function, const void *result)
{
	const struct shape_function *f = unit_function(u, function);
	struct type t = f->type ? type_of(unit_type(u, f->type)) : (struct type){0};
	if (!is_asked())
		return;
	if (result && t.is && t.is->size) {
		struct left_walk w = {.base = (uint64_t)result, .place = LEFT_RESULT, .input = CELL_NONE};
		left_walk(&w, t, (uint64_t)result, (uint64_t)result + t.is->size);
	}
	leave_cells();
	leave_globals();
	fflush(NULL);
	write_report(LEFT_RETURNED);
}

void left_ended(const char *how)
{
	if (is_asked())
		write_report(how);
}

// --- calls ------------------------------------------------------------------------------------------

// What an argument leads to is text, or not known.
static void put_argument(int64_t argument)
{
	struct rt_object o;
	uint64_t at = (uint64_t)argument, room = 0, n = 0;
	rt_touch_cell(at);
	if (at && rt_object_find(at, &o) && at - o.base < o.size)
		room = o.base + o.size - at;
	if (!room) {
		left_print("\t%lld", (long long)argument);
		return;
	}
	while (n < room && is_printable(((const uint8_t *)at)[n]))
		n++;
	left_put("\t");
	if (n && n < room && !((const uint8_t *)at)[n]) {
		left_put("\"");
		left_put_bytes((const uint8_t *)at, n < TEXT ? n : TEXT);
	} else if (!left_put_cell(at) && !left_put_static(at)) {
		left_put("?");
	}
}

void left_call(const char *name, const int64_t *arguments, unsigned n)
{
	if (!is_asked())
		return;
	left_print(LEFT_CALL "\t%s", name);
	for (unsigned i = 0; i < n; i++)
		put_argument(arguments[i]);
	left_put("\n");
}

void left_leads(const char *place, const char *function)
{
	if (is_asked())
		left_print(LEFT_LEADS "\t%s\t%s\n", place, function);
}

// --- memory -----------------------------------------------------------------------------------------

enum { FRESH = 0x5a, FRESH_OTHER = 0xa5, SCRUBBED = 1 << 16 };

void left_fresh(void *p, size_t size)
{
	if (is_asked() && p)
		memset(p, launch_other ? FRESH_OTHER : FRESH, size);
}

// Nothing that runs before leaves its values for the variables of the function.
__attribute__((noinline)) static void scrub(void)
{
	volatile char below[SCRUBBED];
	for (size_t i = 0; i < sizeof below; i++)
		below[i] = launch_other ? (char)FRESH_OTHER : FRESH;
}

// What is allocated lies elsewhere.
static void shift_heap(void)
{
	enum { LARGEST = 1040, STEP = 16 };
	for (size_t size = STEP; size <= LARGEST; size += STEP)
		(void)!__libc_malloc(size);
}

void left_call_thunk(void (*thunk)(void))
{
	if (launch_other)
		shift_heap();
	volatile char *away = __builtin_alloca(launch_other ? 8192 : 16);
	away[0] = 0;
	scrub();
	thunk();
}

uint64_t left_distance(void)
{
	return launch_left && launch_other ? 1ull << 36 : 0;
}
