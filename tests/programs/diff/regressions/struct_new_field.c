// args: ab,cd
// function: token_next
// Tokens of a line; the new version notes whether one was quoted, and quotes no longer hide a comma.
#include <stdio.h>
#include <string.h>

struct token {
	char text[32];
#ifdef NEW
	int quoted;
#endif
	unsigned length;
};

static const char *token_next(const char *p, struct token *t)
{
	int inside = 0;
	memset(t, 0, sizeof *t);
	for (; *p && t->length < sizeof t->text - 1; p++) {
		if (*p == '"') {
			inside = !inside;
#ifdef NEW
			t->quoted = 1;
			continue;
#else
			continue;
#endif
		}
#ifdef NEW
		if (*p == ',' && !(inside && t->length == 0))
			break;
#else
		if (*p == ',' && !inside)
			break;
#endif
		t->text[t->length++] = *p;
	}
	return *p == ',' ? p + 1 : p;
}

static void print(const struct token *t)
{
	printf("%u:%s\n", t->length, t->text);
}

int main(int argc, char **argv)
{
	struct token t;
	const char *p = argc > 1 ? argv[1] : "";
	for (int n = 0; *p && n < 8; n++) {
		p = token_next(p, &t);
		print(&t);
	}
	return 0;
}
