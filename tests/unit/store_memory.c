// Another store: a campaign in memory, one at a time. It defines the functions of store/store.h that a campaign of the
// search driver calls. tests/unit/test_campaign.c runs with it as it does with SQLite; if src/store were needed beside
// it, functions would be defined twice, and the program would not link.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/vec.h"
#include "store/store.h"

struct named {
	char *name;
	struct buf value; // a setting's
	int64_t n;        // a counter's
};

struct flip_entry {
	uint64_t path;
	struct stored_flip flip; // answered, or FLIP_NONE
	bool used;
};
MAP(flips, struct flip_entry);
MAP_FUNCTIONS(flips, struct flips, uint64_t, .path, .used, map_hash_number, map_same_number)

struct unit {
	uint64_t name;
	struct buf bytes;
};

struct store {
	struct store *of; // the one that a reader reads; NULL: no reader
	VEC(struct named) settings, counters;
	VEC(struct stored_input) inputs; // by id, from 1 on
	VEC(struct stored_finding) findings;
	VEC(struct unit) units;
	struct flips flips;
	size_t committed; // findings
	bool begun;
	uint64_t limit;
};

static struct store *opened;

struct store *store_open(const char *folder, bool create, struct err *err)
{
	(void)folder, (void)create;
	if (opened) {
		err_set(err, "the campaign is open");
		return NULL;
	}
	return opened = mem_zero(sizeof *opened);
}

struct store *store_open_read(const char *folder, struct err *err)
{
	(void)folder;
	if (!opened) {
		err_set(err, "there is no campaign");
		return NULL;
	}
	struct store *s = mem_zero(sizeof *s);
	s->of = opened;
	return s;
}

static void release_names(struct named *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		mem_free(v[i].name);
		buf_release(&v[i].value);
	}
}

void store_close(struct store *s)
{
	release_names(s->settings.v, s->settings.n);
	release_names(s->counters.v, s->counters.n);
	for (size_t i = 0; i < s->inputs.n; i++)
		stored_input_release(&s->inputs.v[i]);
	for (size_t i = 0; i < s->findings.n; i++)
		stored_finding_release(&s->findings.v[i]);
	for (size_t i = 0; i < s->units.n; i++)
		buf_release(&s->units.v[i].bytes);
	vec_release(&s->settings);
	vec_release(&s->counters);
	vec_release(&s->inputs);
	vec_release(&s->findings);
	vec_release(&s->units);
	flips_release(&s->flips);
	opened = s == opened ? NULL : opened;
	mem_free(s);
}

void store_set_limit(struct store *s, uint64_t bytes)
{
	s->limit = bytes;
}

// --- transactions ---------------------------------------------------------------------------------

int store_begin(struct store *s, struct err *err)
{
	(void)err;
	assert(!s->begun);
	s->begun = true;
	return 0;
}

static bool is_of_finding(const struct store *s, int64_t input)
{
	for (size_t i = 0; i < s->findings.n; i++)
		if (s->findings.v[i].input == input)
			return true;
	return false;
}

static void evict(struct store *s)
{
	uint64_t size = 0;
	for (size_t i = 0; i < s->inputs.n; i++)
		size += s->inputs.v[i].data.len;
	for (size_t i = 0; i < s->inputs.n && s->limit && size > s->limit; i++) {
		struct stored_input *in = &s->inputs.v[i];
		if (in->state != INPUT_DONE || in->in_corpus || !in->parent || is_of_finding(s, in->id))
			continue;
		size -= in->data.len;
		buf_release(&in->data);
	}
}

int store_commit(struct store *s, struct err *err)
{
	(void)err;
	assert(s->begun);
	evict(s);
	s->begun = false;
	s->committed = s->findings.n;
	return 0;
}

// --- settings and counters ------------------------------------------------------------------------

static struct named *find_name(struct named *v, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(v[i].name, name) == 0)
			return &v[i];
	return NULL;
}

int store_set(struct store *s, const char *name, const void *value, size_t size, struct err *err)
{
	(void)err;
	struct named *x = find_name(s->settings.v, s->settings.n, name);
	if (!x) {
		x = vec_add(&s->settings);
		x->name = mem_strdup(name);
	}
	buf_clear(&x->value);
	buf_add(&x->value, value, size);
	return 0;
}

bool store_get(struct store *s, const char *name, struct buf *ret)
{
	const struct named *x = find_name(s->settings.v, s->settings.n, name);
	if (x)
		buf_add(ret, x->value.data, x->value.len);
	return x;
}

int store_set_number(struct store *s, const char *name, int64_t value, struct err *err)
{
	char text[32];
	return store_set(s, name, text, (size_t)snprintf(text, sizeof text, "%" PRId64, value), err);
}

int64_t store_get_number(struct store *s, const char *name, int64_t otherwise)
{
	const struct named *x = find_name(s->settings.v, s->settings.n, name);
	return x ? strtoll(x->value.data, NULL, 10) : otherwise;
}

int store_count(struct store *s, const char *name, int64_t more, struct err *err)
{
	(void)err;
	struct named *x = find_name(s->counters.v, s->counters.n, name);
	if (!x) {
		x = vec_add(&s->counters);
		x->name = mem_strdup(name);
	}
	x->n += more;
	return 0;
}

int64_t store_counter(struct store *s, const char *name)
{
	const struct named *x = find_name(s->counters.v, s->counters.n, name);
	return x ? x->n : 0;
}

// --- inputs ---------------------------------------------------------------------------------------

static struct stored_input *input_of(struct store *s, int64_t id)
{
	return id > 0 && (size_t)id <= s->inputs.n ? &s->inputs.v[id - 1] : NULL;
}

int store_add_input(struct store *s, struct stored_input *in, bool *ret_known, struct err *err)
{
	(void)err;
	bool known = false;
	for (size_t i = 0; i < s->inputs.n && !known; i++) {
		const struct stored_input *x = &s->inputs.v[i];
		known = x->snapshot == in->snapshot && x->data.len == in->data.len &&
		        memcmp(x->data.data, in->data.data, in->data.len) == 0;
		in->id = x->id;
	}
	if (!known) {
		struct stored_input *x = vec_add(&s->inputs);
		in->id = (int64_t)s->inputs.n;
		*x = *in;
		x->data = (struct buf){0};
		buf_add(&x->data, in->data.data, in->data.len);
	}
	if (ret_known)
		*ret_known = known;
	return 0;
}

int store_update_input(struct store *s, const struct stored_input *in, struct err *err)
{
	struct stored_input *x = input_of(s, in->id);
	if (!x)
		return err_set(err, "there is no input %lld", (long long)in->id);
	struct stored_input was = *x;
	*x = *in;
	x->data = was.data;
	x->hash = was.hash;
	x->snapshot = was.snapshot;
	x->in_corpus |= was.in_corpus;
	return 0;
}

int store_get_input(struct store *s, int64_t id, struct stored_input *ret, struct err *err)
{
	const struct stored_input *x = input_of(s, id);
	if (!x)
		return err_set(err, "there is no input %lld", (long long)id);
	*ret = *x;
	ret->data = (struct buf){0};
	buf_add(&ret->data, x->data.data, x->data.len);
	return 0;
}

int store_each_input(struct store *s, int (*each)(void *opaque, const struct stored_input *in), void *opaque,
                     struct err *err)
{
	(void)err;
	int r = 0;
	for (size_t i = 0; i < s->inputs.n && r == 0; i++)
		r = each(opaque, &s->inputs.v[i]);
	return r;
}

void stored_input_release(struct stored_input *in)
{
	buf_release(&in->data);
}

int store_get_snapshot(struct store *s, int64_t id, struct buf *ret, struct err *err)
{
	(void)s, (void)ret;
	return err_set(err, "there is no snapshot %lld", (long long)id);
}

// --- answers --------------------------------------------------------------------------------------

int store_add_flip(struct store *s, const struct stored_flip *f, struct err *err)
{
	(void)err;
	struct flip_entry *x = flips_put(&s->flips, f->path);
	bool has = x->used && (x->flip.answer == FLIP_SAT || x->flip.answer == FLIP_UNSAT);
	if (!has && (!x->used || f->answer != FLIP_NONE))
		x->flip = *f;
	x->used = true;
	return 0;
}

bool store_get_flip(struct store *s, uint64_t path, struct stored_flip *ret)
{
	const struct flip_entry *x = flips_get(&s->flips, path);
	if (x)
		*ret = x->flip;
	return x;
}

int store_each_flip(struct store *s, int (*each)(void *opaque, const struct stored_flip *f), void *opaque,
                    struct err *err)
{
	(void)err;
	const struct flip_entry *x;
	int r = 0;
	for (size_t at = 0; r == 0 && (x = flips_next(&s->flips, &at));)
		r = each(opaque, &x->flip);
	return r;
}

int store_add_cover(struct store *s, uint64_t unit, const uint8_t *bytes, size_t n, struct err *err)
{
	(void)err;
	struct unit *x = NULL;
	for (size_t i = 0; i < s->units.n; i++)
		x = s->units.v[i].name == unit ? &s->units.v[i] : x;
	if (!x) {
		x = vec_add(&s->units);
		x->name = unit;
	}
	for (size_t i = 0; i < n; i++) {
		if (i == x->bytes.len)
			buf_addch(&x->bytes, 0);
		x->bytes.data[i] |= (char)bytes[i];
	}
	return 0;
}

int store_each_cover(struct store *s, int (*each)(void *opaque, uint64_t unit, const uint8_t *bytes, size_t n),
                     void *opaque, struct err *err)
{
	(void)err;
	int r = 0;
	for (size_t i = 0; i < s->units.n && r == 0; i++)
		r = each(opaque, s->units.v[i].name, (const uint8_t *)s->units.v[i].bytes.data,
		         s->units.v[i].bytes.len);
	return r;
}

int store_add_progress(struct store *s, double seconds, int64_t runs, int64_t branches, int64_t lines, struct err *err)
{
	(void)s, (void)seconds, (void)runs, (void)branches, (void)lines, (void)err;
	return 0; // no test of this store shows it
}

// --- findings -------------------------------------------------------------------------------------

static struct stored_finding *finding_of(struct store *s, uint64_t key)
{
	for (size_t i = 0; i < s->findings.n; i++)
		if (s->findings.v[i].key == key)
			return &s->findings.v[i];
	return NULL;
}

int store_add_finding(struct store *s, struct stored_finding *f, bool *ret_known, struct err *err)
{
	(void)err;
	const struct stored_finding *known = finding_of(s, f->key);
	f->id = known ? known->id : (int64_t)s->findings.n + 1;
	if (ret_known)
		*ret_known = known;
	if (known)
		return 0;
	struct stored_finding *x = vec_add(&s->findings);
	*x = *f;
	char **texts[] = {&x->kind, &x->program, &x->file, &x->function, &x->stack, &x->report};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		*texts[i] = *texts[i] ? mem_strdup(*texts[i]) : NULL;
	s->committed += !s->begun;
	return 0;
}

int store_nearer_finding(struct store *s, uint64_t key, uint32_t distance, uint32_t depth, struct err *err)
{
	(void)err;
	struct stored_finding *x = finding_of(s, key);
	if (x && distance < x->distance) {
		x->distance = distance;
		x->depth = depth;
	}
	return 0;
}

int store_each_finding(struct store *s, int (*each)(void *opaque, const struct stored_finding *f), void *opaque,
                       struct err *err)
{
	(void)err;
	const struct store *from = s->of ? s->of : s;
	const size_t n = s->of ? from->committed : from->findings.n;
	int r = 0;
	for (size_t i = 0; i < n && r == 0; i++)
		r = each(opaque, &from->findings.v[i]);
	return r;
}

void stored_finding_release(struct stored_finding *f)
{
	mem_free(f->kind);
	mem_free(f->program);
	mem_free(f->file);
	mem_free(f->function);
	mem_free(f->stack);
	mem_free(f->report);
}
