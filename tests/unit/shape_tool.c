// Prints shapes: of a file with a section, or of a bare block as `veer-instrument --shapes` writes it.
#include <stdio.h>

#include "base/file.h"
#include "object/elf.h"
#include "shape/shape.h"

int main(int argc, char **argv)
{
	struct shape_program p = {0};
	struct buf bytes = {0}, text = {0};
	struct err err;
	int r = argc == 2 ? file_read(argv[1], &bytes, &err) : err_set(&err, "usage: shape_tool FILE");
	if (r == 0)
		r = elf_is(bytes.data, bytes.len) ? shape_read(argv[1], &p, &err)
		                                  : shape_add(&p, bytes.data, bytes.len, &err);
	if (r < 0)
		fprintf(stderr, "shape_tool: %s\n", err.text);
	else
		shape_print(&p, &text);
	fwrite(text.data ? text.data : "", 1, text.len, stdout);
	shape_free(&p);
	buf_release(&bytes);
	buf_release(&text);
	return r < 0;
}
