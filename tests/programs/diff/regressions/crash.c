// args: ab=1
// function: value_of
#include <stdio.h>
#include <string.h>

static const char *value_of(const char *setting)
{
	const char *equals = strchr(setting, '=');
#ifndef NEW
	if (!equals)
		return "none";
#endif
	return equals[1] == ' ' ? equals + 2 : equals + 1;
}

int main(int argc, char **argv)
{
	if (argc > 1)
		puts(value_of(argv[1]));
	return 0;
}
