// Coverage (abi/cover.h): puts RUN/cover in the place of the counters' pages. Those of the program and the libraries it
// is started with are found by their notes, before a fork server forks; a library that is loaded later says so itself.
// Modules stand in the file one after the other, in the order in which they came.
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "abi/cover.h"
#include "runtime/trace/calls.h"
#include "runtime/trace/rt.h"

enum { PAGE = 4096, MODULES = 256 };

static char *file; // all of it, mapped; NULL: there is none
static uint64_t file_size, used;

// A library that is unloaded and loaded again gets its old place, and finds its counters there.
static struct module {
	uint64_t unit, size, at;
} modules[MODULES] RT_LARGE;
static unsigned n_modules;

static uint64_t place_for(const struct cover_unit *first, uint64_t size, bool *ret_fresh)
{
	*ret_fresh = false;
	for (unsigned i = 0; i < n_modules; i++)
		if (modules[i].unit == first->unit && modules[i].size == size)
			return modules[i].at;
	if (size > file_size - used || n_modules == MODULES)
		return file_size;
	modules[n_modules++] = (struct module){first->unit, size, used};
	used += size;
	*ret_fresh = true;
	return used - size;
}

// By system call: mmap and mremap are the program's (mapping.c). A mapping of no size that is moved is doubled.
static void put_in_place(char *start, char *stop)
{
	struct cover_unit *first = (struct cover_unit *)start;
	uint64_t size = (uint64_t)(stop - start);
	bool ours = first->magic == COVER_MAGIC || first->magic == COVER_MAGIC_SEGMENTS;
	if ((uint64_t)start % PAGE || size % PAGE || size == 0 || !ours || first->in_place)
		return;
	bool fresh;
	uint64_t at = place_for(first, size, &fresh);
	if (at >= file_size)
		return;
	first->in_place = 1;
	if (fresh)
		memcpy(file + at, start, size);
	if (syscall(SYS_mremap, file + at, 0, size, MREMAP_MAYMOVE | MREMAP_FIXED, start) == -1)
		first->in_place = 0;
}

__attribute__((visibility("default"))) void __veer_t_cover(char *start, char *stop)
{
	int saved = errno;
	if (file)
		put_in_place(start, stop);
	errno = saved;
}

// --- modules that are there at the start -----------------------------------------------------------

static uint64_t up4(uint64_t n)
{
	return (n + 3) & ~(uint64_t)3;
}

// The two words of our note; NULL when it is not among these.
static char *find_note(char *p, uint64_t size)
{
	char *end = p + size;
	while ((uint64_t)(end - p) >= sizeof(ElfW(Nhdr))) {
		ElfW(Nhdr) h;
		memcpy(&h, p, sizeof h);
		uint64_t whole = sizeof h + up4(h.n_namesz) + up4(h.n_descsz);
		if (whole > (uint64_t)(end - p))
			return NULL;
		char *name = p + sizeof h;
		if (h.n_type == COVER_NOTE_TYPE && h.n_namesz == sizeof COVER_NOTE_NAME && h.n_descsz == 16 &&
		    memcmp(name, COVER_NOTE_NAME, sizeof COVER_NOTE_NAME) == 0)
			return name + up4(h.n_namesz);
		p += whole;
	}
	return NULL;
}

static int look_at_module(struct dl_phdr_info *info, size_t size, void *unused)
{
	(void)size;
	(void)unused;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &info->dlpi_phdr[i];
		char *note = h->p_type == PT_NOTE && h->p_align <= 4
		                     ? find_note((char *)(info->dlpi_addr + h->p_vaddr), h->p_memsz)
		                     : NULL;
		if (!note)
			continue;
		int64_t to[2];
		memcpy(to, note, sizeof to);
		put_in_place(note + to[0], note + sizeof to[0] + to[1]);
		break;
	}
	return 0;
}

void rt_cover_start(void *shared, uint64_t size)
{
	file = shared;
	file_size = size / PAGE * PAGE;
	dl_iterate_phdr(look_at_module, NULL);
}
