// A target of libFuzzer that looks at four bytes, with a read behind the end of its data.
// run: --sym-stdin 4
// finds: error heap-buffer-overflow BUG
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 2 || data[0] != 'F')
		return 0;
	if (data[1] == 'U')
		return data[2] == 'Z'; // BUG
	if (size == 4 && data[1] + data[2] + data[3] == 300)
		return 0;
	return 0;
}
