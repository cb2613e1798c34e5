#include "coverage/words.h"

#include <string.h>

#include "abi/words.h"
#include "base/mem.h"
#include "coverage/units.h"
#include "object/elf.h"

enum { MOST = 8192 }; // of a program: what is common comes first, and the rest is left out

static bool add_unit(struct strv *words, const struct cover_sites *head, struct cursor in)
{
	for (uint32_t i = 0; i < head->count; i++) {
		char *word = cursor_text(&in);
		if (word && *word && strlen(word) <= WORDS_LONGEST && words->n < MOST)
			strv_push_once(words, word);
		mem_free(word);
		if (in.bad)
			return false;
	}
	return true;
}

int words_add_section(struct strv *words, const void *data, size_t size, struct err *err)
{
	struct cursor in = {data, (const uint8_t *)data + size, false};
	while (in.p < in.end) {
		struct cover_sites head;
		struct cursor rest;
		if (!units_take(&in, WORDS_MAGIC, &head, &rest) || head.count > WORDS_MOST ||
		    !add_unit(words, &head, rest))
			return err_set(err, "its table of words (" WORDS_SECTION ") is damaged");
	}
	return 0;
}

static int add_section(void *opaque, const void *data, size_t size, struct err *err)
{
	return words_add_section(opaque, data, size, err);
}

int words_add(struct strv *words, const char *path, struct err *err)
{
	return elf_each(path, WORDS_SECTION, add_section, words, err);
}
