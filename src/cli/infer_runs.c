#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "cli/infer_plan.h"

#ifdef CONFIG_DEVICE

void infer_command(struct buf *ret, const char *program, char *const *words, size_t n)
{
	buf_clear(ret);
	buf_addstr(ret, path_basename(program));
	for (size_t i = 0; i < n; i++) {
		const bool quote = !words[i][0] || strchr(words[i], ' ');
		const char *mark = !quote ? "" : strchr(words[i], '\'') ? "\"" : "'";
		buf_printf(ret, " %s%s%s", mark, words[i], mark);
	}
}

static int read_input(struct rehearsal *ret, const char *folder, const char *id, struct buf *command,
                      struct strv *files, struct err *err)
{
	char *args = mem_printf("%s/inputs/%s.args", folder, id), *in = mem_printf("%s/inputs/%s.stdin", folder, id);
	struct buf text = {0};
	struct strv words = {0};
	int r = file_read(args, &text, err);
	buf_release(&ret->input);
	if (r == 0)
		r = file_read(in, &ret->input, err);
	char *at = text.data;
	for (char *line; r == 0 && at && *at && (line = strsep(&at, "\n"));)
		strv_push(&words, line);
	strv_release(files);
	for (size_t i = 0; i < words.n; i++)
		if (file_exists(words.v[i]))
			strv_push(files, words.v[i]);
	infer_command(command, "firmware", words.v, words.n);
	ret->command = buf_str(command);
	ret->files = files;
	strv_release(&words);
	buf_release(&text);
	mem_free(args);
	mem_free(in);
	return r;
}

int infer_run_setup(struct rehearsal *ret, const char *folder, const char *id, bool whole,
                    const struct program *program, const struct program *training, const struct training_map *map,
                    struct buf *command, struct strv *files, struct err *err)
{
	const uint32_t entry = program_find(program, "main", 0);
	ret->program = program;
	if (whole) {
		if (entry == CODE_NONE)
			return err_set(err, "the firmware of the plan has no function main");
		ret->image = &program->image;
		ret->map = NULL;
		ret->training = NULL;
		ret->from = program->functions[entry].address;
		return read_input(ret, folder, id, command, files, err);
	}
	const struct image_name *control = image_find(&training->image, "veer_control", NULL);
	if (!control)
		return err_set(err, "%s: there is no training.elf, or one of another plan; run make there", folder);
	ret->image = &training->image;
	ret->training = training;
	ret->map = map;
	ret->ram = control->address;
	ret->run = (uint32_t)strtoul(id + strcspn(id, "0123456789"), NULL, 10);
	buf_release(&ret->input);
	ret->command = "firmware";
	return 0;
}

#endif
