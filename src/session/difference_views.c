#include "session/difference_views.h"

#include <string.h>

#include "base/mem.h"
#include "findings/folder.h"
#include "input/input.h"
#include "session/entered.h"
#include "session/settings.h"

// --- making ---------------------------------------------------------------------------------------

static void make_side(struct view_side *ret, const struct changed_function *f, int side)
{
	const struct fact_function *own = f ? f->side[side] : NULL;
	*ret = (struct view_side){.end = mem_strdup(""), .output = mem_strdup(""), .source = mem_strdup("")};
	ret->file = mem_strdup(own && own->file ? own->file : "");
	ret->line = own ? own->line : 0;
	if (!own)
		return;
	struct buf lines = {0};
	code_changes_lines(f, side, &lines, &ret->n_lines);
	ret->lines = mem_zero((ret->n_lines + 1) * sizeof *ret->lines);
	if (ret->n_lines)
		memcpy(ret->lines, lines.data, ret->n_lines * sizeof *ret->lines);
	buf_release(&lines);
}

static int input_text(struct store *s, int64_t id, struct buf *out, struct err *err)
{
	struct stored_input stored;
	struct input in = {0};
	if (store_get_input(s, id, &stored, err) < 0)
		return -1;
	int r = input_decode(&in, stored.data.data, stored.data.len, err);
	if (r == 0)
		finding_input_text(&in, out);
	input_release(&in);
	stored_input_release(&stored);
	return r;
}

// The state that the smallest input makes up.
static int state_text(const struct differences *d, const struct difference *x, struct store *s, struct buf *out,
                      struct err *err)
{
	struct stored_input stored;
	struct input in = {0};
	if (store_get_input(s, x->example, &stored, err) < 0)
		return -1;
	int r = input_decode(&in, stored.data.data, stored.data.len, err);
	if (r == 0)
		twins_print(&d->entered->twins, x->side, &in, out);
	input_release(&in);
	stored_input_release(&stored);
	return r;
}

// In place of how the program ended.
static void show_value(struct view_side *s, const char *place, const char *value)
{
	mem_free(s->end);
	s->end = mem_printf("%s: %s", place, value);
}

static const char *level_of(const struct difference *x)
{
	if (x->accepted || x->kind == DIFFERENCE_FIXED || x->class == DIFFERENCE_POSSIBLE)
		return level_name(LEVEL_NONE);
	return level_name(x->kind == DIFFERENCE_CRASH || x->kind == DIFFERENCE_HANG ? LEVEL_ERROR : LEVEL_WARNING);
}

static int make_one(struct difference_view *ret, const struct differences *d, uint32_t i, struct store *store,
                    struct err *err)
{
	const struct difference *x = &d->v[i];
	const struct changed_function *f = x->function == UINT32_MAX ? NULL : &d->changes->functions[x->function];
	struct finding_name name = difference_name(d, x);
	struct buf input = {0};
	int r = x->class != DIFFERENCE_CONFIRMED ? state_text(d, x, store, &input, err)
	                                         : input_text(store, x->example, &input, err);
	*ret = (struct difference_view){
		.id = mem_printf("D%u", i + 1),
		.kind = mem_strdup(difference_word(x->kind)),
		.kind_text = mem_strdup(difference_text(x->kind)),
		.level = mem_strdup(level_of(x)),
		.class = mem_strdup(difference_class_word(x->class)),
		.identifier = mem_strdup(x->identifier ? x->identifier : difference_word(x->kind)),
		.why = mem_strdup(x->why),
		.function = mem_strdup(name.function ? name.function : "?"),
		.file = mem_strdup(name.file ? name.file : "?"),
		.change = mem_strdup(f ? change_text(f->kind) : ""),
		.input = buf_steal(&input),
		.reproduce = mem_printf(DIFFERENCES_FOLDER "/D%u/%s", i + 1,
	                                x->class == DIFFERENCE_POSSIBLE ? "report.txt" : "reproduce.sh"),
		.inputs = x->inputs,
		.accepted = x->accepted,
		.example = x->example,
	};
	for (int side = 0; side < CHANGE_SIDES; side++)
		make_side(&ret->side[side], f, side);
	if (x->class != DIFFERENCE_CONFIRMED) {
		show_value(&ret->side[CHANGE_OLD], x->identifier, x->old);
		show_value(&ret->side[CHANGE_NEW], x->identifier, x->new);
	}
	const struct view_side *has = &ret->side[ret->side[CHANGE_NEW].line ? CHANGE_NEW : CHANGE_OLD];
	ret->line = has->n_lines ? has->lines[0] : has->line;
	return r;
}

static void make_functions(struct difference_views *ret, const struct differences *d)
{
	static const char *const words[] = {"", "same", "different", "undecided"};
	ret->functions = mem_zero((d->changes->n_functions + 1) * sizeof *ret->functions);
	for (uint32_t i = 0; i < d->changes->n_functions; i++) {
		const struct compared_function *f = &d->functions[i];
		const struct fact_function *own = change_function(&d->changes->functions[i]);
		if (f->verdict != VERDICT_NONE)
			ret->functions[ret->n_functions++] =
				(struct function_view){.name = mem_strdup(own->name),
			                               .file = mem_strdup(own->file ? own->file : "?"),
			                               .verdict = mem_strdup(words[f->verdict]),
			                               .reason = mem_strdup(f->reason),
			                               .line = own->line};
	}
}

int difference_views_make(struct difference_views *ret, const struct differences *d, struct store *store,
                          const char *const names[CHANGE_SIDES], const char *const programs[CHANGE_SIDES],
                          struct err *err)
{
	int r = 0;
	*ret = (struct difference_views){.n_inputs = d->n_inputs, .n_noise = d->n_noise};
	for (int side = 0; side < CHANGE_SIDES; side++) {
		ret->names[side] = mem_strdup(names[side]);
		ret->programs[side] = mem_strdup(programs[side]);
	}
	ret->v = mem_zero((d->n + 1) * sizeof *ret->v);
	for (uint32_t i = 0; r == 0 && i < d->n; i++)
		r = make_one(&ret->v[ret->n++], d, i, store, err);
	make_functions(ret, d);
	if (r < 0)
		difference_views_release(ret);
	return r;
}

static void release_side(struct view_side *s)
{
	mem_free(s->end);
	mem_free(s->output);
	mem_free(s->file);
	mem_free(s->source);
	mem_free(s->lines);
}

// The texts of a difference, in the order in which they are stored.
enum { TEXTS = 12 };

static void texts_of(struct difference_view *x, char **ret[TEXTS])
{
	char **const all[TEXTS] = {&x->id,  &x->kind,     &x->kind_text, &x->level,  &x->class, &x->identifier,
	                           &x->why, &x->function, &x->file,      &x->change, &x->input, &x->reproduce};
	memcpy(ret, all, sizeof all);
}

void difference_views_release(struct difference_views *v)
{
	for (uint32_t i = 0; i < v->n; i++) {
		char **texts[TEXTS];
		texts_of(&v->v[i], texts);
		for (int k = 0; k < TEXTS; k++)
			mem_free(*texts[k]);
		for (int side = 0; side < CHANGE_SIDES; side++)
			release_side(&v->v[i].side[side]);
	}
	for (uint32_t i = 0; i < v->n_functions; i++) {
		mem_free(v->functions[i].name);
		mem_free(v->functions[i].file);
		mem_free(v->functions[i].verdict);
		mem_free(v->functions[i].reason);
	}
	for (int side = 0; side < CHANGE_SIDES; side++) {
		mem_free(v->names[side]);
		mem_free(v->programs[side]);
	}
	mem_free(v->v);
	mem_free(v->functions);
	*v = (struct difference_views){0};
}

// --- as bytes -------------------------------------------------------------------------------------

static void encode_side(const struct view_side *s, struct buf *out)
{
	buf_text(out, s->end);
	buf_text(out, s->output);
	buf_number(out, s->size);
	buf_text(out, s->file);
	buf_number(out, s->line);
	buf_text(out, s->source);
	buf_number(out, s->n_lines);
	for (uint32_t i = 0; i < s->n_lines; i++)
		buf_number(out, s->lines[i]);
}

void difference_views_encode(const struct difference_views *v, struct buf *out)
{
	for (int side = 0; side < CHANGE_SIDES; side++) {
		buf_text(out, v->names[side]);
		buf_text(out, v->programs[side]);
	}
	buf_number(out, v->n_inputs);
	buf_number(out, v->n_noise);
	buf_number(out, v->n);
	for (uint32_t i = 0; i < v->n; i++) {
		struct difference_view x = v->v[i];
		char **texts[TEXTS];
		texts_of(&x, texts);
		for (int k = 0; k < TEXTS; k++)
			buf_text(out, *texts[k]);
		buf_number(out, x.line);
		buf_number(out, x.inputs);
		buf_number(out, x.accepted);
		buf_u64(out, (uint64_t)x.example);
		for (int side = 0; side < CHANGE_SIDES; side++)
			encode_side(&x.side[side], out);
	}
	buf_number(out, v->n_functions);
	for (uint32_t i = 0; i < v->n_functions; i++) {
		const struct function_view *f = &v->functions[i];
		buf_text(out, f->name);
		buf_text(out, f->file);
		buf_text(out, f->verdict);
		buf_text(out, f->reason);
		buf_number(out, f->line);
	}
}

// Never NULL, so that what was read up to damage can be released and looked at.
static char *read_text(struct cursor *c)
{
	char *text = cursor_text(c);
	return text ? text : mem_strdup("");
}

// How many records follow, each of `least` bytes or more.
static uint32_t read_count(struct cursor *c, size_t least)
{
	return cursor_fits(c, cursor_number(c), least);
}

static void decode_side(struct view_side *s, struct cursor *c)
{
	s->end = read_text(c);
	s->output = read_text(c);
	s->size = cursor_number(c);
	s->file = read_text(c);
	s->line = cursor_number(c);
	s->source = read_text(c);
	s->n_lines = read_count(c, 1);
	s->lines = mem_zero((s->n_lines + 1) * sizeof *s->lines);
	for (uint32_t i = 0; i < s->n_lines; i++)
		s->lines[i] = cursor_number(c);
}

static void decode_one(struct difference_view *x, struct cursor *c)
{
	char **texts[TEXTS];
	texts_of(x, texts);
	for (int k = 0; k < TEXTS; k++)
		*texts[k] = read_text(c);
	x->line = cursor_number(c);
	x->inputs = cursor_number(c);
	x->accepted = cursor_number(c) == 1;
	x->example = (int64_t)cursor_u64(c);
	for (int side = 0; side < CHANGE_SIDES; side++)
		decode_side(&x->side[side], c);
}

int difference_views_decode(struct difference_views *ret, const struct buf *data, struct err *err)
{
	enum { LEAST = TEXTS + 8, LEAST_FUNCTION = 5 };
	const char *begin = buf_str(data);
	struct cursor c = {(const uint8_t *)begin, (const uint8_t *)begin + data->len, false};
	*ret = (struct difference_views){0};
	for (int side = 0; side < CHANGE_SIDES; side++) {
		ret->names[side] = read_text(&c);
		ret->programs[side] = read_text(&c);
	}
	ret->n_inputs = cursor_number(&c);
	ret->n_noise = cursor_number(&c);
	uint32_t n = read_count(&c, LEAST);
	ret->v = mem_zero((n + 1) * sizeof *ret->v);
	while (ret->n < n && !c.bad)
		decode_one(&ret->v[ret->n++], &c);
	n = read_count(&c, LEAST_FUNCTION);
	ret->functions = mem_zero((n + 1) * sizeof *ret->functions);
	while (ret->n_functions < n && !c.bad) {
		struct function_view *f = &ret->functions[ret->n_functions++];
		f->name = read_text(&c);
		f->file = read_text(&c);
		f->verdict = read_text(&c);
		f->reason = read_text(&c);
		f->line = cursor_number(&c);
	}
	if (!c.bad && c.p == c.end)
		return 0;
	difference_views_release(ret);
	return err_set(err, "what the campaign knows about differences is damaged");
}

int difference_views_read(struct difference_views *ret, struct store *s, struct err *err)
{
	struct buf data = {0};
	*ret = (struct difference_views){0};
	int r = setting_get(s, SETTING_shown, &data) ? 1 : 0;
	if (r && difference_views_decode(ret, &data, err) < 0)
		r = -1;
	buf_release(&data);
	return r;
}

bool difference_view_is_whole(const struct difference_view *v)
{
	return strcmp(v->class, difference_class_word(DIFFERENCE_CONFIRMED)) == 0;
}

uint32_t difference_views_reported(const struct difference_views *v)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < v->n; i++)
		n += !v->v[i].accepted;
	return n;
}

uint32_t difference_views_count(const struct difference_views *v, const char *verdict)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < v->n_functions; i++)
		n += strcmp(v->functions[i].verdict, verdict) == 0;
	return n;
}
