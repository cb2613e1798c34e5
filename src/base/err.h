// Errors that the user or the environment caused. Library code fills a
// `struct err` and returns a negative code; only `cli/` and the `main` files
// print, once, as `veer: <what> <where>: <why>; <what to do>`.
#ifndef VEER_BASE_ERR_H
#define VEER_BASE_ERR_H

struct err {
	char text[1024];
};

// Fills *err (when not NULL) and returns -1, so that callers can write
// `return err_set(err, ...)`.
int err_set(struct err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Like err_set, and appends ": " and the text of the current errno.
int err_errno(struct err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
