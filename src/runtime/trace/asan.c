// The bitcode was compiled as for AddressSanitizer, so the compiler, or the
// program itself, may talk to it. In the traced variant there is nobody to listen.
#include <stddef.h>

#define API __attribute__((visibility("default")))

API void __asan_handle_no_return(void);
API void __asan_poison_memory_region(void const volatile *p, size_t n);
API void __asan_unpoison_memory_region(void const volatile *p, size_t n);
API int __asan_address_is_poisoned(void const volatile *p);
API void *__asan_region_is_poisoned(void *p, size_t n);

API void __asan_poison_memory_region(void const volatile *p, size_t n)
{
	(void)p, (void)n;
}

API void __asan_unpoison_memory_region(void const volatile *p, size_t n)
{
	(void)p, (void)n;
}

API int __asan_address_is_poisoned(void const volatile *p)
{
	(void)p;
	return 0;
}

API void *__asan_region_is_poisoned(void *p, size_t n)
{
	(void)p, (void)n;
	return NULL;
}

API void __asan_handle_no_return(void)
{
}
