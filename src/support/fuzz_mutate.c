// libFuzzer offers its mutations to targets that have a mutator of their own. Our main()
// calls no mutator, so such a target only has to link.
#include <stddef.h>
#include <stdint.h>

#include "support/support.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

SUPPORT size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size)
{
	(void)data;
	return size < max_size ? size : max_size;
}
