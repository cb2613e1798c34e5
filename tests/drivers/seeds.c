// Of tests/e2e/record.sh: what was recorded, as text. `test-seeds DIR`: of the store; `test-seeds -r DIR`: of files
// that were not imported.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "base/file.h"
#include "base/mem.h"
#include "record/record.h"
#include "store/store.h"

static const char *const kinds[] = {"file", "folder", "link", "pipe", "absent"};
static const char *const streams[] = {"ordinary", "closed", "full", "null"};

static void print_bytes(const char *data, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (data[i] >= ' ' && data[i] != '\\' && data[i] < 127)
			putchar(data[i]);
		else
			printf(data[i] == '\n' ? "\\n" : "\\%03o", (unsigned char)data[i]);
}

static void print_entry(const struct snapshot_entry *e)
{
	char hex[HASH_HEX];
	hash_hex(e->content, hex);
	printf("  %s %s", kinds[e->kind], e->path);
	if (e->kind != SNAPSHOT_ABSENT)
		printf(" %04o", (unsigned)e->mode);
	if (e->kind == SNAPSHOT_LINK)
		printf(" -> %s", e->text);
	if (e->kind == SNAPSHOT_FILE)
		printf(" %" PRIu64 " %s", e->size, e->known ? hex : "unknown");
	if (e->kind == SNAPSHOT_FOLDER && e->known)
		printf(" listed");
	putchar('\n');
}

static void print_input(const struct input *in)
{
	static const char *const parts[] = {"argument", "variable", "stdin", "file", "objects"};
	for (size_t i = 0; i < in->n; i++) {
		printf("  %s %s[", parts[in->v[i].kind], in->v[i].name ? in->v[i].name : "");
		print_bytes(in->v[i].data.data, in->v[i].data.len);
		puts("]");
	}
}

static void print_snapshot(const struct snapshot *s)
{
	char hex[HASH_HEX];
	hash_hex(s->output, hex);
	printf("seed %s\n  cwd %s\n  umask %03o\n", path_basename(s->program), s->cwd, (unsigned)s->umask);
	printf("  streams %s %s %s\n", streams[s->streams[0]], streams[s->streams[1]], streams[s->streams[2]]);
	if (WIFEXITED(s->status))
		printf("  exit %d\n", WEXITSTATUS(s->status));
	else
		printf("  signal %d\n", WTERMSIG(s->status));
	printf("  output %" PRIu64 " %s\n", s->output_size, s->output_known ? hex : "unknown");
	for (size_t i = 0; i < s->n_variables; i++)
		printf("  environment %s\n", s->variables[i]);
	for (size_t i = 0; i < s->n; i++)
		print_entry(&s->v[i]);
	if (s->why)
		printf("  why %s\n", s->why);
}

static int each(void *opaque, struct snapshot *snapshot, struct input *in)
{
	print_snapshot(snapshot);
	print_input(in);
	return 0;
}

struct wanted {
	int64_t snapshot;
};

static int each_input(void *opaque, const struct stored_input *x)
{
	const struct wanted *w = opaque;
	struct input in;
	if (x->snapshot == w->snapshot && !x->parent && input_decode(&in, x->data.data, x->data.len, NULL) == 0) {
		print_input(&in);
		input_release(&in);
	}
	return 0;
}

static int each_snapshot(void *opaque, const struct stored_snapshot *c)
{
	struct snapshot snapshot;
	struct wanted w = {c->id};
	struct err err;
	if (!c->present)
		return 0;
	if (snapshot_decode(&snapshot, c->data.data, c->data.len, &err) < 0)
		return -1;
	print_snapshot(&snapshot);
	printf("  times %u\n", c->times);
	snapshot_release(&snapshot);
	return store_each_input(opaque, each_input, &w, &err);
}

int main(int argc, char **argv)
{
	struct err err = {""};
	size_t damaged = 0;
	int r = -1;
	if (argc == 3 && strcmp(argv[1], "-r") == 0) {
		r = record_each(argv[2], each, NULL, &damaged, &err);
	} else if (argc == 2) {
		struct store *s = store_open_read(argv[1], &err);
		r = s ? store_each_snapshot(s, each_snapshot, s, &err) : -1;
		if (s)
			store_close(s);
	}
	if (r < 0)
		fprintf(stderr, "test-seeds: %s\n", err.text);
	return r < 0 || damaged ? 1 : 0;
}
