// JSON that somebody else wrote, as a tree. Bounded: JSON_DEPTH levels; the text may be damaged or hostile.
#ifndef VEER_SIGNAL_JSON_H
#define VEER_SIGNAL_JSON_H

#include <stddef.h>
#include <stdint.h>

enum { JSON_DEPTH = 32 };

enum json_kind { JSON_NULL, JSON_FALSE, JSON_TRUE, JSON_NUMBER, JSON_TEXT, JSON_ARRAY, JSON_OBJECT };

struct json {
	enum json_kind kind;
	char *key; // of a member
	char *text;
	double number;
	struct json *first, *next; // members and elements
};

// NULL: it is no JSON; *line is where. The caller frees it.
struct json *json_parse(const char *text, size_t n, unsigned *line);
void json_free(struct json *j);

// NULL: there is no such member, or `j` is NULL or no object.
const struct json *json_member(const struct json *j, const char *key);
const char *json_text(const struct json *j, const char *key);              // NULL: it is no text
double json_number(const struct json *j, const char *key, double missing); // `missing`: it is no number

#endif
