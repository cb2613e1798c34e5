// Starts and stops executors: shared memory, streams, the server.
#include "execute/executor.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/stat.h>
#include <unistd.h>

#include "abi/cover.h"
#include "abi/launch.h"
#include "abi/layout.h"
#include "base/file.h"
#include "base/mem.h"
#include "execute/executor_internal.h"
#include "input/sym.h"
#include "sandbox/snapshot_put.h"

enum { LAUNCH, TRACE, COVER };
enum { LAUNCH_ROOM = 4 << 20, COVER_ROOM = 16 << 20 };

bool executor_is_native(const struct executor *e)
{
	const char *variant = e->setup.builder->variant;
	return !variant || strcmp(variant, "native") == 0;
}

static int share_trace(struct executor *e, struct err *err)
{
	uint32_t nodes = e->setup.trace_nodes ? (uint32_t)e->setup.trace_nodes : 1u << 22;
	const struct trace_sizes sizes = {.nodes = nodes,
	                                  .events = nodes / 4,
	                                  .calls = nodes / 32 + 1024,
	                                  .text = 16 * (uint64_t)nodes + (1 << 24)};
	struct trace_header *header = mem_alloc(sizeof *header);
	e->trace_size = trace_layout(sizes, e->setup.self_check ? TRACE_SELF_CHECK : 0, header);
	e->fds[TRACE] = server_share("veer-trace", e->trace_size, false, &e->trace, err);
	e->clean = mem_copy(header, offsetof(struct trace_header, input));
	if (e->fds[TRACE] >= 0) // before the server looks
		memcpy(e->trace, header, sizeof *header);
	mem_free(header);
	return e->fds[TRACE] < 0 ? -1 : 0;
}

static int share_cover(struct executor *e, struct err *err)
{
	void *p;
	e->cover_size = COVER_ROOM;
	e->fds[COVER] = server_share("veer-cover", e->cover_size, false, &p, err);
	if (e->fds[COVER] < 0)
		return -1;
	e->cover = p;
	return 0;
}

static int share(struct executor *e, struct err *err)
{
	e->launch_size = sizeof(struct launch) + LAUNCH_ROOM;
	e->fds[LAUNCH] = server_share("veer-given", e->launch_size, true, &e->launch, err);
	if (e->fds[LAUNCH] < 0 || (e->setup.want_trace && share_trace(e, err) < 0) ||
	    (e->setup.want_cover && share_cover(e, err) < 0))
		return -1;
	return 0;
}

// Standard input and output of runs. In memory, handed down: files on a disk cost more than a short run, and where
// Landlock confines it, a run cannot open what lies outside of its folders to write there.
static int make_streams(struct executor *e, struct err *err)
{
	char path[64];
	e->input_fd = memfd_create("stdin", MFD_CLOEXEC);
	e->output_fd = memfd_create("output", MFD_CLOEXEC);
	e->mark_fd = memfd_create("mark", MFD_CLOEXEC);
	snprintf(path, sizeof path, "%s%d", SERVER_DESCRIPTOR, e->input_fd);
	e->read_fd = e->input_fd < 0 ? -1 : open(path, O_RDONLY | O_CLOEXEC);
	if (e->read_fd < 0 || e->output_fd < 0 || e->mark_fd < 0)
		return err_errno(err, "cannot make standard input and output of runs");
	e->output = mem_printf("%s%d", SERVER_DESCRIPTOR, e->output_fd);
	return 0;
}

static int make_files(struct executor *e, struct err *err)
{
	const struct sandbox *s = e->setup.sandbox;
	if (make_streams(e, err) < 0)
		return -1;
	e->reports = mem_printf("%s/%s", s->open, REPORTS);
	if (mkdir(e->reports, 0777) < 0 && errno != EEXIST)
		return err_errno(err, "cannot create folder %s", e->reports);
	return 0;
}

// The words after --sym, with files by the names that runs find them under.
static char *sources_inside(const struct sandbox *s, const char *list)
{
	struct buf out = {0};
	char *words = mem_strdup(list), *rest = words;
	for (char *word; (word = strsep(&rest, ","));) {
		bool is_file = strncmp(word, "file:/", 6) == 0;
		char *path = is_file ? sandbox_path(s, word + 5) : NULL;
		buf_printf(&out, "%s%s,", is_file ? "file:" : word, is_file ? path : "");
		mem_free(path);
	}
	mem_free(words);
	return buf_steal(&out);
}

// What a server finds in its folder.
static int prepare(void *opaque, const char *run, struct err *err)
{
	static const char *const names[] = {LAUNCH_FILE, "trace", COVER_FILE};
	struct executor *e = opaque;
	char *reports = mem_printf("%s/reports", run);
	int r = symlink(e->reports, reports) < 0 ? err_errno(err, "cannot create %s", reports) : 0;
	mem_free(reports);
	for (int i = 0; i < 3 && r == 0; i++)
		if (e->fds[i] >= 0)
			r = server_link(run, names[i], e->fds[i], err);
	if (r == 0 && e->setup.sym) {
		char *list = sources_inside(e->setup.sandbox, e->setup.sym);
		r = sym_write_for(run, list, e->setup.sandbox->cwd, false, err);
		mem_free(list);
	}
	return r;
}

int executor_confine(void *opaque)
{
	const struct executor *e = opaque;
	personality((unsigned long)personality(0xffffffff) | ADDR_NO_RANDOMIZE);
	return sandbox_confine(e->setup.sandbox);
}

const char *executor_libraries(const struct executor *e)
{
	const char *ours = getenv("LD_LIBRARY_PATH");
	return e->libraries ? e->libraries : ours ? ours : "";
}

int executor_start_server(struct executor *e, struct err *err)
{
	char *run = mem_printf("%s/%s-%u-%u", e->setup.sandbox->runs, e->setup.builder->variant,
	                       e->setup.target.version, e->number++);
	int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC), hand_down[5] = {e->read_fd, e->output_fd}, n = 2;
	for (int i = 0; i < 3; i++)
		if (e->fds[i] >= 0)
			hand_down[n++] = e->fds[i];
	const int streams[] = {nowhere, nowhere, nowhere};
	const struct server_place place = {.run = run,
	                                   .confine = executor_confine,
	                                   .prepare = prepare,
	                                   .opaque = e,
	                                   .hand_down = hand_down,
	                                   .n_hand_down = (size_t)n,
	                                   .streams = streams,
	                                   .libraries = e->libraries};
	char *argv[] = {(char *)e->setup.target.program, NULL};
	int r = nowhere < 0 || mkdir(run, 0755) < 0
	                ? err_errno(err, "cannot create folder %s", run)
	                : server_start_at(&e->server, e->setup.builder, argv, &place, e->setup.complain, err);
	if (r == 0)
		sandbox_keep(e->setup.sandbox, 0, e->server.pid);
	if (nowhere >= 0)
		close(nowhere);
	mem_free(run);
	mem_free(e->served);
	e->served = mem_strdup(executor_libraries(e));
	return r;
}

void executor_stop_server(struct executor *e)
{
	if (wait_is_alive(e->server.pid, e->server.ticket))
		sandbox_keep(e->setup.sandbox, e->server.pid, 0);
	server_stop(&e->server);
}

static int show_variants(const struct executor *e, struct err *err)
{
	char *programs = mem_printf("%s/programs", e->setup.builder->cache->root);
	int r = sandbox_show(e->setup.sandbox, programs, err);
	mem_free(programs);
	return r;
}

int executor_start(struct executor *ret, const struct executor_setup *setup, struct err *err)
{
	*ret = (struct executor){.setup = *setup,
	                         .server = {.pid = -1, .ask = -1, .processor = -1},
	                         .launch = MAP_FAILED,
	                         .trace = MAP_FAILED,
	                         .fds = {-1, -1, -1},
	                         .input_fd = -1,
	                         .read_fd = -1,
	                         .output_fd = -1,
	                         .mark_fd = -1};
	assert(setup->target.program);
	if (setup->target.entry)
		return err_set(err, "cannot run %s from %s on: its %s variant begins with main", setup->target.program,
		               setup->target.entry, executor_is_native(ret) ? "native" : setup->builder->variant);
	if (share(ret, err) == 0 && make_files(ret, err) == 0 &&
	    (executor_is_native(ret) || (show_variants(ret, err) == 0 && executor_start_server(ret, err) == 0)))
		return 0;
	executor_stop(ret);
	return -1;
}

static void unmap(void *p, uint64_t size)
{
	if (p && p != MAP_FAILED)
		munmap(p, size);
}

void executor_stop(struct executor *e)
{
	executor_stop_server(e);
	unmap(e->launch, e->launch_size);
	unmap(e->trace, e->trace_size);
	unmap(e->cover, e->cover_size);
	const int fds[] = {e->fds[0], e->fds[1], e->fds[2], e->input_fd, e->read_fd, e->output_fd, e->mark_fd};
	for (size_t i = 0; i < sizeof fds / sizeof *fds; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	mem_free(e->reports);
	mem_free(e->output);
	mem_free(e->clean);
	mem_free(e->libraries);
	mem_free(e->served);
	*e = (struct executor){.server = {.pid = -1, .ask = -1, .processor = -1},
	                       .fds = {-1, -1, -1},
	                       .input_fd = -1,
	                       .read_fd = -1,
	                       .output_fd = -1,
	                       .mark_fd = -1};
}

void executor_set_snapshot(struct executor *e, const struct snapshot *snapshot, const char *files)
{
	assert(!files || files[0] == '/'); // the worker's folder is another one
	mem_free(e->libraries);
	e->libraries = snapshot ? snapshot_libraries(snapshot) : NULL;
	e->snapshot = snapshot;
	e->files = files;
	e->snapshot_name = snapshot ? snapshot_name(snapshot) : (struct hash){0};
}

void executor_set_windows(struct executor *e, const struct windows *windows)
{
	e->windows = windows;
}
