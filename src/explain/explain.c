#include "explain/explain.h"

#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"
#include "explain/insight.h"
#include "input/snapshot.h"
#include "session/groups.h"
#include "session/settings.h"

void explain_byte(struct buf *out, uint8_t byte)
{
	if (byte == '\n')
		buf_addstr(out, "'\\n'");
	else if (byte == '\t')
		buf_addstr(out, "'\\t'");
	else if (byte == '\'' || byte == '\\')
		buf_printf(out, "'\\%c'", byte);
	else if (byte >= ' ' && byte <= '~')
		buf_printf(out, "'%c'", byte);
	else
		buf_printf(out, "0x%02x", byte);
}

void explain_bytes(struct buf *out, const void *data, size_t size, size_t most)
{
	const uint8_t *p = data;
	buf_addch(out, '"');
	for (size_t i = 0; i < size && i < most; i++) {
		if (p[i] == '"' || p[i] == '\\')
			buf_printf(out, "\\%c", p[i]);
		else if (p[i] == '\n')
			buf_addstr(out, "\\n");
		else if (p[i] == '\t')
			buf_addstr(out, "\\t");
		else if (p[i] < ' ' || p[i] > '~')
			buf_printf(out, "\\%03o", p[i]);
		else
			buf_addch(out, (char)p[i]);
	}
	buf_addstr(out, size > most ? "\"..." : "\"");
}

// --- what the store knows -------------------------------------------------------------------------

// 0 also when it is not there any more: *ret_there says so.
static int get_input(struct store *store, int64_t id, struct input *ret, int64_t *ret_snapshot, bool *ret_there,
                     struct err *err)
{
	struct stored_input in;
	*ret_there = false;
	if (store_get_input(store, id, &in, err) < 0)
		return -1;
	struct err bad;
	if (in.data.len)
		*ret_there = input_decode(ret, in.data.data, in.data.len, &bad) == 0;
	*ret_snapshot = in.snapshot;
	stored_input_release(&in);
	return 0;
}

// The test's own files, which its input does not have: to be compared with those that were changed.
static void complete_seed(struct explanation *x, struct store *store, const char *folder)
{
	struct buf around = {0};
	struct snapshot snapshot;
	struct err err;
	char *files = mem_printf("%s/files", folder);
	if (x->snapshot && store_get_snapshot(store, x->snapshot, &around, &err) == 0 &&
	    snapshot_decode(&snapshot, around.data, around.len, &err) == 0) {
		snapshot_complete(&snapshot, files, &x->input, &x->seed, &err); // what is gone is not shown
		snapshot_release(&snapshot);
	}
	mem_free(files);
	buf_release(&around);
}

static char *part_name(const struct input_part *p, size_t ordinal)
{
	switch (p->kind) {
	case INPUT_ARGUMENT: return ordinal ? mem_printf("argument %zu", ordinal) : mem_strdup("name of the program");
	case INPUT_VARIABLE: return mem_printf("variable %s", p->name ? p->name : "?");
	case INPUT_STDIN: return mem_strdup("standard input");
	case INPUT_FILE: return mem_printf("file %s", p->name ? p->name : "?");
	case INPUT_OBJECT:
		if (!p->name)
			return mem_strdup("objects that the program makes symbolic");
		return ordinal ? mem_printf("object %s_%zu", p->name, ordinal) : mem_printf("object %s", p->name);
	case INPUT_FRAGMENT: return mem_strdup("entry");
	case INPUT_CELL: return mem_printf("object %s", p->name && p->name[0] ? p->name : "frame");
	case INPUT_SOCKET: break;
	}
	return mem_strdup("socket");
}

static size_t difference(const struct input_part *a, const struct input_part *b)
{
	size_t n = 0, x = a ? a->data.len : 0, y = b ? b->data.len : 0;
	for (size_t i = 0; i < x && i < y; i++)
		n += a->data.data[i] != b->data.data[i];
	return n + (x > y ? x - y : y - x);
}

static void add_part(struct explanation *x, char *name, const struct input_part *now, const struct input_part *was)
{
	x->parts = mem_resize(x->parts, (x->n_parts + 1) * sizeof *x->parts);
	x->parts[x->n_parts++] = (struct explained_part){
		.name = name, .now = now, .was = was, .changed = x->has_seed ? difference(now, was) : 0};
}

void explanation_add_part(struct explanation *x, const struct input_part *now, const struct input_part *was)
{
	add_part(x, part_name(now ? now : was, 0), now, was);
}

static void compare(struct explanation *x)
{
	for (size_t i = 0; i < x->input.n; i++) {
		const struct input_part *p = &x->input.v[i];
		size_t ordinal = input_ordinal(&x->input, i);
		add_part(x, part_name(p, ordinal), p,
		         x->has_seed ? input_nth(&x->seed, p->kind, p->name, ordinal) : NULL);
	}
	for (size_t i = 0; i < x->seed.n; i++) { // what is gone
		const struct input_part *p = &x->seed.v[i];
		size_t ordinal = input_ordinal(&x->seed, i);
		if (!input_nth(&x->input, p->kind, p->name, ordinal))
			add_part(x, part_name(p, ordinal), NULL, p);
	}
}

static uint32_t count_generations(struct store *store, int64_t input)
{
	enum { MOST = 1 << 20 };
	uint32_t n = 0;
	struct stored_input in;
	struct err err;
	for (; n < MOST && store_get_input(store, input, &in, &err) == 0; n++) {
		input = in.parent;
		stored_input_release(&in);
		if (!input)
			break;
	}
	return n ? n - 1 : 0; // the finding's own is only a smaller one
}

static bool is_of_suite(struct store *store)
{
	struct buf command = {0};
	bool suite = setting_get(store, SETTING_command, &command) && strcmp(command.data, "explore") != 0 &&
	             settings_use(store) == USE_program;
	buf_release(&command);
	return suite;
}

static int read_possible(struct explanation *x, struct store *store, struct err *err)
{
	if (x->finding.level != LEVEL_POSSIBLE)
		return 0;
	struct possible_errors *errors = possible_errors_read(store, err);
	if (!errors)
		return -1;
	possible_read(store, x->finding.key, &x->possible);
	x->promoted = possible_promoted(errors, &x->finding);
	possible_errors_free(errors);
	return 0;
}

int explain_stored(struct explanation *ret, struct store *store, const char *folder, struct stored_finding *f,
                   struct err *err)
{
	int64_t snapshot;
	*ret = (struct explanation){.finding = *f, .care = f->care, .care_of = -1};
	*f = (struct stored_finding){0};
	ret->id = mem_printf("F%" PRId64, ret->finding.id);
	ret->why_not = mem_strdup("it was not run again");
	if (get_input(store, ret->finding.input, &ret->input, &ret->snapshot, &ret->has_input, err) < 0 ||
	    get_input(store, ret->finding.seed, &ret->seed, &snapshot, &ret->has_seed, err) < 0 ||
	    read_possible(ret, store, err) < 0) {
		explanation_release(ret);
		return -1;
	}
	ret->of_suite = is_of_suite(store);
	ret->generations = count_generations(store, ret->finding.input);
	if (ret->has_seed)
		complete_seed(ret, store, folder);
	compare(ret);
	ret->sentence = explain_sentence(ret);
	return 0;
}

// --- all of them ----------------------------------------------------------------------------------

struct collecting {
	bool (*prints)(void *opaque, const struct stored_finding *f);
	void *opaque;
	struct stored_finding *v;
	size_t n, cap;
	struct groups groups;
};

static struct stored_finding copy(const struct stored_finding *f)
{
	struct stored_finding c = *f;
	c.kind = mem_strdup(f->kind);
	c.program = mem_strdup(f->program);
	c.file = mem_strdup(f->file);
	c.function = mem_strdup(f->function);
	c.stack = mem_strdup(f->stack);
	c.report = mem_strdup(f->report);
	return c;
}

static int collect(void *opaque, const struct stored_finding *f)
{
	struct collecting *c = opaque;
	if ((c->prints && !c->prints(c->opaque, f)) || groups_add(&c->groups, f) != f->id)
		return 0;
	vec_push(c, copy(f));
	return 0;
}

int explain_all(struct store *store, const char *folder, bool (*prints)(void *opaque, const struct stored_finding *f),
                void *opaque, struct explanation **ret, size_t *ret_n, struct err *err)
{
	struct collecting c = {.prints = prints, .opaque = opaque};
	int r = store_each_finding(store, collect, &c, err) < 0 ? -1 : 0;
	struct explanation *v = mem_zero((c.n + 1) * sizeof *v);
	size_t n = 0;
	for (; r == 0 && n < c.n; n++) {
		if ((r = explain_stored(&v[n], store, folder, &c.v[n], err)) < 0)
			break;
		groups_others(&c.groups, v[n].finding.id, &v[n].also);
	}
	for (size_t i = 0; i < c.n; i++)
		stored_finding_release(&c.v[i]);
	mem_free(c.v);
	groups_release(&c.groups);
	for (size_t i = 0; r < 0 && i < n; i++)
		explanation_release(&v[i]);
	if (r < 0) {
		mem_free(v);
		return -1;
	}
	*ret = v;
	*ret_n = n;
	return 0;
}

// --- what runs say --------------------------------------------------------------------------------

static int read_trace(struct replayer *replayer, const struct explanation *x, const struct input *in,
                      const struct windows *w, struct buf *bytes, struct trace *ret, struct err *err)
{
	return replayer_trace(replayer, x->finding.program, x->snapshot, in, w, bytes, err) < 0
	               ? -1
	               : trace_read(bytes->data, bytes->len, ret, err);
}

// Of a large input only what is near to its changed bytes is symbolic: all of it may not fit into a trace.
static void add_window(struct windows *w, const struct input_part *now, const struct buf *was)
{
	enum { NEAR = 512 };
	const struct input_source of = input_source(now->kind, INPUT_BYTES, 0, now->name ? now->name : "");
	size_t n = now->data.len < was->len ? now->data.len : was->len, first = 0, last = n;
	while (first < n && now->data.data[first] == was->data[first])
		first++;
	while (last > first && now->data.data[last - 1] == was->data[last - 1])
		last--;
	bool moved = now->data.len != was->len;
	if (first == n && !moved)
		windows_add(w, of, 0, 0);
	else
		windows_add(w, of, first > NEAR ? first - NEAR : 0, moved ? LAUNCH_OPEN : last + NEAR);
}

static void find_windows(const struct explanation *x, struct windows *ret)
{
	*ret = (struct windows){0};
	for (size_t i = 0; x->snapshot && x->has_seed && i < x->input.n; i++) {
		const struct input_part *now = &x->input.v[i], *was = input_find(&x->seed, now->kind, now->name);
		if ((now->kind == INPUT_STDIN || now->kind == INPUT_FILE) && was && was->data.len > REPLAYER_LARGE)
			add_window(ret, now, &was->data);
	}
}

void explain_runs(struct explanation *x, struct replayer *replayer)
{
	struct windows windows;
	struct buf now_bytes = {0}, was_bytes = {0};
	struct trace now, was;
	struct err err;
	mem_free(x->why_not);
	x->why_not = NULL;
	find_windows(x, &windows);
	if (!x->has_input) {
		x->why_not = mem_strdup("its input is not in the campaign any more");
	} else if (read_trace(replayer, x, &x->input, &windows, &now_bytes, &now, &err) < 0) {
		x->why_not = mem_strdup(err.text);
	} else {
		bool has_seed = x->has_seed && read_trace(replayer, x, &x->seed, &windows, &was_bytes, &was, &err) == 0;
		insight_take(x, &now, has_seed ? &was : NULL);
		mem_free(x->sentence); // which knows the floats in it now
		x->sentence = explain_sentence(x);
	}
	windows_release(&windows);
	buf_release(&now_bytes);
	buf_release(&was_bytes);
}

void explanation_release(struct explanation *x)
{
	stored_finding_release(&x->finding);
	for (size_t i = 0; i < x->n_parts; i++) {
		mem_free(x->parts[i].name);
		mem_free(x->parts[i].marks);
		mem_free(x->parts[i].floats);
	}
	for (size_t i = 0; i < x->n_values; i++) {
		mem_free(x->values[i].name);
		mem_free(x->values[i].now);
		mem_free(x->values[i].was);
	}
	for (size_t i = 0; i < x->n_steps; i++) {
		mem_free(x->steps[i].file);
		mem_free(x->steps[i].function);
		mem_free(x->steps[i].condition);
		mem_free(x->steps[i].now);
	}
	for (size_t i = 0; i < x->n_operands; i++) {
		mem_free(x->operands[i].what);
		mem_free(x->operands[i].expression);
		mem_free(x->operands[i].now);
		mem_free(x->operands[i].was);
	}
	input_release(&x->input);
	input_release(&x->seed);
	input_release(&x->unchanged);
	strv_release(&x->also);
	possible_release(&x->possible);
	mem_free(x->id);
	mem_free(x->sentence);
	mem_free(x->why_not);
	mem_free(x->condition);
	mem_free(x->object);
	mem_free(x->depends);
	mem_free(x->verdict);
	mem_free(x->operands);
	mem_free(x->parts);
	mem_free(x->values);
	mem_free(x->steps);
	*x = (struct explanation){0};
}
