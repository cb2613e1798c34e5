#include "firmware/follow.h"

void follower_init(struct follower *f, const struct program *program,
                   void (*take)(void *opaque, const struct followed *segment), void *opaque)
{
	*f = (struct follower){.program = program, .take = take, .opaque = opaque, .block = CODE_NONE};
}

static void begin(struct follower *f, uint64_t time, uint32_t function, uint32_t number)
{
	f->now = (struct followed){.begin = time, .function = function, .number = number};
	f->running = true;
}

static void end(struct follower *f, uint64_t time)
{
	f->now.end = time;
	if (f->running && time > f->now.begin)
		f->take(f->opaque, &f->now);
	f->running = false;
}

// Which edge of the block control took; CODE_NONE: none of them.
static uint32_t edge_to(const struct code_function *f, uint32_t from, uint32_t to)
{
	for (uint32_t e = f->graph.first[from]; e < f->graph.first[from + 1]; e++)
		if (f->graph.to[e] == to)
			return e - f->graph.first[from];
	return CODE_NONE;
}

// Whether the segment goes on in the block, or has ended as it should.
static bool goes_on(struct follower *f, uint32_t block)
{
	const struct program *p = f->program;
	const struct code_block *b = &p->blocks[f->block], *to = block == CODE_NONE ? NULL : &p->blocks[block];
	const struct code_function *fn = &p->functions[b->function];
	if (f->now.function == CODE_NONE)
		return to && to->function == b->function && !fn->marking.marker_of[to->node];
	if (b->end != CODE_GOES_ON)
		return false;
	uint32_t e = to && to->function == b->function ? edge_to(fn, b->node, to->node) : CODE_NONE;
	if (e == CODE_NONE && !b->may_leave)
		f->now.function = CODE_NONE; // an interrupt, or a jump that was not understood
	if (e == CODE_NONE)
		return false;
	f->now.number += marking_adds(&fn->marking, b->node, e);
	return !fn->marking.marker_of[to->node];
}

static void enter(struct follower *f, uint32_t block, uint64_t time)
{
	if (f->block != CODE_NONE && f->running && goes_on(f, block)) {
		f->block = block;
		return;
	}
	end(f, time);
	f->block = block;
	if (block == CODE_NONE) {
		begin(f, time, CODE_NONE, 0);
		return;
	}
	const struct code_block *b = &f->program->blocks[block];
	const struct marking *m = &f->program->functions[b->function].marking;
	uint32_t marker = m->marker_of[b->node];
	begin(f, time, marker ? b->function : CODE_NONE, marker ? m->v[marker - 1].base : 0);
}

void follower_step(struct follower *f, uint32_t address, uint64_t time)
{
	const struct code_block *b = f->block == CODE_NONE ? NULL : &f->program->blocks[f->block];
	if (b && address > b->address && address - b->address < b->size)
		return;
	uint32_t block = program_block(f->program, address);
	if (block == CODE_NONE && !b && f->running)
		return; // still nowhere
	enter(f, block, time);
}

void follower_end(struct follower *f, uint64_t time)
{
	end(f, time);
	f->block = CODE_NONE;
}
