// A campaign from the shell: store_tool write DIR INPUTS (until a write fails) | verify DIR | some DIR NAME PROGRAM
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/store.h"
#include "store_writer.h"

static int write_until_full(const char *folder, int inputs)
{
	struct err err = {""};
	int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
	store_writer_run(folder, inputs, nowhere, &err);
	fprintf(stderr, "%s\n", err.text);
	return 1;
}

static int verify(const char *folder)
{
	struct err err = {""};
	struct store_writer_sum sum;
	if (store_writer_verify(folder, &sum, &err) < 0) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	printf("%lld\n", (long long)sum.inputs);
	return 0;
}

// A small campaign whose inputs and finding are called after NAME.
static int some(const char *folder, const char *name, const char *program)
{
	struct err err = {""};
	struct store *s = store_open(folder, true, &err);
	struct stored_input seed = {.data = {"seed", 4, 0}},
			    own = {.parent = 1, .data = {(char *)name, strlen(name), 0}};
	struct stored_finding f = {.kind = "abort",
	                           .level = LEVEL_ERROR,
	                           .program = "p",
	                           .function = (char *)name,
	                           .input = 2,
	                           .seed = 1,
	                           .changed = 1,
	                           .care = 1,
	                           .key = (uint64_t)(unsigned char)*name};
	if (!s || store_begin(s, &err) < 0 || store_set(s, "program", program, strlen(program), &err) < 0 ||
	    store_add_input(s, &seed, NULL, &err) < 0 || store_add_input(s, &own, NULL, &err) < 0 ||
	    store_add_finding(s, &f, NULL, &err) < 0 || store_count(s, "runs", 10, &err) < 0 ||
	    store_commit(s, &err) < 0)
		fprintf(stderr, "%s\n", err.text);
	store_close(s);
	return err.text[0] != 0;
}

int main(int argc, char **argv)
{
	if (argc == 4 && strcmp(argv[1], "write") == 0)
		return write_until_full(argv[2], atoi(argv[3]));
	if (argc == 3 && strcmp(argv[1], "verify") == 0)
		return verify(argv[2]);
	if (argc == 5 && strcmp(argv[1], "some") == 0)
		return some(argv[2], argv[3], argv[4]);
	return 2;
}
