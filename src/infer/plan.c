#include "infer/plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"

static const char head[] = "veer plan 1";
enum { RUNS_MAX = 1 << 20, SEGMENTS_MAX = 1 << 26, CLOCKS_MAX = 1 << 30 };

void plan_add(struct plan *plan, const struct plan_run *run)
{
	if ((plan->n & (plan->n + 1)) == 0) // room doubles
		plan->runs = mem_resize(plan->runs, 2 * ((size_t)plan->n + 1) * sizeof *plan->runs);
	plan->runs[plan->n++] = *run;
}

void plan_add_segment(struct plan_run *run, uint32_t clocks, const char *name)
{
	if ((run->n & (run->n + 1)) == 0)
		run->segments = mem_resize(run->segments, 2 * ((size_t)run->n + 1) * sizeof *run->segments);
	run->segments[run->n++] = (struct plan_segment){clocks, mem_strdup(name)};
	run->clocks += clocks;
}

// --- reading -----------------------------------------------------------------------------------

static bool is_id(const char *text)
{
	return *text && strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") == strlen(text);
}

// False: the line is none of a plan.
static bool read_line(struct plan *plan, char *line, uint64_t *segments)
{
	uint32_t clocks;
	int used = 0;
	if (strncmp(line, "run ", 4) == 0) {
		char *phase = strchr(line + 4, ' ');
		if (!phase || plan->n == RUNS_MAX)
			return false;
		*phase++ = 0;
		if (!is_id(line + 4) || !is_id(phase))
			return false;
		plan_add(plan, &(struct plan_run){.id = mem_strdup(line + 4), .phase = mem_strdup(phase)});
		return true;
	}
	if (!plan->n || sscanf(line, "%" SCNu32 " %n", &clocks, &used) != 1 || !used || !line[used] ||
	    clocks > CLOCKS_MAX || ++*segments > SEGMENTS_MAX)
		return false;
	plan_add_segment(&plan->runs[plan->n - 1], clocks, line + used);
	return true;
}

int plan_read(struct plan *ret, const char *path, struct err *err)
{
	struct buf text = {0};
	uint64_t segments = 0;
	size_t number = 1;
	*ret = (struct plan){0};
	if (file_read(path, &text, err) < 0)
		return -1;
	char *at = text.data, *line = at ? strsep(&at, "\n") : NULL;
	int r = line && strcmp(line, head) == 0
	                ? 0
	                : err_set(err, "%s: not a plan that veer infer plan writes; make it again", path);
	while (r == 0 && (line = strsep(&at, "\n"))) {
		number++;
		if (*line && !read_line(ret, line, &segments))
			r = err_set(err, "%s:%zu: damaged; make the plan again with veer infer plan", path, number);
	}
	buf_release(&text);
	if (r < 0)
		plan_release(ret);
	return r;
}

// -----------------------------------------------------------------------------------------------

int plan_write(const struct plan *plan, const char *path, struct err *err)
{
	struct buf out = {0};
	buf_printf(&out, "%s\n", head);
	for (uint32_t i = 0; i < plan->n; i++) {
		const struct plan_run *run = &plan->runs[i];
		buf_printf(&out, "run %s %s\n", run->id, run->phase);
		for (uint32_t k = 0; k < run->n; k++)
			buf_printf(&out, "%" PRIu32 " %s\n", run->segments[k].clocks, run->segments[k].name);
	}
	int r = file_replace(path, out.data, out.len, 0666, err);
	buf_release(&out);
	return r;
}

void plan_release(struct plan *plan)
{
	for (uint32_t i = 0; i < plan->n; i++) {
		for (uint32_t k = 0; k < plan->runs[i].n; k++)
			mem_free(plan->runs[i].segments[k].name);
		mem_free(plan->runs[i].segments);
		mem_free(plan->runs[i].id);
		mem_free(plan->runs[i].phase);
	}
	mem_free(plan->runs);
	*plan = (struct plan){0};
}

const struct plan_run *plan_run_of(const struct plan *plan, const char *recording)
{
	const char *name = path_basename(recording);
	size_t n = strcspn(name, ".~");
	for (uint32_t i = 0; i < plan->n; i++)
		if (strlen(plan->runs[i].id) == n && strncmp(plan->runs[i].id, name, n) == 0)
			return &plan->runs[i];
	return NULL;
}

bool plan_is(const char *folder)
{
	char *path = mem_printf("%s/%s", folder, PLAN_FILE);
	bool is = file_exists(path);
	mem_free(path);
	return is;
}
