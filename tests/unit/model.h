// What a campaign is to have after operations on its store: for tests of the store against this model.
#ifndef VEER_TESTS_UNIT_MODEL_H
#define VEER_TESTS_UNIT_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "store/store.h"

enum { CONTENTS = 40, KEYS = 12, PATHS = 50, UNITS = 4, UNIT_BYTES = 8, NAMES = 3, MOST_OPS = 6, MODEL_DONORS = 3 };

struct model {
	struct {
		int64_t id, parent;
		int state, in_corpus;
	} inputs[CONTENTS];
	int64_t n_inputs, n_findings;
	struct {
		int64_t id;
		uint32_t distance;
		bool gone;
	} findings[KEYS];
	int answers[PATHS];
	uint8_t cover[UNITS][UNIT_BYTES];
	int64_t settings[NAMES], counters[NAMES];
	bool merged[MODEL_DONORS]; // whose counters are here
};

enum op_kind { OP_INPUT, OP_DONE, OP_FINDING, OP_GONE, OP_NEARER, OP_FLIP, OP_COVER, OP_SET, OP_COUNT, OPS };

struct op {
	enum op_kind kind;
	uint32_t what, more;
};

extern const char *const model_names[NAMES]; // of settings and counters

// Numbers by chance, from a state that counts up.
uint64_t model_mix(uint64_t v);
uint32_t model_draw(uint64_t *state, uint32_t n); // below n

struct op model_draw_op(uint64_t *state);
void model_apply(struct model *m, const struct op *o);
// What merging a campaign does that is as `from`. *merged: whether it was merged before.
void model_merge(struct model *m, const struct model *from, bool *merged);
void model_print(const struct model *m, struct buf *out);

#endif
