// veer clean: empty the cache, or bring it below a size.
#include <stdio.h>

#include "cli/options.h"
#include "variants/cache.h"

struct clean_options {
	bool trim;
};

static const struct option_spec options[] = {
	{"trim", 0, OPTION_FLAG, offsetof(struct clean_options, trim), NULL,
         "remove only what exceeds the limit (VEER_CACHE_SIZE, default 10G), least recently used first"},
};

static int run(int argc, char **argv)
{
	struct clean_options o = {0};
	struct err err;
	int first = options_parse(&command_clean, argc, argv, &o, &err);
	if (first == -2)
		return 0;
	if (first < 0)
		return cli_usage_error(&command_clean, err.text);
	if (first < argc)
		return cli_usage_error(&command_clean, "unexpected argument");
	struct cache cache;
	if (cache_open(&cache, &err) < 0)
		return cli_fail(err.text);
	int64_t removed = cache_trim(&cache, o.trim ? cache_limit() : 0, true, &err);
	int result = 0;
	if (removed < 0)
		result = cli_fail(err.text);
	else
		cli_line(stdout, "%.1f MiB removed from %s, %.1f MiB left", (double)removed / (1 << 20), cache.root,
		         (double)cache_size(&cache) / (1 << 20));
	cache_close(&cache);
	return result;
}

const struct command command_clean = {
	.name = "clean",
	.usage = "[OPTION...]",
	.summary = "remove cached variants; they are built again when needed",
	.details = "Waits until no other veer is using the cache.\n",
	.options = options,
	.n_options = OPTIONS_COUNT(options),
	.run = run,
};
