// Inputs that enter functions, as unit tests.
#ifndef VEER_CLI_EXPORT_FRAGMENTS_H
#define VEER_CLI_EXPORT_FRAGMENTS_H

#include "export/fragment_c.h"
#include "session/replayer.h"

struct export_fragments {
	struct store *store;
	struct replayer *replayer;
	const char *program;
	const struct fragment_case *cases;
	size_t n;
	bool cmocka;
	unsigned jobs;
	enum sandbox_mode mode;
};

// Training runs, for a device.
struct export_training {
	struct store *store;
	const char *campaign, *program, *compiler;
	const struct fragment_case *cases;
	size_t n;
	enum sandbox_mode mode;
	const struct fragment_device *device;
};

int export_training(const struct export_training *e, const char *folder, struct fragment_written *ret, struct err *err);

// Writes the tests, and prints how many there are and what was left out. The folder is there.
int export_fragments(const struct export_fragments *e, const char *folder, struct err *err);

#endif
