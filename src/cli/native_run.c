#include "cli/native_run.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "execute/observation.h"
#include "sandbox/sandbox.h"

enum { LIMIT_MS = 5000, INPUT_MAX = 16 << 20 };

void native_run_release(struct native_run *n)
{
	buf_release(&n->output);
	written_release(&n->written);
	input_release(&n->input);
	*n = (struct native_run){0};
}

// What standard input still has; false when to read it would take it from the command.
static bool peek_input(struct buf *ret)
{
	struct stat st;
	if (fstat(0, &st) < 0 || (S_ISCHR(st.st_mode) && st.st_rdev == makedev(1, 3))) // closed, /dev/null
		return true;
	off_t at = lseek(0, 0, SEEK_CUR);
	if (!S_ISREG(st.st_mode) || at < 0 || st.st_size - at > INPUT_MAX)
		return false;
	for (ssize_t n = 1; n > 0; ret->len += n > 0 ? (size_t)n : 0) {
		buf_reserve(ret, 1 << 16);
		n = pread(0, ret->data + ret->len, 1 << 16, at + (off_t)ret->len);
	}
	return true;
}

// What the child found out goes to this file.
static void write_answer(int fd, struct observation *a, const struct observation *b)
{
	bool output = observation_same_output(a, b);
	struct buf answer = {0};
	buf_u32(&answer, observation_same_end(a, b));
	buf_u32(&answer, output);
	buf_u32(&answer, (uint32_t)(a->run.end == RUN_EXITED ? a->run.code << 8 : a->run.code));
	written_agree(&a->written, &b->written);
	written_encode(&a->written, &answer);
	if (output)
		buf_add(&answer, a->output.data, a->output.len);
	file_write_all(fd, answer.data, answer.len);
	buf_release(&answer);
}

static void run_inside(struct sandbox *sandbox, const struct builder *builder, const char *program,
                       const struct input *in, int answer)
{
	struct builder native = *builder;
	native.variant = "native";
	const struct executor_setup setup = {.builder = &native, .target = {.program = program}, .sandbox = sandbox};
	struct executor e;
	struct observation a = {0}, b = {0};
	struct err err;
	if (executor_start(&e, &setup, &err) < 0)
		return;
	if (observe(&e, in, LIMIT_MS, &a, &err) == 0 && !observation_is_cut(&a) &&
	    observe(&e, in, LIMIT_MS, &b, &err) == 0 && !observation_is_cut(&b))
		write_answer(answer, &a, &b);
	observation_release(&a);
	observation_release(&b);
	executor_stop(&e);
}

static void read_answer(int fd, struct native_run *ret)
{
	struct buf answer = {0};
	for (ssize_t n = 1; n > 0; answer.len += n > 0 ? (size_t)n : 0) {
		buf_reserve(&answer, 1 << 16);
		n = pread(fd, answer.data + answer.len, 1 << 16, (off_t)answer.len);
	}
	struct cursor c = {(const uint8_t *)answer.data, (const uint8_t *)answer.data + answer.len, false};
	bool has_status = cursor_u32(&c), has_output = cursor_u32(&c);
	int status = (int)cursor_u32(&c);
	if (written_decode(&ret->written, &c)) {
		ret->has_status = has_status;
		ret->has_output = has_output;
		ret->status = status;
		buf_add(&ret->output, c.p, (size_t)(c.end - c.p));
	}
	buf_release(&answer);
}

static void run_sandboxed(const char *program, const struct builder *builder, const struct input *in,
                          struct native_run *ret)
{
	struct sandbox sandbox;
	struct err err;
	char *worker_dir = file_temporary("veer-box", &err), *cwd = path_cwd();
	int answer = memfd_create("answer", MFD_CLOEXEC);
	pid_t pid = answer >= 0 && worker_dir ? sandbox_fork(&sandbox, SANDBOX_NAMESPACES, NULL, worker_dir, cwd, &err)
	                                      : -1;
	if (pid == 0) {
		run_inside(&sandbox, builder, program, in, answer);
		sandbox_leave(&sandbox);
		_exit(0);
	}
	if (pid > 0 && waitpid(pid, NULL, 0) == pid)
		read_answer(answer, ret);
	if (answer >= 0)
		close(answer);
	if (worker_dir)
		file_remove_tree(worker_dir);
	mem_free(worker_dir);
	mem_free(cwd);
}

void native_run(char **argv, const struct builder *builder, struct native_run *ret)
{
	struct buf typed = {0};
	*ret = (struct native_run){.builder = builder, .program = argv[0]};
	if (peek_input(&typed)) {
		for (char **word = argv; *word; word++)
			input_add(&ret->input, INPUT_ARGUMENT, NULL, *word, strlen(*word));
		input_add(&ret->input, INPUT_STDIN, NULL, typed.data, typed.len);
		run_sandboxed(argv[0], builder, &ret->input, ret);
	}
	buf_release(&typed);
}

void native_run_again(struct native_run *n)
{
	struct native_run again = {0};
	if (!n->has_status)
		return;
	run_sandboxed(n->program, n->builder, &n->input, &again);
	n->has_status = again.has_status && again.status == n->status;
	n->has_output = n->has_output && again.has_output && n->output.len == again.output.len &&
	                (!n->output.len || memcmp(n->output.data, again.output.data, n->output.len) == 0);
	written_agree(&n->written, &again.written);
	native_run_release(&again);
}

// `output`, which is shared: NULL when it is not known.
static struct observation observed(int status, const struct buf *output)
{
	return (struct observation){.run = run_ended(status),
	                            .known = output ? OUTPUT_BYTES : OUTPUT_NONE,
	                            .output = output ? *output : (struct buf){0},
	                            .words = "natively"};
}

bool native_run_same(const struct native_run *n, int status, const struct buf *output, struct buf *ret_why)
{
	if (!n->has_status)
		return true;
	bool both = n->has_output && output;
	struct observation native = observed(n->status, both ? &n->output : NULL),
			   traced = observed(status, both ? output : NULL);
	native.written = n->written; // shared
	written_look(&traced.written, &n->written);
	bool same = observation_same(&native, &traced, NULL, ret_why);
	written_release(&traced.written);
	return same;
}
