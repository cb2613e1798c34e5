// A target of libFuzzer: no main(); tests/e2e/inputs.sh.
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

static int ready;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc, (void)argv;
	ready = 1;
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int score = ready;
	if (size < 4)
		return 0;
	if (data[0] == 'F')
		score += 2;
	if (data[1] == 'U' && data[2] == (uint8_t)(data[3] + 1))
		score += 4;
#ifdef BUG
	if (data[0] == '!')
		score += data[size]; // one behind the end
#endif
	fprintf(stderr, "size %zu score %d\n", size, score);
	return 0;
}
