/* distance: 3 */
// A line has to become shorter, and to keep its first word.
// Reads lists of checksums as md5sum -c does, and says what is in each line: "HEX  NAME" or BSD's "MD5 (NAME) = HEX".
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIGITS = 8 }; // of these short sums

static int is_hex(const char *s)
{
	for (int i = 0; i < DIGITS; i++)
		if (!isxdigit((unsigned char)s[i]))
			return 0;
	return s[DIGITS] == 0;
}

// What is behind "MD5 (".
static int split_bsd(char *s, size_t size, char **ret_sum, char **ret_name)
{
	size_t i = size - 1;
	while (i && s[i] != ')') /* bug: heap-buffer-overflow */
		i--;
	if (s[i] != ')')
		return 0;
	*ret_name = s;
	s[i++] = 0;
	while (s[i] == ' ' || s[i] == '\t')
		i++;
	if (s[i] != '=')
		return 0;
	i++;
	while (s[i] == ' ' || s[i] == '\t')
		i++;
	*ret_sum = s + i;
	return is_hex(s + i);
}

static int split(char *s, size_t size, char **ret_sum, char **ret_name)
{
	size_t i = 0;
	while (s[i] == ' ' || s[i] == '\t')
		i++;
	if (strncmp(s + i, "MD5", 3) == 0) {
		if (s[i + 3] == ' ')
			i++;
		i += 4;
		return split_bsd(s + i, size - i, ret_sum, ret_name);
	}
	if (size - i < DIGITS + 3)
		return 0;
	*ret_sum = s + i;
	i += DIGITS;
	if (s[i] != ' ')
		return 0;
	s[i++] = 0;
	if (s[i] != ' ' && s[i] != '*')
		return 0;
	*ret_name = s + i + 1;
	return is_hex(*ret_sum);
}

// Exactly as large as the line.
static char *copy(const char *line, size_t size)
{
	char *s = malloc(size + 1);
	if (!s)
		exit(2);
	memcpy(s, line, size);
	s[size] = 0;
	return s;
}

static int check(FILE *f)
{
	char *line = NULL, *sum, *name;
	size_t room = 0;
	int bad = 0;
	for (ssize_t n; (n = getline(&line, &room, f)) > 0;) {
		if (line[n - 1] == '\n')
			line[--n] = 0;
		if (n == 0 || line[0] == '#')
			continue;
		char *s = copy(line, (size_t)n);
		if (split(s, (size_t)n, &sum, &name))
			printf("%s: %s\n", name, sum);
		else
			bad++;
		free(s);
	}
	free(line);
	if (bad)
		fprintf(stderr, "md5check: %d lines improperly formatted\n", bad);
	return bad != 0;
}

int main(int argc, char **argv)
{
	if (argc != 3 || strcmp(argv[1], "-c") != 0) {
		fprintf(stderr, "usage: md5check -c FILE\n");
		return 2;
	}
	FILE *f = strcmp(argv[2], "-") == 0 ? stdin : fopen(argv[2], "r");
	if (!f) {
		perror(argv[2]);
		return 2;
	}
	int status = check(f);
	fclose(f);
	return status;
}
