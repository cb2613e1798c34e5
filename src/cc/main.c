// veer-cc and veer-c++: drop-in compilers. The native compiler gets the command
// line as it is, so what the project builds is what clang builds, and behind it what
// programs that ask for symbolic input need (support.h); beside it, the bitcode of
// every C source is made and added to the outputs in `.veer_bc`.
//
// Silent unless something is lost: one warning line then, and the build goes on.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "cc/args.h"
#include "cc/record.h"
#include "cc/support.h"
#include "cc/unit.h"
#include "cc/work.h"
#include "config.h"
#include "object/elf.h"
#include "object/frame.h"
#include "object/side.h"

static const char *tool = "veer-cc";

static void warn(const char *where, const char *what)
{
	fprintf(stderr, "%s: warning: %s: %s\n", tool, where, what);
}

// Replaces this process by the native compiler; for everything that needs nothing from us.
static int pass_through(const struct work *work, const struct cc_args *args)
{
	struct strv argv = {0};
	strv_push(&argv, work->clang);
	strv_push_all(&argv, &args->native);
	execv(argv.v[0], argv.v);
	perror(argv.v[0]);
	return 127;
}

static bool is_special_file(const char *path)
{
	struct stat st;
	return strcmp(path, "-") == 0 || (stat(path, &st) == 0 && !S_ISREG(st.st_mode));
}

// The object that the native compiler writes for a source; caller frees.
static char *object_of(const struct cc_args *args, const struct cc_arg *source)
{
	if (args->output)
		return mem_strdup(args->output);
	const char *base = strcmp(source->text, "-") == 0 ? "-" : path_basename(source->text);
	const char *dot = strrchr(base, '.');
	int n = dot && dot != base ? (int)(dot - base) : (int)strlen(base);
	return mem_printf("%.*s.o", n, base);
}

struct made {
	struct buf bitcode;
	bool ok;
	struct err why;
};

// Adds the frame to the object, or beside it when the object is bitcode (-flto).
static void finish_object(struct work *work, const struct cc_args *args, const struct cc_arg *source,
                          const struct made *made)
{
	struct err err;
	char *path = object_of(args, source);
	struct buf object = {0}, frames = {0};
	int r = file_read(path, &object, &err);
	if (r == 0 && side_is_bitcode(object.data, object.len)) {
		if (made->ok) {
			unit_frame(work, args, source, &made->bitcode, NULL, "", &frames);
			r = side_store(object.data, object.len, &frames, &err);
		}
	} else if (r == 0) {
		// Variants have no use for a sanitizer's calls, and no runtime to receive them.
		struct buf plain = {0};
		if (!made->ok && args->sanitized && source->language != LANG_ASSEMBLER)
			r = unit_native(work, args, source, &plain, &err);
		unit_frame(work, args, source, made->ok ? &made->bitcode : NULL, plain.len ? &plain : &object,
		           made->why.text, &frames);
		buf_release(&plain);
		if (r == 0)
			r = elf_append(path, FRAME_SECTION, frames.data, frames.len, &err);
	}
	if (r < 0) {
		char *text = mem_printf("%s; the object is built, but veer cannot analyse it", err.text);
		warn(source->text, text);
		mem_free(text);
	}
	buf_release(&object);
	buf_release(&frames);
	mem_free(path);
}

// The frame of a source that is compiled and linked in one go.
static bool finish_source(struct work *work, const struct cc_args *args, const struct cc_arg *source,
                          const struct made *made, struct buf *frames)
{
	bool kept = true;
	struct buf object = {0};
	struct err err;
	if (made->ok)
		unit_frame(work, args, source, &made->bitcode, NULL, "", frames);
	else if (unit_native(work, args, source, &object, &err) == 0)
		unit_frame(work, args, source, NULL, &object, made->why.text, frames);
	else {
		char *text = mem_printf("%s; the program is built, but veer can only run it natively", err.text);
		warn(source->text, text);
		mem_free(text);
		kept = false;
	}
	buf_release(&object);
	return kept;
}

static void make_bitcode(struct work *work, const struct cc_args *args, const struct cc_arg *source, struct made *made)
{
	if (source->language != LANG_C) {
		err_set(&made->why, source->language == LANG_ASSEMBLER ? "assembler source" : "not C");
		return;
	}
	made->ok = unit_bitcode(work, args, source, &made->bitcode, &made->why) == 0;
}

static void warn_about_bitcode(const struct cc_arg *source, const struct made *made)
{
	if (made->ok || source->language != LANG_C)
		return;
	char *text = mem_printf("no bitcode (%s); the file is built, but veer will not look into it", made->why.text);
	warn(source->text, text);
	mem_free(text);
}

static int compile(struct work *work, const struct cc_args *args, const char *support)
{
	struct err err;
	pid_t native = work_start(work, work->clang, &args->native, -1, &err);
	if (native < 0) {
		fprintf(stderr, "%s: error: %s\n", tool, err.text);
		return 127;
	}
	// Bitcode is made while the native compiler runs.
	struct made *made = mem_zero((args->sources + 1) * sizeof *made);
	size_t k = 0;
	for (size_t i = 0; i < args->n; i++)
		if (args->v[i].input && args->v[i].language != LANG_NONE)
			make_bitcode(work, args, &args->v[i], &made[k++]);
	int status = work_wait(native);

	struct buf frames = {0};
	bool whole = true;
	k = 0;
	for (size_t i = 0; status == 0 && i < args->n; i++) {
		const struct cc_arg *source = &args->v[i];
		if (!source->input || source->language == LANG_NONE)
			continue;
		warn_about_bitcode(source, &made[k]);
		if (args->mode == CC_OBJECT)
			finish_object(work, args, source, &made[k]);
		else
			whole &= finish_source(work, args, source, &made[k], &frames);
		k++;
	}
	const char *output = args->output ? args->output : "a.out";
	if (status == 0 && whole && args->mode != CC_OBJECT &&
	    record_link(work, args, support, output, &frames, &err) < 0)
		warn(output, err.text);
	for (k = 0; k < args->sources; k++)
		buf_release(&made[k].bitcode);
	mem_free(made);
	buf_release(&frames);
	return status;
}

// Options of gcc that clang rejects. Under -Werror a probe expects a failure.
static int report_dropped(const struct cc_args *args)
{
	if (!args->dropped.n)
		return 0;
	struct buf list = {0};
	for (size_t i = 0; i < args->dropped.n; i++)
		buf_printf(&list, " %s", args->dropped.v[i]);
	if (args->strict)
		fprintf(stderr, "%s: error: unknown option:%s\n", tool, list.data);
	else
		fprintf(stderr, "%s: warning: unknown option ignored (gcc only):%s\n", tool, list.data);
	buf_release(&list);
	return args->strict ? 1 : 0;
}

static bool named_cplusplus(const char *name)
{
	size_t n = strlen(name);
	return n >= 2 && strcmp(name + n - 2, "++") == 0;
}

static bool reads_stdin(const struct cc_args *args)
{
	for (size_t i = 0; i < args->n; i++)
		if (args->v[i].input && strcmp(args->v[i].text, "-") == 0)
			return true;
	return false;
}

// A pipe can be read once only, and the native compiler comes first.
static const char *pipe_among_inputs(const struct cc_args *args)
{
	for (size_t i = 0; i < args->n; i++)
		if (args->v[i].input && args->v[i].language != LANG_NONE && strcmp(args->v[i].text, "-") != 0 &&
		    is_special_file(args->v[i].text))
			return args->v[i].text;
	return NULL;
}

int main(int argc, char **argv)
{
	const char *name = path_basename(argv[0]);
	bool cplusplus = named_cplusplus(name);
	if (cplusplus)
		tool = "veer-c++";
	if (argc == 2 && strcmp(argv[1], "--veer-version") == 0) {
		printf("%s %s\n", tool, CONFIG_VERSION);
		return 0;
	}
	struct err err;
	struct work work;
	struct cc_args args;
	if (work_init(&work, cplusplus, &err) < 0 || cc_args_parse(&args, argc, argv, &err) < 0) {
		fprintf(stderr, "%s: error: %s\n", tool, err.text);
		return 1;
	}
	struct support support;
	support_find(&support);
	support_add(&support, &args);
	int status = report_dropped(&args);
	const char *output = args.output ? args.output : "";
	if (status == 0) {
		const char *pipe = args.mode == CC_OTHER ? NULL : pipe_among_inputs(&args);
		if (args.narrow && args.mode != CC_OTHER)
			warn("32-bit code", "veer looks into 64-bit programs only");
		if (pipe)
			warn(pipe, "no bitcode (not a regular file); it is built, but veer will not look into it");
		if (args.mode == CC_OTHER || args.narrow || pipe || is_special_file(output))
			status = pass_through(&work, &args);
		else if (reads_stdin(&args) && work_save_stdin(&work, &err) < 0) {
			fprintf(stderr, "%s: error: %s\n", tool, err.text);
			status = 1;
		} else
			status = compile(&work, &args, support_is_linked(&support, &args) ? support.archive : NULL);
	}
	support_release(&support);
	cc_args_release(&args);
	work_release(&work);
	return status;
}
