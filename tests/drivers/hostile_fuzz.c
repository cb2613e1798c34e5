// A target for libFuzzer: what veer reads that a program, a damaged disk or somebody else may have written. Built and
// run by bench/reliability/fuzz; the first byte says which reader.
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "coverage/cover.h"
#include "input/input.h"
#include "input/snapshot.h"
#include "object/frame.h"
#include "object/linkline.h"
#include "path/decide.h"
#include "worker/wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void linkline(const void *data, size_t size)
{
	struct linkline l;
	struct err err;
	if (linkline_decode(data, size, &l, &err) == 0)
		linkline_release(&l);
}

static void unpack(struct frame_list *frames)
{
	struct err err;
	for (size_t i = 0; i < frames->n; i++) {
		struct buf payload = {0};
		if (frame_unpack(&frames->v[i], &payload, &err) == 0 && frames->v[i].kind == FRAME_LINK)
			linkline(payload.data, payload.len);
		buf_release(&payload);
	}
	frame_list_release(frames);
}

static void elf(const uint8_t *data, size_t size)
{
	struct frame_list frames = {0};
	struct err err;
	frame_list_read_elf(data, size, &frames, &err);
	unpack(&frames);
}

static void frames(const uint8_t *data, size_t size)
{
	struct frame_list list = {0};
	struct err err;
	frame_list_read(data, size, &list, &err);
	unpack(&list);
}

// As a worker reads it: decisions, then the questions that lead off them.
static void trace(const uint8_t *data, size_t size)
{
	struct trace t;
	struct err err;
	struct decisions decisions = {0};
	struct expr_pool pool;
	struct path path;
	if (trace_read(data, size, &t, &err) < 0)
		return;
	decisions_read(&decisions, &t, 1, 200);
	expr_pool_init(&pool);
	path_init(&path, &pool, &t);
	for (uint32_t i = 0; i < decisions.n; i++) {
		const struct decision *d = &decisions.v[i];
		for (uint32_t k = 0; k < d->alternatives && k < 4; k++)
			if (path_can_negate(&path, d->event))
				alternative_query(&path, d->event, &decisions.alternatives[d->first + k], NULL, 0);
	}
	path_release(&path);
	expr_pool_release(&pool);
	decisions_release(&decisions);
}

static void snapshot(const uint8_t *data, size_t size)
{
	struct snapshot s;
	struct err err;
	if (snapshot_decode(&s, data, size, &err) == 0)
		snapshot_release(&s);
}

static void input(const uint8_t *data, size_t size)
{
	struct input in;
	struct err err;
	if (input_decode(&in, data, size, &err) == 0)
		input_release(&in);
}

static void sites(const uint8_t *data, size_t size)
{
	struct cover *c = cover_new();
	struct err err;
	cover_add_sites(c, data, size, &err);
	cover_totals(c);
	cover_free(c);
}

// What a worker says, which runs where hostile programs do.
static void result(const uint8_t *data, size_t size)
{
	int pair[2];
	struct result r;
	struct err err;
	if (size > 60000 || socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0)
		return;
	if (write(pair[0], data, size) == (ssize_t)size) {
		close(pair[0]);
		if (result_receive(pair[1], &r, &err) == 0)
			result_release(&r);
	} else {
		close(pair[0]);
	}
	close(pair[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const readers[])(const uint8_t *data, size_t size) = {elf,   frames, trace, snapshot,
	                                                                    input, sites,  result};
	if (!size)
		return 0;
	uint8_t *exact = aligned_alloc(4096, (size + 4095) / 4096 * 4096); // traces are mapped at pages
	if (!exact)
		return 0;
	memcpy(exact, data + 1, size - 1);
	readers[data[0] % (sizeof readers / sizeof *readers)](exact, size - 1);
	free(exact);
	return 0;
}
