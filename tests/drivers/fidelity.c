// Runs recorded seeds again, natively, each in its snapshot, and compares how they end and what they print:
// `test-fidelity [-v] [-r] [-s N] DIR`; -r: files that were not imported; -s: every Nth. Prints those that differ, with
// the reason, then "N seeds, N refused, N alike, N differ".
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "confined.h"
#include "execute/observation.h"
#include "record/record.h"
#include "store/store.h"

struct seed {
	int64_t id;
	struct snapshot snapshot;
	struct input input;
};

static struct seed *seeds;
static size_t n_seeds;
static bool verbose;
static size_t step = 1;

static int add_snapshot(void *opaque, const struct stored_snapshot *c)
{
	struct err err;
	if (!c->present)
		return 0;
	seeds = mem_resize(seeds, (n_seeds + 1) * sizeof *seeds);
	seeds[n_seeds] = (struct seed){.id = c->id};
	return snapshot_decode(&seeds[n_seeds++].snapshot, c->data.data, c->data.len, &err);
}

static int add_input(void *opaque, const struct stored_input *x)
{
	struct err err;
	size_t low = 0, high = n_seeds; // in order of their snapshots
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (seeds[middle].id < x->snapshot)
			low = middle + 1;
		else
			high = middle;
	}
	if (x->parent || low == n_seeds || seeds[low].id != x->snapshot)
		return 0;
	return input_decode(&seeds[low].input, x->data.data, x->data.len, &err);
}

static int add_recorded(void *opaque, struct snapshot *snapshot, struct input *in)
{
	static int64_t number;
	seeds = mem_resize(seeds, (n_seeds + 1) * sizeof *seeds);
	seeds[n_seeds++] = (struct seed){++number, *snapshot, *in};
	*snapshot = (struct snapshot){0}; // taken over
	*in = (struct input){0};
	return 0;
}

static int read_store(const char *folder, struct err *err)
{
	struct store *s = store_open_read(folder, err);
	int r = s ? store_each_snapshot(s, add_snapshot, NULL, err) : -1;
	if (r == 0)
		r = store_each_input(s, add_input, NULL, err);
	if (s)
		store_close(s);
	return r;
}

static int by_program(const void *a, const void *b)
{
	const struct seed *x = a, *y = b;
	int r = strcmp(x->snapshot.program, y->snapshot.program);
	return r ? r : x->id < y->id ? -1 : 1;
}

static void show(const struct seed *s, const char *what)
{
	printf("%lld:", (long long)s->id);
	for (size_t i = 0; i < s->input.n; i++)
		if (s->input.v[i].kind == INPUT_ARGUMENT)
			printf(" %.*s", (int)s->input.v[i].data.len, s->input.v[i].data.data);
	printf(": %s\n", what);
}

static bool is_alike(struct executor *e, const struct seed *s, const char *files)
{
	struct run_result r;
	struct observation o = {0};
	struct err err;
	struct buf why = {0};
	executor_set_snapshot(e, &s->snapshot, files);
	bool same = false;
	if (executor_run(e, &s->input, 10000, &r, &err) < 0) {
		show(s, err.text);
	} else {
		observation_take(&o, e, &r);
		same = observation_as_recorded(&o, &s->snapshot, &why);
		if (!same)
			show(s, why.data);
	}
	if (verbose && !same)
		printf("%.*s\n", o.output.len > 2000 ? 2000 : (int)o.output.len, o.output.data ? o.output.data : "");
	fflush(stdout); // it may be killed
	observation_release(&o);
	buf_release(&why);
	return same;
}

struct recorded {
	const struct builder *builder;
	const char *files;
};

static int work(struct sandbox *sandbox, void *opaque)
{
	const struct recorded *recorded = opaque;
	const struct builder *b = recorded->builder;
	const char *files = recorded->files;
	struct executor e;
	struct err err;
	const char *running = NULL;
	size_t refused = 0, alike = 0;
	size_t looked_at = 0;
	for (size_t i = 0; i < n_seeds; i += step) {
		const struct seed *s = &seeds[i];
		looked_at++;
		if (s->snapshot.why) {
			refused++;
			continue;
		}
		if (!running || strcmp(running, s->snapshot.program) != 0) {
			if (running)
				executor_stop(&e);
			running = s->snapshot.program;
			struct executor_setup setup = {
				.builder = b, .target = {.program = running}, .sandbox = sandbox, .steady = false};
			if (executor_start(&e, &setup, &err) < 0) {
				printf("error: %s\n", err.text);
				return 1;
			}
		}
		alike += is_alike(&e, s, files);
	}
	if (running)
		executor_stop(&e);
	printf("%zu seeds, %zu refused, %zu alike, %zu differ\n", looked_at, refused, alike,
	       looked_at - refused - alike);
	return 0;
}

static int start(const struct builder *b, const char *folder)
{
	const struct sandbox_limits limits = {.output = 4 << 20};
	struct err err;
	char *files = mem_printf("%s/files", folder), *cwd = path_cwd(), *absolute = path_absolute(cwd, files);
	struct recorded recorded = {b, absolute};
	int result = confined_run(SANDBOX_NAMESPACES, &limits, work, &recorded, &err);
	if (result < 0)
		fprintf(stderr, "test-fidelity: %s\n", err.text);
	mem_free(files);
	mem_free(absolute);
	mem_free(cwd);
	return result ? 1 : 0;
}

int main(int argc, char **argv)
{
	struct err err = {""};
	struct cache cache;
	struct toolchain tools;
	bool raw = false;
	for (int option; (option = getopt(argc, argv, "vrs:")) >= 0;) {
		verbose |= option == 'v';
		raw |= option == 'r';
		if (option == 's')
			step = strtoul(optarg, NULL, 10);
	}
	if (optind >= argc || !step)
		return 2;
	const char *folder = argv[optind];
	int r = raw ? record_each(folder, add_recorded, NULL, NULL, &err) : read_store(folder, &err);
	if (r < 0 || cache_open(&cache, &err) < 0 || toolchain_find(&tools, &err) < 0) {
		fprintf(stderr, "test-fidelity: %s\n", err.text);
		return 1;
	}
	qsort(seeds, n_seeds, sizeof *seeds, by_program);
	struct builder b = {.cache = &cache, .tools = &tools, .variant = "native"};
	return start(&b, folder);
}
