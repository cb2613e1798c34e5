// args: i:text
// function: log_line
// Levels of a log: one came between, the table of names and the threshold stayed as they were.
#include <stdio.h>
#include <string.h>

#ifdef NEW
enum level { DEBUG, TRACE, INFO, WARNING, ERROR, LEVELS };
#else
enum level { DEBUG, INFO, WARNING, ERROR, LEVELS };
#endif

static const char *const names[LEVELS] = {"debug", "info", "warning", "error"};

static enum level level_of(char letter)
{
	switch (letter) {
	case 'd': return DEBUG;
	case 'i': return INFO;
	case 'w': return WARNING;
	default: return ERROR;
	}
}

static int log_line(enum level level, const char *text)
{
	if (level < 1)
		return 0;
	printf("[%s] %s\n", names[level] ? names[level] : "?", text);
	return level == ERROR;
}

int main(int argc, char **argv)
{
	int errors = 0;
	for (int i = 1; i < argc; i++) {
		const char *colon = strchr(argv[i], ':');
		errors += log_line(colon ? level_of(argv[i][0]) : INFO, colon ? colon + 1 : argv[i]);
	}
	return errors;
}
