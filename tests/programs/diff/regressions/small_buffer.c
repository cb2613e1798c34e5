// args: /usr/lib
// function: base
// basename and extension; the new version has room for less.
#include <stdio.h>
#include <string.h>

#ifdef NEW
enum { ROOM = 8 };
#else
enum { ROOM = 64 };
#endif

static void base(const char *path, char *to)
{
	const char *slash = strrchr(path, '/');
	if (slash && slash[1])
		path = slash + 1;
	snprintf(to, ROOM, "%s", path);
}

static const char *extension(const char *name)
{
	const char *dot = strrchr(name, '.');
	return dot && dot != name ? dot + 1 : "";
}

int main(int argc, char **argv)
{
	char name[64];
	int with = 0;
	for (int i = 1; i < argc; i++) {
		base(argv[i], name);
		with += *extension(name) != '\0';
		printf("%s\t%s\n", name, extension(name));
	}
	return with == 0;
}
