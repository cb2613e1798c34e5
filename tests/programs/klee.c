// A program for KLEE, built without a word about veer; tests/e2e/inputs.sh.
#include <klee/klee.h>
#include <stdio.h>

struct packet {
	uint8_t kind, length;
	uint16_t port;
};

static int classify(const struct packet *p)
{
	if (p->kind > 9)
		return 0;
	if (p->port == 443)
		return 1;
	return p->length > p->kind ? 2 : 3;
}

int main(void)
{
	struct packet p = {3, 4, 80};
	klee_make_symbolic(&p, sizeof p, "packet");
	klee_assume(p.kind < 200);
	klee_assume((p.length != 0) & (p.port > 10));
	klee_prefer_cex(&p, p.length == 'A');
	klee_posix_prefer_cex(&p, p.port == 8080);
	int n = klee_range(5, 20, "n");
	uintptr_t which = klee_choose(4);
	int any = klee_int("any");
	klee_assert(n >= 5);
	int kind = classify(&p), sum = 0;
	if (which == 2)
		sum += 100;
	if (n * 3 == 51)
		sum += 200;
	if (any == -7)
		sum += 400;
	// Constants: no conditions on the input come from these.
	int constant = klee_get_value_i32(any);
	if (constant == 12345)
		sum += 800;
	if (klee_get_valuel(n) == 77 || klee_get_valued(n * 0.5) == 77 || klee_get_valuef((float)n) == 77 ||
	    klee_get_valuell(n) == 77 || klee_get_value_i64(n) == 77)
		sum += 1600;
	klee_warning_once("once");
	klee_warning_once("once");
	klee_set_forking(0);
	klee_open_merge();
	klee_close_merge();
	printf("kind %d sum %d\n", kind, sum);
	printf("symbolic %u %u %u replay %u\n", klee_is_symbolic((uintptr_t)any), klee_is_symbolic(p.port),
	       klee_is_symbolic((uintptr_t)constant), klee_is_replay());
	return 0;
}
