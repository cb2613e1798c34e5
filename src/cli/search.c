#include "cli/search.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

// "NAME=" at the start of a word: the number behind it.
static bool number(const char *word, const char *name, double most, double *ret)
{
	size_t n = strlen(name);
	char *end;
	if (strncmp(word, name, n) != 0 || !word[n])
		return false;
	*ret = strtod(word + n, &end);
	return !*end && *ret >= 0 && *ret <= most;
}

static bool tune(struct tuning *t, const char *word)
{
	double v;
	if (strcmp(word, "paper") == 0) {
		t->runs = 4000;
		t->pool = 100;
		t->frontier = 0;
	} else if (strcmp(word, "sample") == 0) {
		t->sample = true;
	} else if (number(word, "runs=", 1e9, &v) && v >= 1) {
		t->runs = (uint32_t)v;
	} else if (number(word, "pool=", 10000, &v) && v >= 2) {
		t->pool = (uint32_t)v;
	} else if (number(word, "offspring=", 1000, &v) && v >= 1) {
		t->offspring = (uint32_t)v;
	} else if (number(word, "top=", 50, &v) && v > 0) {
		t->top = v / 100;
	} else if (number(word, "exploit=", 100, &v)) {
		t->exploit = v / 100;
	} else if (number(word, "frontier=", 100, &v)) {
		t->frontier = v / 100;
	} else {
		return false;
	}
	return true;
}

static int read_tuning(const char *text, struct tuning *ret, struct err *err)
{
	char *words = mem_strdup(text), *rest = words;
	int r = 0;
	for (char *word; r == 0 && (word = strsep(&rest, ","));)
		if (!tune(ret, word))
			r = err_set(err,
			            "--tune %s: it is paper, sample, runs=N, pool=N, offspring=N, top=PERCENT, "
			            "exploit=PERCENT or frontier=PERCENT",
			            word);
	mem_free(words);
	return r;
}

int search_read(const struct search_options *o, struct search *ret, struct err *err)
{
	*ret = (struct search){.tuning = {.exploit = -1, .frontier = -1, .learn = o->learn != NULL}};
	if (!strategy_find(o->search, &ret->kind))
		return err_set(err, "--search: there is no such strategy; there are %s", strategy_words());
	if (o->tune && read_tuning(o->tune, &ret->tuning, err) < 0)
		return -1;
	if (o->weights && weights_read(o->weights, ret->weights, err) < 0)
		return -1;
	ret->has_weights = o->weights != NULL;
	bool param = ret->kind == STRATEGY_param;
	if (param && !o->weights && !o->learn)
		return err_set(err, "--search param wants --weights FILE, or --learn FILE to look for them");
	if (o->learn && !param && ret->kind != STRATEGY_chameleon)
		return err_set(err, "--learn is for --search param and chameleon");
	return 0;
}
