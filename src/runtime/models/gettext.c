// Messages for a number of things. Without a translation the number is 1 or it is not; which
// form a translation takes for a number is not modelled.
#include <libintl.h>

#include "runtime/models/model.h"

static label chosen(struct site *site, label l, unsigned long n, const char *one, const char *many, const char *got)
{
	if (!l || !rt_on)
		return 0;
	if (got != (n == 1 ? one : many) || rt_width(l) != 64) {
		rt_concrete(site, l, n, REASON_ARGUMENT);
		return 0;
	}
	struct sym is_one = sym_is(sym_of(l, 64, n), 1);
	return sym_choose(is_one, sym_constant(64, (uint64_t)one), sym_constant(64, (uint64_t)many)).l;
}

MODEL(char *, ngettext, const char *one, const char *many, unsigned long n)
{
	ENTER(ngettext, 3);
	char *r = ngettext(one, many, n);
	model_give((const void *)veer_model_ngettext, chosen(site, arg[2], n, one, many, r), (uint64_t)r, 64);
	return r;
}

MODEL(char *, dngettext, const char *domain, const char *one, const char *many, unsigned long n)
{
	ENTER(dngettext, 4);
	char *r = dngettext(domain, one, many, n);
	model_give((const void *)veer_model_dngettext, chosen(site, arg[3], n, one, many, r), (uint64_t)r, 64);
	return r;
}

MODEL(char *, dcngettext, const char *domain, const char *one, const char *many, unsigned long n, int category)
{
	ENTER(dcngettext, 5);
	char *r = dcngettext(domain, one, many, n, category);
	model_give((const void *)veer_model_dcngettext, chosen(site, arg[3], n, one, many, r), (uint64_t)r, 64);
	return r;
}
