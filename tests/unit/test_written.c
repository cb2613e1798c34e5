// What two runs wrote to files, compared.
#include <sys/stat.h>

#include "base/mem.h"
#include "sandbox/written.h"
#include "test.h"

enum { MOST = 8 };

// "PATH=CONTENT", a folder with a slash behind it, "-PATH" for what was deleted; sorted.
struct run {
	struct written written;
	struct written_entry v[MOST];
};

static struct run *run_of(const char *const *words)
{
	struct run *r = test_alloc(sizeof *r);
	*r = (struct run){.written = {.v = r->v, .known = true}};
	for (; *words; words++) {
		const char *word = *words, *equals = strchr(word, '=');
		size_t n = equals ? (size_t)(equals - word) : strlen(word);
		bool gone = *word == '-', folder = word[n - 1] == '/';
		char *path = test_printf("%.*s", (int)(n - gone - folder), word + gone);
		uint32_t mode = gone ? 0 : folder ? S_IFDIR | 0755 : S_IFREG | 0644;
		struct written_entry *e = &r->v[r->written.n++];
		*e = (struct written_entry){.path = path, .mode = mode};
		if (equals) {
			e->size = strlen(equals + 1);
			e->hash = hash_bytes(equals + 1, strlen(equals + 1));
		}
	}
	return r;
}

#define RUN(...) run_of((const char *const[]){__VA_ARGS__, NULL})
#define NOTHING run_of((const char *const[]){NULL})

static void check(const char *expected, const struct run *before, const struct run *now, const struct run *again)
{
	struct buf why = {0};
	bool same = written_same(&before->written, &now->written, again ? &again->written : NULL, &why);
	CHECK_INT(*expected == 0, same);
	CHECK_STR(expected, why.data ? why.data : "");
	buf_release(&why);
}

static void differences(void)
{
	check("", NOTHING, NOTHING, NULL);
	check("", RUN("/a=1", "/f/", "/f/b=2"), RUN("/a=1", "/f/", "/f/b=2"), NULL);
	check("file /a: other content", RUN("/a=1"), RUN("/a=2"), NULL);
	check("file /a: 2 bytes instead of 1", RUN("/a=1"), RUN("/a=12"), NULL);
	check("file /a: not written", RUN("/a=1"), NOTHING, NULL);
	check("file /a: written", NOTHING, RUN("/a=1"), NULL);
	check("file /a: deleted", RUN("/a=1"), RUN("-/a"), NULL);
	check("file /a: not deleted", RUN("-/a"), NOTHING, NULL);
	check("file /a: another kind or other permissions", RUN("/a="), RUN("/a/"), NULL);
	// What is in a folder says more than the folder.
	check("file /f/b: not written", RUN("/f/", "/f/b=2"), NOTHING, NULL);
	check("file /f: not written", RUN("/f/"), NOTHING, NULL);
}

// What native runs do not agree on is the program's own doing.
static void unstable(void)
{
	check("", RUN("/time=1"), RUN("/time=3"), RUN("/time=2"));
	check("file /a: other content", RUN("/a=x", "/time=1"), RUN("/a=y", "/time=3"), RUN("/a=x", "/time=2"));
	check("", RUN("/tmp1=a"), RUN("/tmp3=a"), RUN("/tmp2=a"));
	check("file /new: written", RUN("/time=1"), RUN("/new=", "/time=3"), RUN("/time=2"));
}

static void unknown(void)
{
	struct run *before = RUN("/a=1"), *now = NOTHING;
	now->written.known = false;
	check("", before, now, NULL);
}

// As bytes, and what another run did alike.
static void copies(void)
{
	struct run *before = RUN("-/a", "/b=2", "/f/", "/f/c=3"), *again = RUN("-/a", "/b=x", "/f/", "/f/c=3");
	struct buf bytes = {0};
	struct written copy;
	written_encode(&before->written, &bytes);
	struct cursor c = {(const uint8_t *)bytes.data, (const uint8_t *)bytes.data + bytes.len, false};
	CHECK(written_decode(&copy, &c));
	CHECK_INT(before->written.n, copy.n);
	CHECK(written_same(&before->written, &copy, NULL, NULL));
	written_agree(&copy, &again->written);
	CHECK_INT(3, copy.n);
	CHECK_STR("/f", copy.v[1].path);
	written_release(&copy);
	for (size_t n = 0; n < bytes.len; n++) {
		struct cursor cut = {(const uint8_t *)bytes.data, (const uint8_t *)bytes.data + n, false};
		CHECK(!written_decode(&copy, &cut));
	}
	buf_release(&bytes);
}

static const struct test tests[] = {TEST(differences), TEST(unstable), TEST(unknown), TEST(copies)};

TEST_MAIN("written")
