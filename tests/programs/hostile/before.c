// Attacks before main, in the fork server: each kind of code that the loader calls has canaries of its own. main says
// what became of each, a line per attack; it returns as programs of hostile.h do.
#include <stdio.h>

#include "before.h"

BEFORE(before_preinit)
BEFORE(before_first)
BEFORE(before_constructor)
BEFORE(before_init)

static void preinit(void)
{
	attack_before_preinit();
}

__attribute__((section(".preinit_array"), used)) static void (*const at_preinit)(void) = preinit;

__attribute__((constructor(101))) static void first(void)
{
	attack_before_first();
}

__attribute__((constructor)) static void constructor(void)
{
	attack_before_constructor();
}

void own_init(void) // -Wl,-init
{
	attack_before_init();
}

int library_value(void);
const struct before *library_state(int number);

static int print(const struct before *b)
{
	printf("%s %s\n", b->outside ? "outside" : b->ran ? "tried" : "did nothing:", b->name);
	if (b->got)
		printf("through: %s opened a device\n", b->name);
	return b->got;
}

int main(void)
{
	int value = library_value(); // resolved by now, also where symbols are bound late
	int got = print(&before_preinit) | print(&before_first) | print(&before_constructor) | print(&before_init);
	for (int i = 0; library_state(i); i++)
		got |= print(library_state(i));
	return got | value;
}
