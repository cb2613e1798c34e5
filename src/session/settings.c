#include "session/settings.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "sandbox/hidden.h"

static const struct {
	const char *name;
	int64_t otherwise;
} table[SETTINGS] = {
#define SETTING(id, name, otherwise, what) {name, otherwise},
#include "session/settings.def"
#undef SETTING
};

int setting_set(struct store *s, enum setting which, const void *value, size_t size, struct err *err)
{
	return store_set(s, table[which].name, value, size, err);
}

int setting_set_text(struct store *s, enum setting which, const char *text, struct err *err)
{
	return setting_set(s, which, text, strlen(text), err);
}

int setting_set_number(struct store *s, enum setting which, int64_t value, struct err *err)
{
	return store_set_number(s, table[which].name, value, err);
}

bool setting_get(struct store *s, enum setting which, struct buf *ret)
{
	return store_get(s, table[which].name, ret);
}

char *setting_text(struct store *s, enum setting which)
{
	struct buf value = {0};
	char *text = setting_get(s, which, &value) && value.len ? mem_copy(value.data, value.len) : NULL;
	buf_release(&value);
	return text;
}

int64_t setting_number(struct store *s, enum setting which)
{
	return store_get_number(s, table[which].name, table[which].otherwise);
}

enum use settings_use(struct store *s)
{
	int64_t use = setting_number(s, SETTING_use);
	return use > 0 && use < USES ? (enum use)use : USE_program;
}

int settings_store_hidden(struct store *s, struct err *err)
{
	const char *paths = getenv(HIDDEN_VARIABLE);
	return setting_set_text(s, SETTING_hide, paths ? paths : "", err);
}

void settings_hide(struct store *s)
{
	char *paths = setting_text(s, SETTING_hide);
	const char *now = getenv(HIDDEN_VARIABLE);
	if (paths) {
		char *all = mem_printf("%s%s%s", now ? now : "", now ? ":" : "", paths);
		setenv(HIDDEN_VARIABLE, all, 1);
		mem_free(all);
	}
	mem_free(paths);
}

char *settings_folder(struct store *s)
{
	char *folder = setting_text(s, SETTING_cwd);
	return path_existing(folder ? folder : path_cwd());
}
