// How a program starts on the board: there is no operating system. The outside is semihosting, which debuggers, QEMU
// and `veer infer simulate` have.
#include <stdint.h>
#include <stdlib.h>

#include "board.h"

extern uint32_t board_data[], board_data_end[], board_data_from[], board_bss[], board_bss_end[], board_stack[];
int main(int argc, char **argv);
void Reset_Handler(void);

__attribute__((section(".vectors"), used)) static void *const vectors[] = {board_stack, (void *)Reset_Handler};

long board_call(long operation, void *block)
{
	register long r0 __asm__("r0") = operation;
	register void *r1 __asm__("r1") = block;
	__asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
	return r0;
}

// Splits the command line at blanks; 'one word' and "one word" are one.
static int split(char *line, char **argv, int room)
{
	int n = 0;
	for (char *at = line; n < room - 1;) {
		while (*at == ' ')
			at++;
		if (!*at)
			break;
		char quote = *at == '\'' || *at == '"' ? *at++ : ' ';
		argv[n++] = at;
		while (*at && *at != quote)
			at++;
		if (*at)
			*at++ = 0;
	}
	argv[n] = 0;
	return n;
}

void exit(int status)
{
	long block[2] = {0x20026, status};
	board_flush();
	board_call(0x20, block);
	for (;;)
		;
}

void Reset_Handler(void)
{
	static char line[1024];
	static char *argv[32];
	for (uint32_t *to = board_data, *from = board_data_from; to < board_data_end;)
		*to++ = *from++;
	for (uint32_t *to = board_bss; to < board_bss_end;)
		*to++ = 0;
	void *block[2] = {line, (void *)(sizeof line)};
	int argc = board_call(0x15, block) == 0 ? split(line, argv, 32) : 0;
	exit(main(argc, argv));
}
