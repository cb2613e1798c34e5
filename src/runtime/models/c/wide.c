// Searching in wide strings for more than a character, and numbers from wide strings.
#include <errno.h>
#include <limits.h>
#include <wchar.h>

#include "runtime/models/c/model_c.h"

size_t veer_model_wcslen(const wchar_t *s);
wchar_t *veer_model_wcschr(const wchar_t *s, wchar_t wc);
int veer_model_wcsncmp(const wchar_t *a, const wchar_t *b, size_t n);
int veer_model_iswspace(wint_t wc);

void veer_make_concrete(void *data, size_t size);

static bool is_symbolic(const wchar_t *s)
{
	return veer_is_symbolic(s, (wcslen(s) + 1) * sizeof *s);
}

// --- searching -------------------------------------------------------------------------------------

// Characters at the start of s that are in the set (or are not).
static size_t span(const wchar_t *s, const wchar_t *set, bool in)
{
	size_t n = 0;
	while (s[n] && (veer_model_wcschr(set, s[n]) != NULL) == in)
		n++;
	return n;
}

MODEL(size_t, wcsspn, const wchar_t *s, const wchar_t *set)
{
	if (!is_symbolic(s) && !is_symbolic(set))
		return wcsspn(s, set);
	return span(s, set, true);
}

MODEL(size_t, wcscspn, const wchar_t *s, const wchar_t *set)
{
	if (!is_symbolic(s) && !is_symbolic(set))
		return wcscspn(s, set);
	return span(s, set, false);
}

MODEL(wchar_t *, wcspbrk, const wchar_t *s, const wchar_t *set)
{
	if (!is_symbolic(s) && !is_symbolic(set))
		return wcspbrk(s, set);
	const wchar_t *p = s + span(s, set, false);
	return *p ? (wchar_t *)p : NULL;
}

MODEL(wchar_t *, wcsstr, const wchar_t *s, const wchar_t *part)
{
	if (!is_symbolic(s) && !is_symbolic(part))
		return wcsstr(s, part);
	size_t n = model_concretise(veer_model_wcslen(part));
	for (;; s++) {
		if (veer_model_wcsncmp(s, part, n) == 0)
			return (wchar_t *)s;
		if (!*s)
			return NULL;
	}
}

MODEL(wchar_t *, wcstok, wchar_t *s, const wchar_t *set, wchar_t **rest)
{
	wchar_t *from = s ? s : *rest;
	if (!from || (!is_symbolic(from) && !is_symbolic(set))) {
		wchar_t *r = wcstok(s, set, rest);
		veer_make_concrete(rest, sizeof *rest);
		return r;
	}
	from += span(from, set, true);
	*rest = NULL;
	if (!*from)
		return NULL;
	wchar_t *end = from + span(from, set, false);
	if (*end) {
		*end = 0;
		*rest = end + 1;
	}
	return from;
}

// --- numbers ----------------------------------------------------------------------------------------

// The value of a digit; 99 when it is none. Letters are those of ASCII, spaces those of the
// locale.
static unsigned digit(wchar_t c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)c - '0';
	if (c >= 'a' && c <= 'z')
		return (unsigned)c - 'a' + 10;
	return c >= 'A' && c <= 'Z' ? (unsigned)c - 'A' + 10 : 99;
}

static bool is_space(wchar_t c)
{
	if (c >= 0 && c < 0x80)
		return c == ' ' || (c >= '\t' && c <= '\r');
	return veer_model_iswspace((wint_t)c);
}

struct number {
	bool negative, over;
	unsigned long value;
	const wchar_t *end; // NULL: there is none
};

// Stops counting when it is more than `most`.
static struct number parse(const wchar_t *s, int base, unsigned long most_up, unsigned long most_down)
{
	struct number n = {0};
	while (is_space(*s))
		s++;
	n.negative = *s == '-';
	if (*s == '-' || *s == '+')
		s++;
	if ((base == 0 || base == 16) && *s == '0' && (s[1] == 'x' || s[1] == 'X') && digit(s[2]) < 16) {
		s += 2;
		base = 16;
	} else if (base == 0) {
		base = *s == '0' ? 8 : 10;
	}
	unsigned long most = n.negative ? most_down : most_up;
	for (unsigned d; (d = digit(*s)) < (unsigned)base; n.end = ++s) {
		if (n.over || n.value > (most - d) / (unsigned)base)
			n.over = true;
		else
			n.value = n.value * (unsigned)base + d;
	}
	if (n.over)
		n.value = most;
	return n;
}

static unsigned long convert(const wchar_t *s, wchar_t **end, int base, unsigned long most_up, unsigned long most_down)
{
	struct number n = parse(s, (int)model_concretise((uint64_t)base), most_up, most_down);
	if (end)
		*end = (wchar_t *)(n.end ? n.end : s);
	if (!n.end)
		return 0;
	if (n.over) {
		errno = ERANGE;
		return n.negative && most_up != most_down ? 0 - most_down : most_up;
	}
	return n.negative ? 0 - n.value : n.value;
}

static bool is_base(int base)
{
	return base == 0 || (base >= 2 && base <= 36);
}

// Nothing to carry across: libc does it. What it writes has no label.
static bool is_plain(const wchar_t *s, wchar_t **end, int base)
{
	bool plain = !is_base(base) || (!is_symbolic(s) && !IS_SYMBOLIC(base));
	if (plain && end)
		veer_make_concrete(end, sizeof *end);
	return plain;
}

MODEL(long, wcstol, const wchar_t *s, wchar_t **end, int base)
{
	if (is_plain(s, end, base))
		return wcstol(s, end, base);
	return (long)convert(s, end, base, LONG_MAX, (unsigned long)LONG_MAX + 1);
}

MODEL(unsigned long, wcstoul, const wchar_t *s, wchar_t **end, int base)
{
	if (is_plain(s, end, base))
		return wcstoul(s, end, base);
	return convert(s, end, base, ULONG_MAX, ULONG_MAX);
}
