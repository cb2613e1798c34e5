#include "firmware/image.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"

enum { PARTS_MAX = 4096, SYMBOLS_MAX = 1 << 20, MEMORY_MAX = 256 << 20 };

static const void *at(const struct file_map *map, uint64_t offset, uint64_t size)
{
	return offset <= map->size && size <= map->size - offset ? map->data + offset : NULL;
}

static int read_parts(struct image *image, const Elf32_Ehdr *h, const char *path, struct err *err)
{
	uint64_t all = 0;
	for (uint32_t i = 0; i < h->e_phnum; i++) {
		Elf32_Phdr p;
		const void *bytes = at(&image->map, h->e_phoff + (uint64_t)i * sizeof p, sizeof p);
		if (!bytes || h->e_phentsize != sizeof p)
			return err_set(err, "%s: its program headers are damaged", path);
		memcpy(&p, bytes, sizeof p);
		if (p.p_type != PT_LOAD || !p.p_memsz)
			continue;
		const void *data = at(&image->map, p.p_offset, p.p_filesz);
		all += p.p_memsz;
		if (!data || p.p_filesz > p.p_memsz || p.p_memsz > UINT32_MAX - p.p_vaddr ||
		    p.p_filesz > UINT32_MAX - p.p_paddr || all > MEMORY_MAX || image->n_parts == PARTS_MAX)
			return err_set(err, "%s: what it loads is damaged, or more than %d MB", path, MEMORY_MAX >> 20);
		image->parts = mem_resize(image->parts, (image->n_parts + 1) * sizeof *image->parts);
		image->parts[image->n_parts++] = (struct image_part){.address = p.p_vaddr,
		                                                     .size = p.p_memsz,
		                                                     .load = p.p_paddr,
		                                                     .data = data,
		                                                     .filled = p.p_filesz,
		                                                     .code = (p.p_flags & PF_X) != 0};
	}
	return image->n_parts ? 0 : err_set(err, "%s: it loads nothing; give the linked program", path);
}

static int by_address(const void *a, const void *b)
{
	const struct image_symbol *x = a, *y = b;
	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return x->size != y->size ? (x->size > y->size ? -1 : 1) : strcmp(x->name, y->name);
}

static void settle_symbols(struct image *image)
{
	uint32_t n = 0;
	if (image->n_symbols)
		qsort(image->symbols, image->n_symbols, sizeof *image->symbols, by_address);
	for (uint32_t i = 0; i < image->n_symbols; i++)
		if (!n || image->symbols[n - 1].address != image->symbols[i].address)
			image->symbols[n++] = image->symbols[i];
	image->n_symbols = n;
	for (uint32_t i = 0; i < n; i++) {
		struct image_symbol *s = &image->symbols[i];
		uint32_t end = i + 1 < n ? image->symbols[i + 1].address : UINT32_MAX;
		for (uint32_t k = 0; k < image->n_parts; k++) {
			const struct image_part *p = &image->parts[k];
			if (s->address - p->address < p->filled && end - p->address > p->filled)
				end = p->address + p->filled;
		}
		if (s->size == 0 || s->size > end - s->address) // assembler often does not say
			s->size = end - s->address;
	}
}

static int read_symbols(struct image *image, const Elf32_Shdr *table, const Elf32_Shdr *names, const char *path,
                        struct err *err)
{
	const uint8_t *syms = at(&image->map, table->sh_offset, table->sh_size);
	const char *text = at(&image->map, names->sh_offset, names->sh_size);
	size_t n = table->sh_size / sizeof(Elf32_Sym), cap = 0, names_cap = 0;
	const char *file = NULL;
	if (!syms || !text || !names->sh_size || text[names->sh_size - 1] || n > SYMBOLS_MAX)
		return err_set(err, "%s: its symbols are damaged", path);
	for (size_t i = 0; i < n; i++) {
		Elf32_Sym s;
		memcpy(&s, syms + i * sizeof s, sizeof s);
		const unsigned type = ELF32_ST_TYPE(s.st_info);
		uint32_t address = s.st_value & ~1u;
		if (type == STT_FILE && s.st_name < names->sh_size)
			file = text + s.st_name;
		if ((type == STT_FUNC || type == STT_OBJECT) && s.st_name < names->sh_size && s.st_shndx != SHN_UNDEF) {
			const bool local = ELF32_ST_BIND(s.st_info) == STB_LOCAL;
			vec_room(image->names, image->n_names + 1, names_cap);
			image->names[image->n_names++] =
				(struct image_name){.name = text + s.st_name,
			                            .file = local ? file : NULL,
			                            .address = type == STT_FUNC ? address : s.st_value,
			                            .size = s.st_size,
			                            .function = type == STT_FUNC};
		}
		if (type != STT_FUNC || !(s.st_value & 1) || s.st_name >= names->sh_size ||
		    !image_at(image, address, 2))
			continue;
		vec_room(image->symbols, image->n_symbols + 1, cap);
		image->symbols[image->n_symbols++] = (struct image_symbol){text + s.st_name, address, s.st_size};
	}
	settle_symbols(image);
	return image->n_symbols ? 0 : err_set(err, "%s: it has no symbols of Thumb functions; do not strip it", path);
}

static int read_sections(struct image *image, const Elf32_Ehdr *h, const char *path, struct err *err)
{
	uint64_t size = (uint64_t)h->e_shnum * sizeof(Elf32_Shdr);
	const uint8_t *all = h->e_shentsize == sizeof(Elf32_Shdr) ? at(&image->map, h->e_shoff, size) : NULL;
	for (uint32_t i = 0; all && i < h->e_shnum; i++) {
		Elf32_Shdr s, names;
		memcpy(&s, all + i * sizeof s, sizeof s);
		if (s.sh_type != SHT_SYMTAB || s.sh_link >= h->e_shnum)
			continue;
		memcpy(&names, all + s.sh_link * sizeof names, sizeof names);
		return read_symbols(image, &s, &names, path, err);
	}
	return err_set(err, "%s: it has no symbols; do not strip it", path);
}

int image_open(struct image *ret, const char *path, struct err *err)
{
	*ret = (struct image){0};
	if (file_map(path, &ret->map, err) < 0)
		return -1;
	Elf32_Ehdr h;
	const void *bytes = at(&ret->map, 0, sizeof h);
	if (bytes)
		memcpy(&h, bytes, sizeof h);
	int r = -1;
	if (!bytes || memcmp(h.e_ident, ELFMAG, SELFMAG) != 0 || h.e_ident[EI_CLASS] != ELFCLASS32 ||
	    h.e_ident[EI_DATA] != ELFDATA2LSB || h.e_machine != EM_ARM)
		err_set(err, "%s: not an ELF program for 32-bit ARM; veer infer knows Cortex-M", path);
	else if (read_parts(ret, &h, path, err) == 0)
		r = read_sections(ret, &h, path, err);
	ret->entry = bytes ? h.e_entry & ~1u : 0;
	if (r < 0)
		image_close(ret);
	return r;
}

void image_close(struct image *image)
{
	mem_free(image->parts);
	mem_free(image->symbols);
	mem_free(image->names);
	file_unmap(&image->map);
	*image = (struct image){0};
}

const struct image_name *image_find(const struct image *image, const char *name, const char *file)
{
	for (uint32_t i = 0; i < image->n_names; i++) {
		const struct image_name *n = &image->names[i];
		if (!file == !n->file && (!file || strcmp(file, n->file) == 0) && strcmp(n->name, name) == 0)
			return n;
	}
	return NULL;
}

const uint8_t *image_at(const struct image *image, uint32_t address, uint32_t n)
{
	for (uint32_t i = 0; i < image->n_parts; i++) {
		const struct image_part *p = &image->parts[i];
		uint32_t offset = address - p->address;
		if (offset < p->filled && n <= p->filled - offset)
			return p->data + offset;
	}
	return NULL;
}
