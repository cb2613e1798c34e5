#include "cc/unit.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "config.h"
#include "object/frame.h"

static void push_arg(struct strv *out, const struct cc_arg *arg)
{
	strv_push(out, arg->text);
	if (arg->separate)
		strv_push(out, arg->value);
}

static void push_input(struct strv *out, const struct cc_arg *source)
{
	if (source->forced) {
		strv_push(out, "-x");
		strv_push(out, source->forced);
	}
	strv_push(out, source->text);
}

// The first line of a compiler's output that holds "error:", without its colours.
static void first_complaint(int fd, struct err *err)
{
	char text[4096];
	ssize_t n = pread(fd, text, sizeof text - 1, 0);
	text[n > 0 ? n : 0] = 0;
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		if (strstr(line, "error:")) {
			err_set(err, "%.300s", line);
			return;
		}
	err_set(err, "the compiler failed without a message");
}

// Runs the compiler quietly with `args`, which make it write `path`; reads that file.
static int run_and_read(struct work *work, const char *clang, const struct strv *args, const char *path,
                        struct buf *ret, struct err *err)
{
	int errors = memfd_create("veer-cc-stderr", MFD_CLOEXEC);
	pid_t pid = work_start(work, clang, args, errors, err);
	int r = pid < 0 ? -1 : 0;
	if (r == 0 && work_wait(pid) != 0) {
		first_complaint(errors, err);
		r = -1;
	}
	if (r == 0)
		r = file_read(path, ret, err);
	if (errors >= 0)
		close(errors);
	unlink(path);
	return r;
}

// A command line may hold more than the kernel takes once a response file is expanded.
static void shorten(struct work *work, struct strv *args)
{
	size_t total = 0;
	for (size_t i = 0; i < args->n; i++)
		total += strlen(args->v[i]) + 1;
	if (total < 100000)
		return;
	struct buf text = {0};
	for (size_t i = 0; i < args->n; i++) {
		for (const char *p = args->v[i]; *p; p++) {
			if (strchr(" \t\n\"'\\", *p))
				buf_addch(&text, '\\');
			buf_addch(&text, *p);
		}
		buf_addch(&text, '\n');
	}
	char *path = work_temp(work, "arguments");
	if (file_replace(path, text.data, text.len, 0600, NULL) == 0) {
		strv_release(args);
		strv_pushf(args, "@%s", path);
	}
	mem_free(path);
	buf_release(&text);
}

// "-Xclang -include-pch -Xclang FILE", as CMake writes it: the precompiled header was
// made with other flags, and the header itself is included right after it.
static bool names_pch(const struct cc_arg *arg)
{
	return strcmp(arg->text, "-Xclang") == 0 && arg->value && strcmp(arg->value, "-include-pch") == 0;
}

#define UBSAN_FLAG(name) name ","
static const char ubsan_kinds[] =
#include "abi/ubsan.def"
	;

int unit_bitcode(struct work *work, const struct cc_args *args, const struct cc_arg *source, struct buf *ret,
                 struct err *err)
{
	struct strv cmd = {0};
	for (size_t i = 0; i < args->n; i++) {
		if (names_pch(&args->v[i]))
			i++; // and the -Xclang with its value
		else if (!args->v[i].input && !(args->v[i].flags & NO_BITCODE))
			push_arg(&cmd, &args->v[i]);
	}
	int kinds = (int)sizeof ubsan_kinds - 2; // without the last comma
	static const char *const fixed[] = {"-g",
	                                    "-O1",
	                                    "-Xclang",
	                                    "-disable-llvm-passes",
	                                    "-w",
	                                    "-Qunused-arguments",
	                                    "-U_FORTIFY_SOURCE",
	                                    "-fno-lto",
	                                    "-fsanitize=address",
#if CONFIG_LLVM_NUMBER >= 22
	                                    "-fno-sanitize-debug-trap-reasons", // traps stay in their lines
#endif
	                                    "-emit-llvm",
	                                    "-c"};
	for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
		strv_push(&cmd, fixed[i]);
	if (!args->optimize) // the source must not see that the bitcode is compiled with -O1
		strv_push(&cmd, "-U__OPTIMIZE__");
	strv_pushf(&cmd, "-fsanitize=%.*s", kinds, ubsan_kinds);
	strv_pushf(&cmd, "-fsanitize-trap=%.*s", kinds, ubsan_kinds);
	if (args->wraps) // then overflow is defined; clang checks it all the same when asked to
		strv_push(&cmd, "-fno-sanitize=signed-integer-overflow,pointer-overflow");
	char *path = work_temp(work, "unit.bc");
	strv_push(&cmd, "-o");
	strv_push(&cmd, path);
	push_input(&cmd, source);
	shorten(work, &cmd);
	int r = run_and_read(work, work->clang_c, &cmd, path, ret, err);
	mem_free(path);
	strv_release(&cmd);
	return r;
}

int unit_native(struct work *work, const struct cc_args *args, const struct cc_arg *source, struct buf *ret,
                struct err *err)
{
	struct strv cmd = {0};
	for (size_t i = 0; i < args->n; i++) {
		const struct cc_arg *arg = &args->v[i];
		bool assembler = strncmp(arg->text, "-Wa,", 4) == 0 || strcmp(arg->text, "-Xassembler") == 0;
		if (!arg->input &&
		    (assembler || (arg->flags & (OPTIMIZE | OPTIMIZE_NOT)) || !(arg->flags & NO_BITCODE)))
			push_arg(&cmd, arg);
	}
	char *path = work_temp(work, "unit.o");
	strv_push(&cmd, "-Qunused-arguments");
	strv_push(&cmd, "-fPIC");
	strv_push(&cmd, "-c");
	strv_push(&cmd, "-o");
	strv_push(&cmd, path);
	push_input(&cmd, source);
	shorten(work, &cmd);
	int r = run_and_read(work, work->clang, &cmd, path, ret, err);
	mem_free(path);
	strv_release(&cmd);
	return r;
}

// What the source would have to be compiled with again.
static void push_options(struct strv *out, const struct cc_args *args)
{
	for (size_t i = 0; i < args->n; i++) {
		const struct cc_arg *arg = &args->v[i];
		if (names_pch(arg))
			i++;
		else if (!arg->input && !arg->added &&
		         ((arg->flags & (OPTIMIZE | OPTIMIZE_NOT)) || !(arg->flags & NO_BITCODE)))
			push_arg(out, arg);
	}
}

void unit_frame(struct work *work, const struct cc_args *args, const struct cc_arg *source, const struct buf *bitcode,
                const struct buf *object, const char *note, struct buf *frames)
{
	struct frame frame = {
		.kind = bitcode ? FRAME_BITCODE : FRAME_NATIVE,
		.source = source->text,
		.cwd = work->cwd,
		.note = (char *)note,
		.has_options = true,
	};
	const struct buf *payload = bitcode ? bitcode : object;
	push_options(&frame.options, args);
	frame_pack(frames, &frame, payload->data, payload->len);
	strv_release(&frame.options);
}
