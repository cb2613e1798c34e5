// veer watch: show the progress of a running campaign. Only reads.
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "cli/options.h"
#include "session/settings.h"

enum { COURSE = 512, LINE_SECONDS = 10, BAR = 60 };

struct watch_options {
	const char *output;
	int interval;
	bool once;
};

static const struct option_spec options[] = {
	{"output", 'o', OPTION_TEXT, offsetof(struct watch_options, output), "DIR",
         "directory of the campaign (default veer-out)"},
	{"interval", 0, OPTION_NUMBER, offsetof(struct watch_options, interval), "SECONDS",
         "time between updates (default 1; 10 when the output is no terminal)"},
	{"once", 0, OPTION_FLAG, offsetof(struct watch_options, once), NULL, "print the state once and exit"},
};

// How a campaign stands.
struct standing {
	pid_t writer; // 0: it is not running
	double seconds;
	int64_t runs, queries, unknown, checks, seeds;
	int64_t branches, lines, all_branches;
	size_t errors, warnings, others;
	int64_t course[COURSE]; // branches over time
	size_t n_course;
	struct strv findings; // a line each, the newest last
	struct buf program;
};

static volatile sig_atomic_t stop, suspended;

static void on_signal(int signal)
{
	if (signal == SIGTSTP)
		suspended = 1;
	else if (signal != SIGWINCH) // which only wakes us up
		stop = 1;
}

// --- reading --------------------------------------------------------------------------------------

// Who writes the campaign has its lock (store.h); 0: nobody.
static pid_t writer_of(const char *folder)
{
	char *path = mem_printf("%s/lock", folder);
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool held = fd >= 0 && fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
	if (fd >= 0)
		close(fd);
	mem_free(path);
	return held ? lock.l_pid : 0;
}

static int take_progress(void *opaque, double seconds, int64_t runs, int64_t branches, int64_t lines)
{
	struct standing *s = opaque;
	(void)runs;
	s->seconds = seconds;
	s->branches = branches;
	s->lines = lines;
	if (s->n_course == COURSE) { // every second one is enough from now on
		for (size_t i = 0; i < COURSE / 2; i++)
			s->course[i] = s->course[2 * i + 1];
		s->n_course = COURSE / 2;
	}
	s->course[s->n_course++] = branches;
	return 0;
}

static int take_finding(void *opaque, const struct stored_finding *f)
{
	struct standing *s = opaque;
	bool error = f->level == LEVEL_ERROR, warning = f->level == LEVEL_WARNING;
	struct buf line = {0};
	s->errors += error;
	s->warnings += warning;
	s->others += !error && !warning;
	char *text = mem_printf("F%-4" PRId64 " %-8s %s  %s:%" PRIu32 " %s", f->id, level_name(f->level), f->kind,
	                        path_basename(f->file), f->line, f->function);
	utf8_clean(&line, text, strlen(text));
	strv_take(&s->findings, buf_steal(&line));
	mem_free(text);
	return 0;
}

static int read_standing(struct standing *ret, const char *folder, struct err *err)
{
	*ret = (struct standing){.writer = writer_of(folder)};
	struct store *s = store_open_read(folder, err);
	if (!s)
		return -1;
	ret->runs = store_counter(s, "runs");
	ret->queries = store_counter(s, "queries");
	ret->unknown = store_counter(s, "unknown");
	ret->checks = store_counter(s, "checks.total");
	ret->seeds = store_count_inputs(s, true);
	ret->all_branches = setting_number(s, SETTING_branches);
	setting_get(s, SETTING_program, &ret->program);
	int r = store_each_progress(s, take_progress, ret, err) < 0 ||
	        store_each_finding(s, take_finding, ret, err) < 0;
	store_close(s);
	return r ? -1 : 0;
}

static void release(struct standing *s)
{
	strv_release(&s->findings);
	buf_release(&s->program);
}

// --- telling --------------------------------------------------------------------------------------

static void add_rate(struct buf *out, double rate)
{
	if (rate >= 0)
		buf_printf(out, " (%.0f a second)", rate);
}

static void plain_line(struct buf *out, const struct standing *s, double rate)
{
	buf_printf(out, "%s%.0f s, %" PRId64 " runs", s->writer ? "" : "not running; ", s->seconds, s->runs);
	add_rate(out, rate);
	buf_printf(out, ", %" PRId64, s->branches);
	if (s->all_branches)
		buf_printf(out, "/%" PRId64, s->all_branches);
	buf_printf(out, " branches, %" PRId64 " queries, %zu errors, %zu warnings, %zu others\n", s->queries, s->errors,
	           s->warnings, s->others);
}

struct screen {
	struct buf *out;
	unsigned columns;
	unsigned left; // rows that there is room for
};

// Cut at the width.
static void add_text(const struct screen *to, const char *text, const char *colour)
{
	buf_printf(to->out, "\033[%sm", colour);
	for (unsigned width = 0; *text && width < to->columns; width++) {
		size_t n = utf8_length(text, strlen(text));
		buf_add(to->out, text, n ? n : 1);
		text += n ? n : 1;
	}
	buf_addstr(to->out, "\033[0m\033[K");
}

// As a row of the screen, when there is one left: what stood there is gone.
static void add_row(struct screen *to, const char *text, const char *colour)
{
	if (!to->left)
		return;
	to->left--;
	add_text(to, text, colour);
	buf_addstr(to->out, "\r\n");
}

static void add_rowf(struct screen *to, const char *colour, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void add_rowf(struct screen *to, const char *colour, const char *format, ...)
{
	char text[1024];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	add_row(to, text, colour);
}

// Coverage over time as a row of blocks.
static void add_course(struct screen *to, const struct standing *s)
{
	static const char *const blocks[] = {"\xe2\x96\x81", "\xe2\x96\x82", "\xe2\x96\x83", "\xe2\x96\x84",
	                                     "\xe2\x96\x85", "\xe2\x96\x86", "\xe2\x96\x87", "\xe2\x96\x88"};
	struct buf row = {0};
	size_t width = to->columns > 12 ? to->columns - 12 : 1;
	int64_t most = s->branches > 0 ? s->branches : 1;
	buf_addstr(&row, "            ");
	for (size_t i = 0; i < width && s->n_course; i++) {
		int64_t value = s->course[i * s->n_course / width];
		size_t level = (size_t)(7 * (value < 0 ? 0 : value) / most);
		buf_addstr(&row, blocks[level > 7 ? 7 : level]);
	}
	add_row(to, row.data, "36");
	buf_release(&row);
}

static void add_bar(struct screen *to, const struct standing *s)
{
	struct buf row = {0};
	double share = s->all_branches > 0 ? (double)s->branches / (double)s->all_branches : 0;
	unsigned width = to->columns > 50 ? to->columns - 48 : 4;
	width = width < BAR ? width : BAR;
	unsigned full = (unsigned)(share * width + 0.5);
	buf_printf(&row, "branches    %" PRId64, s->branches);
	if (s->all_branches) {
		buf_printf(&row, " of %" PRId64 ", %.1f%%  ", s->all_branches, 100 * share);
		for (unsigned i = 0; i < width; i++)
			buf_addstr(&row, i < full ? "\xe2\x94\x81" : "\xe2\x94\x80");
	}
	add_row(to, row.data, "0");
	buf_release(&row);
}

// Everything that fits; the last row says how to end it.
static void draw(struct buf *out, const struct watch_options *o, const struct standing *s, double rate, unsigned rows,
                 unsigned columns)
{
	struct screen to = {out, columns, rows - 1};
	struct buf name = {0}, runs = {0};
	const char *program = s->program.len ? path_basename(s->program.data) : "recorded tests";
	utf8_clean(&name, program, strlen(program));
	buf_addstr(out, "\033[H");
	add_rowf(&to, "1", "veer  %s  %s", buf_str(&name), o->output);
	if (s->writer)
		add_rowf(&to, "32", "running for %.0f s, process %d", s->seconds, (int)s->writer);
	else
		add_row(&to, "not running", "33");
	if (rows > 10)
		add_row(&to, "", "0");
	buf_printf(&runs, "runs        %" PRId64, s->runs);
	add_rate(&runs, rate);
	buf_printf(&runs, ", of %" PRId64 " seed%s", s->seeds, s->seeds == 1 ? "" : "s");
	add_row(&to, runs.data, "0");
	add_rowf(&to, "0", "queries     %" PRId64 ", %" PRId64 " unknown; %" PRId64 " checks", s->queries, s->unknown,
	         s->checks);
	add_bar(&to, s);
	add_course(&to, s);
	add_rowf(&to, s->errors ? "1;31" : "0", "findings    %zu errors, %zu warnings, %zu others", s->errors,
	         s->warnings, s->others);
	for (size_t i = s->findings.n; i-- > 0 && to.left;) // the newest first
		add_rowf(&to, strstr(s->findings.v[i], " error ") ? "31" : "33", "  %s", s->findings.v[i]);
	buf_printf(out, "\033[J\033[%u;1H", rows);
	add_text(&to, "q ends the view, not the campaign", "2");
	buf_release(&name);
	buf_release(&runs);
}

// --- the terminal ---------------------------------------------------------------------------------

static struct termios was;

static void enter(void)
{
	struct termios raw;
	tcgetattr(0, &was);
	raw = was;
	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	tcsetattr(0, TCSANOW, &raw);
	fputs("\033[?1049h\033[?25l", stdout);
	fflush(stdout);
}

static void leave(void)
{
	fputs("\033[?25h\033[?1049l", stdout);
	fflush(stdout);
	tcsetattr(0, TCSANOW, &was);
}

static void suspend(void)
{
	suspended = 0;
	leave();
	raise(SIGSTOP);
	enter();
}

// Until a key is pressed, a signal comes, or the time is over.
static void wait_for_key(double seconds)
{
	struct pollfd in = {.fd = 0, .events = POLLIN};
	char key;
	if (poll(&in, 1, (int)(1000 * seconds)) <= 0)
		return;
	ssize_t n = read(0, &key, 1);
	if (n == 0 || (n < 0 && errno != EINTR) || (n == 1 && (key == 'q' || key == 'Q')))
		stop = 1;
}

struct view {
	const struct watch_options *options;
	bool live;
	int64_t runs; // at the last look
	double at;
};

static int look(struct view *v, struct standing *s, double *ret_rate, struct err *err)
{
	double time = clock_seconds();
	if (read_standing(s, v->options->output, err) < 0) {
		release(s);
		return -1;
	}
	*ret_rate = v->at > 0 && time > v->at && s->writer ? (double)(s->runs - v->runs) / (time - v->at) : -1;
	v->runs = s->runs;
	v->at = time;
	return 0;
}

static void show(const struct view *v, const struct standing *s, double rate)
{
	struct buf out = {0};
	struct winsize size = {0};
	if (v->live) {
		if (ioctl(1, TIOCGWINSZ, &size) < 0 || !size.ws_row || !size.ws_col)
			size = (struct winsize){.ws_row = 24, .ws_col = 80};
		draw(&out, v->options, s, rate, size.ws_row, size.ws_col);
	} else {
		plain_line(&out, s, rate);
	}
	fwrite(out.data, 1, out.len, stdout);
	fflush(stdout);
	buf_release(&out);
}

// Between two looks, redrawing when the window changes.
static void wait_live(const struct view *v, const struct standing *s, double rate, double seconds)
{
	double until = clock_seconds() + seconds;
	for (double left = seconds; !stop && left > 0; left = until - clock_seconds()) {
		if (suspended) {
			suspend();
			return; // who knows how long it was
		}
		wait_for_key(left);
		if (!stop && clock_seconds() < until)
			show(v, s, rate);
	}
}

static int watch(const struct watch_options *o, struct err *err)
{
	struct view v = {.options = o, .live = !o->once && isatty(0) && isatty(1)};
	double interval = o->interval > 0 ? o->interval : v.live ? 1 : LINE_SECONDS;
	struct standing s;
	double rate;
	int r = look(&v, &s, &rate, err);
	if (r < 0)
		return -1;
	if (v.live)
		enter();
	for (;;) {
		show(&v, &s, rate);
		bool over = o->once || (!v.live && !s.writer);
		if (!over && v.live)
			wait_live(&v, &s, rate, interval);
		else if (!over)
			poll(NULL, 0, (int)(1000 * interval));
		release(&s);
		if (over || stop)
			break;
		double took = clock_seconds();
		r = look(&v, &s, &rate, err);
		if (r < 0)
			break;
		took = clock_seconds() - took; // a large campaign takes long to open: that must not be all we do
		if (v.live && 10 * took > interval)
			interval = 10 * took;
	}
	if (v.live)
		leave();
	return r;
}

static int run(int argc, char **argv)
{
	struct watch_options o = {.output = "veer-out"};
	struct err err;
	int first = options_parse(&command_watch, argc, argv, &o, &err);
	if (first == -2)
		return 0;
	if (first < 0)
		return cli_usage_error(&command_watch, err.text);
	if (first < argc)
		return cli_usage_error(&command_watch, "the campaign is given with -o");
	struct sigaction action = {.sa_handler = on_signal};
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGWINCH, SIGTSTP};
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		if (signals[i] != SIGTSTP || (isatty(0) && isatty(1)))
			sigaction(signals[i], &action, NULL);
	return watch(&o, &err) < 0 ? cli_fail(err.text) : 0;
}

const struct command command_watch = {
	.name = "watch",
	.usage = "[OPTION...]",
	.summary = "show the progress of a running campaign",
	.details =
		"Shows runs, coverage and findings of the campaign in DIR while another veer works on it, without\n"
		"disturbing it. On a terminal the view is updated until you press q; elsewhere a line is printed at\n"
		"intervals until the campaign ends.\n",
	.options = options,
	.n_options = OPTIONS_COUNT(options),
	.run = run,
};
