// For functions that write: `real` is what libc's function writes to, `mine` what the model does.
// The including file defines both, as arrays of one size.
static void same(void)
{
	SAME(real, mine, sizeof mine);
}

// The offset of a result in what was written to; -1 for NULL.
static long offset(const char *p, const char *start)
{
	return p ? p - start : -1;
}

#define PLACES(expected, got)                                                                                          \
	do {                                                                                                           \
		long x_ = offset(expected, real), y_ = offset(got, mine);                                              \
		SAME(&x_, &y_, sizeof y_);                                                                             \
		same();                                                                                                \
	} while (0)
