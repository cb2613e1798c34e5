#include "cli/recording.h"
int cli_record(const char *folder, char **argv, bool quiet, uint64_t *ret_seeds, struct err *err)
{
	(void)folder;
	(void)argv;
	(void)quiet;
	(void)ret_seeds;
	return err_set(err, "not yet");
}
