// Settings of a campaign: what of the command line is stored with it, for later sessions and for whoever runs its
// inputs again, and what the last session came to. settings.def has them all.
#ifndef VEER_SESSION_SETTINGS_H
#define VEER_SESSION_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "session/tools.h"
#include "store/store.h"

enum setting {
#define SETTING(id, name, otherwise, what) SETTING_##id,
#include "session/settings.def"
#undef SETTING
	SETTINGS
};

int setting_set(struct store *s, enum setting which, const void *value, size_t size, struct err *err);
int setting_set_text(struct store *s, enum setting which, const char *text, struct err *err);
int setting_set_number(struct store *s, enum setting which, int64_t value, struct err *err);

bool setting_get(struct store *s, enum setting which, struct buf *ret); // false: it is not set; *ret is added to
char *setting_text(struct store *s, enum setting which);                // NULL: not set, or empty; the caller frees
int64_t setting_number(struct store *s, enum setting which);            // not set: as the table says

// What the campaign explores (session/tools.h).
enum use settings_use(struct store *s);

// Stores what this process hides from its runs (sandbox/hidden.h); hides the same again, besides what is hidden
// already.
int settings_store_hidden(struct store *s, struct err *err);
void settings_hide(struct store *s);

// The folder that runs without a snapshot start in, or the innermost folder around it that exists. The caller frees.
char *settings_folder(struct store *s);

#endif
