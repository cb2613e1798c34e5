#include "findings/symbolize.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/confine.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/process.h"
#include "config.h"

// Two lines an address, the function's name and FILE:LINE:COLUMN, then an empty one.
static void read_answers(char *text, size_t n, struct strv *ret)
{
	for (size_t i = 0; i < n; i++) {
		char *function = text ? strsep(&text, "\n") : "?", *place = text ? strsep(&text, "\n") : NULL;
		char *column = place ? strrchr(place, ':') : NULL;
		while (text && *text == '\n')
			text++;
		if (column)
			*column = 0;
		strv_pushf(ret, "%s %s", place && place[0] != '?' ? place : "?", function[0] == '?' ? "?" : function);
	}
}

static char *find_program(struct err *err)
{
	char *program = path_find_program("llvm-symbolizer-" CONFIG_LLVM_MAJOR);
	if (!program)
		program = path_find_program("llvm-symbolizer");
	if (!program)
		err_set(err, "llvm-symbolizer is missing; it comes with the package llvm-" CONFIG_LLVM_MAJOR);
	return program;
}

// It reads what foreign programs hold as debug information: it writes nothing, and has no network.
static pid_t start_confined(char *const argv[], int in, int out, struct err *err)
{
	char *home = confine_home(argv[0]);
	pid_t pid = process_start_confined(argv, NULL, in, out, -1, &(struct confine){.runs = {home}}, err);
	mem_free(home);
	return pid;
}

// What the symbolizer says to those addresses.
static int ask(const char *object, const uint64_t *addresses, size_t n, struct buf *ret, struct err *err)
{
	char *program = find_program(err);
	if (!program)
		return -1;
	struct buf asked = {0};
	for (size_t i = 0; i < n; i++)
		buf_printf(&asked, "0x%llx\n", (unsigned long long)addresses[i]);
	char *option = mem_printf("--obj=%s", object);
	char *argv[] = {program, option, "--no-inlines", NULL};
	int in = memfd_create("addresses", MFD_CLOEXEC), out = memfd_create("places", MFD_CLOEXEC), r = 0;
	if (in < 0 || out < 0 || file_write_all(in, asked.data, asked.len) < 0 || lseek(in, 0, SEEK_SET) < 0) {
		r = err_errno(err, "cannot ask %s", program);
	} else {
		pid_t pid = start_confined(argv, in, out, err);
		char *answers = mem_printf("/proc/self/fd/%d", out);
		if (pid < 0)
			r = -1;
		else if (process_wait(pid, NULL) != 0)
			r = err_set(err, "%s cannot read %s", program, object);
		else
			r = file_read(answers, ret, err);
		mem_free(answers);
	}
	if (r == 0)
		buf_addch(ret, 0);
	if (in >= 0)
		close(in);
	if (out >= 0)
		close(out);
	buf_release(&asked);
	mem_free(option);
	mem_free(program);
	return r;
}

int symbolize(const char *object, const uint64_t *addresses, size_t n, struct strv *ret, struct err *err)
{
	struct buf answered = {0};
	int r = ask(object, addresses, n, &answered, err);
	if (r == 0)
		read_answers(answered.data, n, ret);
	buf_release(&answered);
	return r;
}

// --- one that stays -------------------------------------------------------------------------

void symbolizer_stop(struct symbolizer *s)
{
	if (s->pid <= 0)
		return;
	close(s->fd); // it ends by itself
	kill(s->pid, SIGKILL);
	process_wait(s->pid, NULL);
	*s = (struct symbolizer){0};
}

static int start(struct symbolizer *s, struct err *err)
{
	const struct timeval patience = {.tv_sec = 20};
	int pair[2];
	char *program = find_program(err);
	if (!program)
		return -1;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0) {
		mem_free(program);
		return err_errno(err, "cannot ask for places in the source");
	}
	char *argv[] = {program, "--inlines", NULL};
	pid_t pid = start_confined(argv, pair[1], pair[1], err);
	close(pair[1]);
	mem_free(program);
	if (pid < 0) {
		close(pair[0]);
		return -1;
	}
	setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
	*s = (struct symbolizer){.pid = pid, .fd = pair[0]};
	return 0;
}

// An empty line ends the answer to each address. It is asked one at a time: neither side waits for the other to read.
static int ask_one(const struct symbolizer *s, const char *object, uint64_t address, struct buf *ret)
{
	char quote = strchr(object, '"') ? '\'' : '"', part[4096];
	char *line = mem_printf("CODE %c%s%c 0x%llx\n", quote, object, quote, (unsigned long long)address);
	ssize_t n = send(s->fd, line, strlen(line), MSG_NOSIGNAL) == (ssize_t)strlen(line) ? 1 : -1;
	mem_free(line);
	while (n > 0 && (ret->len < 2 || memcmp(ret->data + ret->len - 2, "\n\n", 2) != 0))
		if ((n = recv(s->fd, part, sizeof part, 0)) > 0)
			buf_add(ret, part, (size_t)n);
	return n > 0 ? 0 : -1;
}

// Of code without source lines only the symbol table tells something, a name without a folder and line 0: what is there
// is a library's, such as that of the sanitizers, and no place in the program.
static bool is_source(const char *place)
{
	const char *line = strrchr(place, ':');
	return place[0] != '?' && (strchr(place, '/') || !line || strcmp(line, ":0") != 0);
}

// Pairs of a function's name and FILE:LINE:COLUMN, up to an empty line.
static char *read_inlined(char *text)
{
	struct buf lines = {0};
	for (char *function; text && (function = strsep(&text, "\n")) && *function && text;) {
		char *place = strsep(&text, "\n"), *column = strrchr(place, ':');
		if (column)
			*column = 0;
		if (function[0] == '?')
			continue;
		if (lines.len)
			buf_addch(&lines, '\n');
		if (is_source(place))
			buf_printf(&lines, "%s %s", function, place);
		else
			buf_add(&lines, function, strcspn(function, " (")); // not the parameters that C++ has
	}
	return lines.len ? buf_steal(&lines) : mem_strdup("");
}

int symbolizer_ask(struct symbolizer *s, const char *object, uint64_t address, char **ret, struct err *err)
{
	for (int i = 0; i < 2; i++) { // one that has been killed is started again, once
		if (s->pid <= 0 && start(s, err) < 0)
			return -1;
		struct buf answer = {0};
		bool answered = ask_one(s, object, address, &answer) == 0;
		if (answered)
			*ret = read_inlined(answer.data);
		buf_release(&answer);
		if (answered)
			return 0;
		symbolizer_stop(s);
	}
	return err_set(err, "llvm-symbolizer does not answer for %s", object);
}
