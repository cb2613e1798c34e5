// args: x
// function: save
#include <stdio.h>

static void save(const char *text)
{
	FILE *f = fopen("saved", "w");
	if (!f)
		return;
#ifdef NEW
	fprintf(f, "%.4s\n", text);
#else
	fprintf(f, "%s\n", text);
#endif
	fclose(f);
}

int main(int argc, char **argv)
{
	if (argc > 1)
		save(argv[1]);
	puts("saved");
	return 0;
}
