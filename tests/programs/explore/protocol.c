// A protocol: messages of two bytes, kind and value, that only some states take.
// domain: objects 6 @HDQ\1\2\3\5
// paths: 12
#include <klee/klee.h>
#include <stdio.h>

enum state { CLOSED, GREETED, OPEN, DONE, FAILED };

static enum state opens(unsigned char value)
{
	if (value == 2)
		return OPEN;
	return GREETED;
}

static enum state next(enum state s, unsigned char kind, unsigned char value)
{
	switch (s) {
	case CLOSED:
		if (kind == 'H' && value == 1)
			return GREETED;
		return FAILED;
	case GREETED:
		if (kind == 'D')
			return opens(value);
		if (kind == 'Q')
			return DONE;
		return FAILED;
	case OPEN:
		if (kind == 'Q')
			return DONE;
		if (kind == 'D' && value > 4)
			return OPEN;
		return FAILED;
	case DONE: return FAILED;
	default: return s; /* unreachable */
	}
}

int main(void)
{
	unsigned char message[6];
	enum state s = CLOSED;
	klee_make_symbolic(message, sizeof message, "message");
	for (int i = 0; i < 3 && s != FAILED; i++)
		s = next(s, message[2 * i], message[2 * i + 1]);
	if (s == DONE)
		puts("done");
	return s == OPEN;
}
