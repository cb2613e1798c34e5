#include "search/learn.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/random.h"
#include "base/vec.h"

void knowledge_release(struct knowledge *k)
{
	for (uint32_t i = 0; i < k->n; i++)
		mem_free(k->v[i].covered);
	mem_free(k->v);
	*k = (struct knowledge){0};
}

double knowledge_uniform(struct knowledge *k)
{
	return (double)(random_next(&k->random) >> 11) * 0x1p-53;
}

double knowledge_normal(struct knowledge *k, double mean, double deviation)
{
	enum { TRIES = 1000 };
	for (int i = 0; i < TRIES; i++) {
		double radius = sqrt(-2 * log(1 - knowledge_uniform(k)));
		double v = mean + deviation * radius * cos(2 * 3.14159265358979323846 * knowledge_uniform(k));
		if (fabs(v) <= LEARN_RANGE)
			return v;
	}
	return mean;
}

uint32_t knowledge_add(struct knowledge *k, const double *weights, uint32_t parent, const uint8_t *covered)
{
	vec_room(k->v, k->n + 1, k->max);
	struct learned *l = &k->v[k->n++];
	*l = (struct learned){.id = k->next_id++, .parent = parent};
	memcpy(l->weights, weights, sizeof l->weights);
	l->covered = (uint8_t *)mem_copy(covered, k->size);
	return l->id;
}

// --- select ---------------------------------------------------------------------------------------

// How many there are in `bits` that are not in `without`.
static uint32_t count(const struct knowledge *k, const uint8_t *bits, const uint8_t *without)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < k->size; i++)
		n += (uint32_t)__builtin_popcount(bits[i] & (without ? ~without[i] & 0xff : 0xff));
	return n;
}

static void add_bits(const struct knowledge *k, uint8_t *to, const uint8_t *bits)
{
	for (uint32_t i = 0; i < k->size; i++)
		to[i] |= bits[i];
}

uint32_t knowledge_reached(const struct knowledge *k)
{
	uint8_t *all = mem_zero(k->size + 1);
	for (uint32_t i = 0; i < k->n; i++)
		add_bits(k, all, k->v[i].covered);
	uint32_t n = count(k, all, NULL);
	mem_free(all);
	return n;
}

static bool is_among(const uint32_t *v, uint32_t n, uint32_t what)
{
	uint32_t i = 0;
	while (i < n && v[i] != what)
		i++;
	return i < n;
}

uint32_t knowledge_select(const struct knowledge *k, bool best, uint32_t n, uint32_t *ret)
{
	uint8_t *covered = mem_zero(k->size + 1);
	uint32_t chosen = 0;
	for (; chosen < n; chosen++) {
		uint32_t which = UINT32_MAX;
		double key = 0;
		for (uint32_t i = 0; i < k->n; i++) {
			if (k->v[i].dead || is_among(ret, chosen, i))
				continue;
			double v = 0.95 * count(k, k->v[i].covered, covered) + 0.05 * count(k, k->v[i].covered, NULL);
			if (which == UINT32_MAX || (best ? v > key : v < key)) {
				which = i;
				key = v;
			}
		}
		if (which == UINT32_MAX)
			break;
		ret[chosen] = which;
		add_bits(k, covered, k->v[which].covered);
	}
	mem_free(covered);
	return chosen;
}

// --- switch ---------------------------------------------------------------------------------------

static void distribution(const struct knowledge *k, unsigned weight, const uint32_t *which, uint32_t n,
                         double *ret_mean, double *ret_deviation)
{
	double sum = 0, squares = 0;
	for (uint32_t i = 0; i < n; i++)
		sum += k->v[which[i]].weights[weight];
	*ret_mean = n ? sum / n : 0;
	for (uint32_t i = 0; i < n; i++) {
		double d = k->v[which[i]].weights[weight] - *ret_mean;
		squares += d * d;
	}
	*ret_deviation = n > 1 ? sqrt(squares / n) : 1;
}

bool knowledge_is_alike(const struct knowledge *k, unsigned weight, const uint32_t *best, uint32_t n_best,
                        const uint32_t *worst, uint32_t n_worst)
{
	double good, good_deviation, bad, bad_deviation;
	distribution(k, weight, best, n_best, &good, &good_deviation);
	distribution(k, weight, worst, n_worst, &bad, &bad_deviation);
	return fabs(good - bad) + fabs(good_deviation - bad_deviation) <= 1;
}

void knowledge_sample(struct knowledge *k, double *ret)
{
	for (int i = 0; i < FEATURES; i++)
		ret[i] = LEARN_RANGE * (2 * knowledge_uniform(k) - 1);
}

// Samples around `mean` without as many of them as there are near each sample of the bad ones; one of what is left.
static double sample_unlike(struct knowledge *k, double mean, double bad, double bad_deviation)
{
	enum { SAMPLES = 100, BINS = 2 * LEARN_RANGE + 2 };
	double v[SAMPLES];
	int bins[BINS] = {0}, n = 0;
	for (int i = 0; i < SAMPLES; i++)
		bins[(int)floor(knowledge_normal(k, bad, bad_deviation)) + LEARN_RANGE]++;
	for (int i = 0; i < SAMPLES; i++) {
		double sample = knowledge_normal(k, mean, 1);
		int *near = &bins[(int)floor(sample) + LEARN_RANGE];
		if (*near > 0)
			--*near;
		else
			v[n++] = sample;
	}
	return n ? v[(int)(knowledge_uniform(k) * n)] : knowledge_normal(k, mean, 1);
}

void knowledge_offspring(struct knowledge *k, uint32_t parent, const uint32_t *best, uint32_t n_best,
                         const uint32_t *worst, uint32_t n_worst, double *ret)
{
	for (unsigned i = 0; i < FEATURES; i++) {
		double bad, deviation;
		ret[i] = 0;
		if (knowledge_is_alike(k, i, best, n_best, worst, n_worst))
			continue;
		distribution(k, i, worst, n_worst, &bad, &deviation);
		ret[i] = sample_unlike(k, k->v[parent].weights[i], bad, deviation);
	}
}

// --- refine ---------------------------------------------------------------------------------------

void knowledge_refine(struct knowledge *k, uint32_t first)
{
	uint8_t *before = mem_zero(k->size + 1);
	for (uint32_t i = 0; i < first; i++)
		add_bits(k, before, k->v[i].covered);
	for (uint32_t i = 0; i < first; i++) {
		bool has = false, useful = false;
		for (uint32_t c = first; c < k->n; c++)
			if (k->v[c].parent == k->v[i].id) {
				has = true;
				useful |= count(k, k->v[c].covered, before) > 0;
			}
		k->v[i].dead |= has && !useful;
	}
	mem_free(before);
}
