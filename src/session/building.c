#include "session/building.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "execute/server.h"

// Shared with the process that builds: how far it is, and why it failed.
struct board {
	size_t units, before, built; // before: of programs and libraries that are done
	struct err why;
};

enum task_state { TASK_WAITS, TASK_RUNS, TASK_BUILT, TASK_FAILED };

struct task {
	uint32_t program;
	size_t variant;
	const char *path, *libraries;
	double worth;
	enum task_state state;
	pid_t pid;
	struct board *board;
	bool announced; // on the first of a program: the caller knows
};

struct building {
	const struct builder *const *variants;
	size_t n_variants;
	unsigned jobs, running;
	struct task *v; // those of one program are side by side
	size_t n;
	bool sorted;
};

struct building *building_new(const struct builder *const *variants, size_t n, unsigned jobs)
{
	struct building *b = mem_zero(sizeof *b);
	b->variants = variants;
	b->n_variants = n;
	b->jobs = jobs ? jobs : 1;
	return b;
}

void building_add(struct building *b, uint32_t program, const char *path, const char *libraries, double worth)
{
	assert(!b->sorted);
	b->v = mem_resize(b->v, (b->n + b->n_variants) * sizeof *b->v);
	for (size_t i = 0; i < b->n_variants; i++)
		b->v[b->n++] = (struct task){
			.program = program, .variant = i, .path = path, .libraries = libraries, .worth = worth};
}

static int by_worth(const void *x, const void *y)
{
	const struct task *a = x, *b = y;
	if (a->worth != b->worth)
		return a->worth > b->worth ? -1 : 1;
	if (a->program != b->program)
		return a->program < b->program ? -1 : 1;
	return a->variant < b->variant ? -1 : a->variant > b->variant;
}

// --- the process that builds ----------------------------------------------------------------------

static void note_progress(void *opaque, const char *program, size_t done, size_t total)
{
	struct board *board = opaque;
	(void)program;
	if (!done) {
		board->before = board->units;
		board->units += total;
	}
	board->built = board->before + done;
}

static void say_nothing(const char *path, const char *why) // who uses the variant says it
{
	(void)path;
	(void)why;
}

static _Noreturn void build(const struct builder *variant, const struct task *t)
{
	struct builder builder = *variant;
	const struct server_build how = {.libraries = t->libraries, .complain = say_nothing, .must_load = true};
	builder.progress = note_progress;
	builder.opaque = t->board;
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	_exit(server_build(&builder, t->path, &how, &t->board->why) < 0);
}

static void begin(struct building *b, struct task *t)
{
	t->board = mmap(NULL, sizeof *t->board, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (t->board == MAP_FAILED)
		t->board = NULL;
	fflush(NULL);
	t->pid = t->board ? fork() : -1;
	if (t->pid == 0)
		build(b->variants[t->variant], t);
	if (t->pid > 0)
		setpgid(t->pid, t->pid); // whoever is first
	t->state = t->pid > 0 ? TASK_RUNS : TASK_FAILED;
	b->running += t->pid > 0;
}

// --- looking --------------------------------------------------------------------------------------

static void reap(struct building *b)
{
	for (size_t i = 0; i < b->n; i++) {
		struct task *t = &b->v[i];
		int status;
		if (t->state != TASK_RUNS || waitpid(t->pid, &status, WNOHANG) != t->pid)
			continue;
		t->state = WIFEXITED(status) && WEXITSTATUS(status) == 0 ? TASK_BUILT : TASK_FAILED;
		b->running--;
	}
}

static bool is_over(const struct task *t)
{
	return t->state == TASK_BUILT || t->state == TASK_FAILED;
}

static const char *why_not(const struct task *t)
{
	if (t->state != TASK_FAILED)
		return NULL;
	return t->board && t->board->why.text[0] ? t->board->why.text
	                                         : "the process that builds its variant ended before it was done";
}

bool building_look(struct building *b, void (*built)(void *opaque, uint32_t program, const char *why), void *opaque)
{
	bool left = false;
	if (!b->sorted && b->n)
		qsort(b->v, b->n, sizeof *b->v, by_worth);
	b->sorted = true;
	reap(b);
	for (size_t i = 0; i < b->n && b->running < b->jobs; i++)
		if (b->v[i].state == TASK_WAITS)
			begin(b, &b->v[i]);
	for (size_t i = 0; i < b->n; i += b->n_variants) {
		const char *why = NULL;
		bool over = true;
		for (size_t k = i; k < i + b->n_variants; k++) {
			over &= is_over(&b->v[k]);
			why = why ? why : why_not(&b->v[k]);
		}
		left |= !over;
		if (!over || b->v[i].announced)
			continue;
		b->v[i].announced = true;
		built(opaque, b->v[i].program, why);
	}
	return left;
}

struct building_counts building_count(const struct building *b)
{
	struct building_counts n = {.programs = (unsigned)(b->n / b->n_variants)};
	for (size_t i = 0; i < b->n; i++) {
		const struct board *board = b->v[i].board;
		n.programs_built += i % b->n_variants == 0 && b->v[i].announced;
		n.units += board ? board->units : 0;
		n.units_built += board ? board->built : 0;
	}
	return n;
}

void building_free(struct building *b)
{
	if (!b)
		return;
	for (size_t i = 0; i < b->n; i++) {
		struct task *t = &b->v[i];
		if (t->state == TASK_RUNS) {
			kill(-t->pid, SIGKILL);
			kill(t->pid, SIGKILL);
			waitpid(t->pid, NULL, 0);
		}
		if (t->board)
			munmap(t->board, sizeof *t->board);
	}
	mem_free(b->v);
	mem_free(b);
}
