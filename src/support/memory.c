// Predicates on memory: klee/klee.h. The traced variant knows all objects; where
// AddressSanitizer is linked in, it answers.
#include <klee/klee.h>
#include <link.h>
#include <malloc.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
#include <veer.h>

#include "support/support.h"

int __sanitizer_get_ownership(const volatile void *p) __attribute__((weak));
size_t __sanitizer_get_allocated_size(const volatile void *p) __attribute__((weak));
void *__asan_region_is_poisoned(void *beg, size_t size) __attribute__((weak));

static int in_module(struct dl_phdr_info *info, size_t size, void *address)
{
	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		if (p->p_type == PT_LOAD && (uintptr_t)address - (info->dlpi_addr + p->p_vaddr) < p->p_memsz)
			return 1;
	}
	return 0;
}

static bool on_stack(const void *address)
{
	pthread_attr_t attr;
	void *base;
	size_t size;
	if (pthread_getattr_np(pthread_self(), &attr) != 0)
		return false;
	bool known = pthread_attr_getstack(&attr, &base, &size) == 0;
	pthread_attr_destroy(&attr);
	return known && (uintptr_t)address - (uintptr_t)base < size;
}

SUPPORT size_t klee_get_obj_size(void *ptr)
{
	size_t size = veer_object_size ? veer_object_size(ptr) : VEER_UNKNOWN;
	size_t value = (size_t)klee_get_valuel((long)size); // a test of the size itself would be a branch on the path
	if (value && value != VEER_UNKNOWN)
		return size;
	if (value && __sanitizer_get_ownership && __sanitizer_get_allocated_size) {
		if (__sanitizer_get_ownership(ptr))
			return __sanitizer_get_allocated_size(ptr);
	} else if (value && ptr && !on_stack(ptr) && !dl_iterate_phdr(in_module, ptr)) {
		return malloc_usable_size(ptr);
	}
	support_fail(value ? "klee_get_obj_size: not the start of a block of the heap"
	                   : "klee_get_obj_size: no object starts there");
}

// Without AddressSanitizer the memory is read: what is not mapped ends the program.
SUPPORT void klee_check_memory_access(const void *address, size_t size)
{
	if (!size)
		return;
	if (__asan_region_is_poisoned && __asan_region_is_poisoned((void *)address, size))
		support_fail("klee_check_memory_access: memory error");
	const volatile char *bytes = address;
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	for (size_t i = 0; i < size; i += page)
		(void)bytes[i];
	(void)bytes[size - 1];
}

// Pages that are there already stay as they are.
SUPPORT void klee_define_fixed_object(void *addr, size_t nbytes)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from = (uintptr_t)addr & -page;
	for (; from < (uintptr_t)addr + nbytes; from += page) {
		unsigned char there;
		if (mincore((void *)from, page, &there) == 0)
			continue;
		if (mmap((void *)from, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE,
		         -1, 0) != (void *)from)
			support_fail("klee_define_fixed_object: no memory to be had there");
	}
}
