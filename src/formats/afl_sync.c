#include "formats/afl_sync.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "formats/format.h"

enum { NAME_MAX_SYNC = 32, SEEN_MAX = 1 << 20, SETTLED_SECONDS = 2 };

// A file that was read: by the hash of its path. `state`: of size and time, when it may still change; 0: it is settled.
struct seen {
	uint64_t path, state;
};
MAP(seen_files, struct seen);
MAP_FUNCTIONS(seen, struct seen_files, uint64_t, .path, .path, map_hash_number, map_same_number)

struct afl_sync {
	char *folder, *name, *own; // own: folder/name
	uint32_t next[FOREIGN_HANG + 1];
	struct seen_files seen;
};

static const char *const folders[] = {"queue", "crashes", "hangs"};

// --- what was read --------------------------------------------------------------------------------

static uint64_t hash_of(const void *data, size_t size)
{
	uint64_t low = hash_bytes(data, size).low;
	return low ? low : 1;
}

// Is there something new at this path? If so it is noted.
static bool is_new(struct afl_sync *s, const char *path)
{
	struct stat st;
	uint64_t name = hash_of(path, strlen(path));
	const struct seen *known = seen_get(&s->seen, name);
	if (known && !known->state)
		return false;
	if (lstat(path, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size == 0 || st.st_size > FOREIGN_MAX)
		return false;
	const int64_t now[] = {st.st_size, st.st_mtim.tv_sec, st.st_mtim.tv_nsec};
	uint64_t state = hash_of(now, sizeof now);
	bool is = !known || known->state != state;
	if (!known && s->seen.n >= SEEN_MAX)
		return false;
	bool settled = time(NULL) - st.st_mtim.tv_sec > SETTLED_SECONDS;
	seen_put(&s->seen, name)->state = settled ? 0 : state;
	return is;
}

// --- reading --------------------------------------------------------------------------------------

static void read_queue(struct afl_sync *s, const char *queue, size_t most, struct foreigns *ret)
{
	struct strv names = {0};
	struct err err;
	if (format_list(queue, &names, &err) < 0)
		return;
	for (size_t i = 0; i < names.n && ret->n < most; i++) {
		char *path = mem_printf("%s/%s", queue, names.v[i]);
		struct foreign f = {.name = mem_strdup(path)};
		if (is_new(s, path) && format_content(path, false, &f.bytes, &err) == 0 && f.bytes.len)
			foreigns_take(ret, &f);
		foreign_release(&f);
		mem_free(path);
	}
	strv_release(&names);
}

void afl_sync_read(struct afl_sync *s, size_t most, struct foreigns *ret)
{
	struct strv names = {0};
	struct err err;
	if (format_list(s->folder, &names, &err) < 0)
		return;
	for (size_t i = 0; i < names.n; i++) {
		char *instance = mem_printf("%s/%s", s->folder, names.v[i]), *queue = mem_printf("%s/queue", instance);
		if (strcmp(names.v[i], s->name) != 0 && format_is_folder(instance) && format_is_folder(queue))
			read_queue(s, queue, most, ret);
		mem_free(queue);
		mem_free(instance);
	}
	strv_release(&names);
}

// --- writing --------------------------------------------------------------------------------------

int afl_sync_write(struct afl_sync *s, enum foreign_role role, const void *data, size_t size, double seconds,
                   uint64_t runs, struct err *err)
{
	if (!size)
		return 0; // AFL++ has no use for it
	// It becomes visible all at once: file_replace writes under another name, in a folder that nobody reads.
	char *name = mem_printf("id:%06u,time:%llu,execs:%llu,op:veer", s->next[role]++,
	                        (unsigned long long)(1000 * seconds), (unsigned long long)runs);
	char *path = mem_printf("%s/%s/%s", s->own, folders[role], name),
	     *temporary = mem_printf("%s/.cur_input", s->own);
	int r = file_replace(temporary, data, size, 0644, err);
	if (r == 0 && rename(temporary, path) < 0)
		r = err_errno(err, "cannot write %s", path);
	mem_free(temporary);
	mem_free(path);
	mem_free(name);
	return r;
}

// --- the folder -----------------------------------------------------------------------------------

static bool is_name(const char *name)
{
	size_t n = strlen(name);
	return n && n <= NAME_MAX_SYNC &&
	       strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-") == n;
}

static int prepare(struct afl_sync *s, enum foreign_role role, struct err *err)
{
	char *folder = mem_printf("%s/%s", s->own, folders[role]);
	struct strv names = {0};
	int r = file_mkdirs(folder, 0755, err);
	if (r == 0)
		r = format_list(folder, &names, err);
	for (size_t i = 0; i < names.n; i++) {
		unsigned long id = strncmp(names.v[i], "id:", 3) == 0 ? strtoul(names.v[i] + 3, NULL, 10) : 0;
		if (strncmp(names.v[i], "id:", 3) == 0 && id < UINT32_MAX && id >= s->next[role])
			s->next[role] = (uint32_t)id + 1;
	}
	strv_release(&names);
	mem_free(folder);
	return r;
}

struct afl_sync *afl_sync_new(const char *folder, const char *name, struct err *err)
{
	if (!is_name(name)) {
		err_set(err, "an instance of AFL++ cannot be called '%.40s': up to 32 letters, digits, _ and -", name);
		return NULL;
	}
	struct afl_sync *s = mem_zero(sizeof *s);
	*s = (struct afl_sync){.folder = mem_strdup(folder), .name = mem_strdup(name)};
	s->own = mem_printf("%s/%s", folder, name);
	for (int role = FOREIGN_KEPT; role <= FOREIGN_HANG; role++)
		if (prepare(s, (enum foreign_role)role, err) < 0) {
			afl_sync_free(s);
			return NULL;
		}
	return s;
}

void afl_sync_free(struct afl_sync *s)
{
	if (!s)
		return;
	mem_free(s->folder);
	mem_free(s->name);
	mem_free(s->own);
	seen_release(&s->seen);
	mem_free(s);
}
