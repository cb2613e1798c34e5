#include "model.h"

uint64_t model_mix(uint64_t v)
{
	v += 0x9e3779b97f4a7c15u;
	v = (v ^ (v >> 30)) * 0xbf58476d1ce4e5b9u;
	v = (v ^ (v >> 27)) * 0x94d049bb133111ebu;
	return v ^ (v >> 31);
}

uint32_t model_draw(uint64_t *state, uint32_t n)
{
	return (uint32_t)(model_mix((*state)++) % n);
}

struct op model_draw_op(uint64_t *state)
{
	static const uint32_t range[] = {CONTENTS, CONTENTS, KEYS, KEYS, KEYS, PATHS, UNITS, NAMES, NAMES};
	enum op_kind kind = (enum op_kind)model_draw(state, OPS);
	return (struct op){kind, model_draw(state, range[kind]), model_draw(state, 1000)};
}

const char *const model_names[NAMES] = {"runs", "sym", "queries"};

void model_apply(struct model *m, const struct op *o)
{
	static const int worth[] = {[FLIP_NONE] = 0, [FLIP_UNKNOWN] = 1, [FLIP_UNSAT] = 2, [FLIP_SAT] = 2};
	switch (o->kind) {
	case OP_INPUT:
		if (!m->inputs[o->what].id) {
			m->inputs[o->what].id = ++m->n_inputs;
			m->inputs[o->what].parent = o->more % m->n_inputs;
		}
		break;
	case OP_DONE:
		m->inputs[o->what].state |= m->inputs[o->what].id != 0;
		m->inputs[o->what].in_corpus |= m->inputs[o->what].id && o->more % 2;
		break;
	case OP_FINDING:
		if (!m->findings[o->what].id)
			m->findings[o->what].id = ++m->n_findings;
		else if (!m->findings[o->what].gone)
			break;
		m->findings[o->what].distance = o->more;
		m->findings[o->what].gone = false;
		break;
	case OP_GONE: m->findings[o->what].gone |= m->findings[o->what].id != 0; break;
	case OP_NEARER:
		if (m->findings[o->what].id && m->findings[o->what].distance > o->more)
			m->findings[o->what].distance = o->more;
		break;
	case OP_FLIP:
		if (worth[o->more % 4] > worth[m->answers[o->what]])
			m->answers[o->what] = (int)(o->more % 4);
		break;
	case OP_COVER: m->cover[o->what][o->more % UNIT_BYTES] = 1; break;
	case OP_SET: m->settings[o->what] = o->more + 1; break;
	case OP_COUNT: m->counters[o->what] += o->more; break;
	case OPS: break;
	}
}

static int content_of(const struct model *m, int64_t id)
{
	int i = 0;
	while (m->inputs[i].id != id)
		i++;
	return i;
}

static void merge_inputs(struct model *m, const struct model *from)
{
	int64_t here[CONTENTS + 1] = {0};
	for (int64_t id = 1; id <= from->n_inputs; id++) {
		int i = content_of(from, id);
		if (!m->inputs[i].id) {
			m->inputs[i].id = ++m->n_inputs;
			m->inputs[i].parent = here[from->inputs[i].parent];
			m->inputs[i].in_corpus = from->inputs[i].in_corpus;
		}
		here[id] = m->inputs[i].id;
	}
}

void model_merge(struct model *m, const struct model *from, bool *merged)
{
	merge_inputs(m, from);
	for (int64_t id = 1; id <= from->n_findings; id++)
		for (int i = 0; i < KEYS; i++)
			if (from->findings[i].id == id && !from->findings[i].gone)
				model_apply(m, &(struct op){OP_FINDING, (uint32_t)i, from->findings[i].distance});
	for (int i = 0; i < PATHS; i++)
		model_apply(m, &(struct op){OP_FLIP, (uint32_t)i, (uint32_t)from->answers[i]});
	for (int i = 0; i < UNITS; i++)
		for (int k = 0; k < UNIT_BYTES; k++)
			m->cover[i][k] |= from->cover[i][k];
	for (int i = 0; i < NAMES && !*merged; i++)
		m->counters[i] += from->counters[i];
	*merged = true;
}

void model_print(const struct model *m, struct buf *out)
{
	for (int64_t id = 1; id <= m->n_inputs; id++)
		for (int i = 0; i < CONTENTS; i++)
			if (m->inputs[i].id == id)
				buf_printf(out, "input %d = content %d of %d, %d %d\n", (int)id, i,
				           (int)m->inputs[i].parent, m->inputs[i].state, m->inputs[i].in_corpus);
	for (int gone = 0; gone < 2; gone++)
		for (int64_t id = 1; id <= m->n_findings; id++)
			for (int i = 0; i < KEYS; i++)
				if (m->findings[i].id == id && m->findings[i].gone == gone)
					buf_printf(out, "F%d key %d distance %u gone %d\n", (int)id, i,
					           m->findings[i].distance, gone);
	for (int i = 0; i < PATHS; i++)
		if (m->answers[i])
			buf_printf(out, "flip %d: %d\n", i, m->answers[i]);
	for (int i = 0; i < UNITS; i++) {
		bool any = false;
		for (int k = 0; k < UNIT_BYTES; k++)
			any |= m->cover[i][k];
		for (int k = 0; any && k < UNIT_BYTES; k++)
			buf_printf(out, "%sunit %d %d", k ? ", " : "", i, m->cover[i][k]);
		buf_addstr(out, any ? "\n" : "");
	}
	for (int i = 0; i < NAMES; i++)
		buf_printf(out, "%s = %lld, %lld times\n", model_names[i], (long long)m->settings[i],
		           (long long)m->counters[i]);
}
