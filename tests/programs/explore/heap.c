// Blocks that commands make and give back; twice, or used when they are gone.
// finds: error double-free TWICE
// finds: error heap-use-after-free USED
#include <klee/klee.h>
#include <stdlib.h>

int main(void)
{
	char commands[3], *block = NULL;
	klee_make_symbolic(commands, sizeof commands, "commands");
	for (int i = 0; i < 3; i++) {
		switch (commands[i]) {
		case 'n':
			if (!block)
				block = malloc(8);
			break;
		case 'f':
			free(block); // TWICE
			break;
		case 'w':
			if (block)
				block[3] = 1; // USED
			break;
		default: return 1;
		}
	}
	return 0;
}
