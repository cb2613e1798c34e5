#include "object/elf.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"

bool elf_is(const void *data, size_t size)
{
	return size >= SELFMAG && memcmp(data, ELFMAG, SELFMAG) == 0;
}

static bool inside(const struct elf *elf, uint64_t at, uint64_t size)
{
	return at <= elf->size && size <= elf->size - at;
}

static Elf64_Shdr section_header(const struct elf *elf, uint32_t index)
{
	Elf64_Shdr header;
	memcpy(&header, elf->data + elf->sections_at + (uint64_t)index * sizeof header, sizeof header);
	return header;
}

int elf_parse(const void *data, size_t size, struct elf *ret, struct err *err)
{
	Elf64_Ehdr head;
	if (!elf_is(data, size) || size < sizeof head)
		return err_set(err, "not an ELF file");
	memcpy(&head, data, sizeof head);
	if (head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_ident[EI_DATA] != ELFDATA2LSB)
		return err_set(err, "not a 64-bit little-endian ELF file");
	if (head.e_type < ET_REL || head.e_type > ET_DYN)
		return err_set(err, "neither an object nor a program");
	struct elf elf = {.data = data, .size = size, .type = (enum elf_type)head.e_type, .sections_at = head.e_shoff};
	if (head.e_shoff == 0) {
		*ret = elf;
		return 0;
	}
	if (head.e_shentsize != sizeof(Elf64_Shdr) || !inside(&elf, head.e_shoff, sizeof(Elf64_Shdr)))
		return err_set(err, "damaged ELF section table");
	// More than 65,279 sections: the real numbers are in the first header.
	Elf64_Shdr first = section_header(&elf, 0);
	uint64_t count = head.e_shnum ? head.e_shnum : first.sh_size;
	elf.names_index = head.e_shstrndx == SHN_XINDEX ? first.sh_link : head.e_shstrndx;
	if (count > UINT32_MAX || !inside(&elf, head.e_shoff, count * sizeof(Elf64_Shdr)) || elf.names_index >= count)
		return err_set(err, "damaged ELF section table");
	elf.sections = (uint32_t)count;
	Elf64_Shdr names = section_header(&elf, elf.names_index);
	if (!inside(&elf, names.sh_offset, names.sh_size) || names.sh_type == SHT_NOBITS)
		return err_set(err, "damaged ELF section names");
	elf.names = elf.data + names.sh_offset;
	elf.names_size = names.sh_size;
	*ret = elf;
	return 0;
}

bool elf_next(const struct elf *elf, const char *name, uint32_t *at, struct elf_section *ret, bool *ret_bad)
{
	size_t length = strlen(name) + 1;
	if (ret_bad)
		*ret_bad = false;
	for (; *at < elf->sections; ++*at) {
		Elf64_Shdr header = section_header(elf, *at);
		if (header.sh_name > elf->names_size || elf->names_size - header.sh_name < length ||
		    memcmp(elf->names + header.sh_name, name, length) != 0)
			continue;
		++*at;
		if (header.sh_type == SHT_NOBITS || !inside(elf, header.sh_offset, header.sh_size)) {
			if (ret_bad)
				*ret_bad = true;
			return false;
		}
		*ret = (struct elf_section){elf->data + header.sh_offset, header.sh_size};
		return true;
	}
	return false;
}

static bool find_section(const struct elf *elf, const char *name, struct elf_section *ret)
{
	uint32_t at = 0;
	return elf_next(elf, name, &at, ret, NULL);
}

const char *elf_library_path(const struct elf *elf, bool *ret_old)
{
	struct elf_section dynamic, strings;
	const char *path = NULL;
	if (!find_section(elf, ".dynamic", &dynamic) || !find_section(elf, ".dynstr", &strings))
		return NULL;
	for (size_t at = 0; at + sizeof(Elf64_Dyn) <= dynamic.size; at += sizeof(Elf64_Dyn)) {
		Elf64_Dyn d;
		memcpy(&d, dynamic.data + at, sizeof d);
		if (d.d_tag == DT_NULL)
			break;
		bool old = d.d_tag == DT_RPATH;
		if ((!old && d.d_tag != DT_RUNPATH) || (old && path) || d.d_un.d_val >= strings.size ||
		    !memchr(strings.data + d.d_un.d_val, 0, strings.size - d.d_un.d_val))
			continue;
		path = (const char *)strings.data + d.d_un.d_val;
		*ret_old = old;
	}
	return path;
}

bool elf_names_dynamic(const struct elf *elf, const char *name)
{
	struct elf_section strings;
	size_t size = strlen(name) + 1;
	if (!find_section(elf, ".dynstr", &strings))
		return false;
	for (const uint8_t *p = strings.data, *end = p + strings.size; (p = memmem(p, (size_t)(end - p), name, size));
	     p++)
		if (p > strings.data && p[-1] == 0)
			return true;
	return false;
}

// What elf_append writes behind the old end of the file:
//
//   | pad to 8 | section data | pad | names, old and new | pad | section headers, old and new |
//
static void build_tail(const struct elf *elf, const char *name, const void *data, size_t size, struct buf *tail,
                       Elf64_Ehdr *head)
{
	static const char zeros[8];
	uint64_t base = elf->size;
#define ALIGN_TAIL() buf_add(tail, zeros, (8 - (base + tail->len) % 8) % 8)
	ALIGN_TAIL();
	Elf64_Shdr added = {.sh_type = SHT_PROGBITS, .sh_addralign = 8, .sh_size = size, .sh_offset = base + tail->len};
	buf_add(tail, data, size);

	ALIGN_TAIL();
	Elf64_Shdr names = section_header(elf, elf->names_index);
	names.sh_offset = base + tail->len;
	buf_add(tail, elf->names, elf->names_size);
	added.sh_name = (uint32_t)elf->names_size;
	buf_add(tail, name, strlen(name) + 1);
	names.sh_size = elf->names_size + strlen(name) + 1;

	ALIGN_TAIL();
#undef ALIGN_TAIL
	head->e_shoff = base + tail->len;
	uint32_t count = elf->sections + 1;
	for (uint32_t i = 0; i < elf->sections; i++) {
		Elf64_Shdr header = i == elf->names_index ? names : section_header(elf, i);
		if (i == 0 && count >= SHN_LORESERVE)
			header.sh_size = count;
		buf_add(tail, &header, sizeof header);
	}
	buf_add(tail, &added, sizeof added);
	head->e_shnum = count >= SHN_LORESERVE ? 0 : (Elf64_Half)count;
}

static int write_tail(int fd, const struct elf *elf, const struct buf *tail, const Elf64_Ehdr *head)
{
	if (lseek(fd, (off_t)elf->size, SEEK_SET) < 0 || file_write_all(fd, tail->data, tail->len) < 0)
		return -1;
	return pwrite(fd, head, sizeof *head, 0) == (ssize_t)sizeof *head ? 0 : -1;
}

int elf_append(const char *path, const char *name, const void *data, size_t size, struct err *err)
{
	struct file_map map;
	if (file_map(path, &map, err) < 0)
		return -1;
	struct elf elf;
	int r = elf_parse(map.data, map.size, &elf, err);
	if (r == 0 && (elf.sections == 0 || elf.names_index == 0))
		r = err_set(err, "%s has no section table", path);
	struct stat before;
	if (r == 0 && stat(path, &before) < 0)
		r = err_errno(err, "cannot read %s", path);
	// A linker may leave its output without write permission for us; that is put back.
	bool opened_up = false;
	int fd = -1;
	if (r == 0) {
		fd = open(path, O_RDWR | O_CLOEXEC);
		if (fd < 0 && errno == EACCES && chmod(path, before.st_mode | S_IWUSR) == 0) {
			opened_up = true;
			fd = open(path, O_RDWR | O_CLOEXEC);
		}
		if (fd < 0)
			r = err_errno(err, "cannot write %s", path);
	}
	if (r == 0) {
		struct buf tail = {0};
		Elf64_Ehdr head;
		memcpy(&head, map.data, sizeof head);
		build_tail(&elf, name, data, size, &tail, &head);
		if (write_tail(fd, &elf, &tail, &head) < 0) {
			r = err_errno(err, "cannot write %s", path);
			if (ftruncate(fd, (off_t)elf.size) < 0)
				r = err_errno(err, "cannot restore %s", path);
		}
		buf_release(&tail);
	}
	if (fd >= 0)
		close(fd);
	if (opened_up)
		chmod(path, before.st_mode);
	file_unmap(&map);
	return r;
}

int elf_each(const char *path, const char *name,
             int (*each)(void *opaque, const void *data, size_t size, struct err *err), void *opaque, struct err *err)
{
	struct file_map map;
	struct elf elf;
	struct err why;
	if (file_map(path, &map, err) < 0)
		return -1;
	int r = elf_parse(map.data, map.size, &elf, &why);
	uint32_t at = 0;
	struct elf_section section;
	bool bad = false;
	while (r == 0 && elf_next(&elf, name, &at, &section, &bad))
		r = each(opaque, section.data, section.size, &why);
	if (r == 0 && bad)
		r = err_set(&why, "damaged ELF section");
	if (r < 0)
		err_set(err, "%s: %s", path, why.text);
	file_unmap(&map);
	return r;
}
