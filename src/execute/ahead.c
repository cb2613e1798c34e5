#include "execute/ahead.h"

#include <signal.h>
#include <sys/mman.h>
#include <time.h>

enum { NODES, EVENTS };
enum { FIRST = 512 << 10, MOST = 16 << 20, STEP = 256 << 10 }; // bytes of a part: at the start, ahead, at once
enum { SHORTEST = 100000, LONGEST = 10000000 };                // nanoseconds between two looks

static uint64_t used(const struct ahead *a, int part)
{
	const volatile struct trace_header *h = a->header;
	uint64_t n = part == NODES ? h->nodes : h->events;
	return n < a->parts[part].size / a->parts[part].each ? n * a->parts[part].each : a->parts[part].size;
}

// Makes the next of a part; false when there is enough.
static bool advance(struct ahead *a, int part)
{
	struct ahead_part *p = &a->parts[part];
	uint64_t has = used(a, part), ahead = has < FIRST ? FIRST : has > MOST ? MOST : has;
	uint64_t to = p->done + STEP < p->size ? p->done + STEP : p->size;
	if (p->done >= p->size || p->done >= has + ahead)
		return false;
	if (madvise(p->start + p->done, to - p->done, MADV_POPULATE_WRITE) < 0)
		p->size = p->done; // it cannot be had
	p->done = to;
	return true;
}

static void *keep_ahead(void *opaque)
{
	struct ahead *a = opaque;
	long pause = SHORTEST;
	while (!__atomic_load_n(&a->stop, __ATOMIC_RELAXED)) {
		bool any = false;
		for (int i = 0; i < AHEAD_PARTS; i++)
			any |= advance(a, i);
		if (any) {
			pause = SHORTEST;
			continue;
		}
		nanosleep(&(struct timespec){.tv_nsec = pause}, NULL);
		pause = 2 * pause < LONGEST ? 2 * pause : LONGEST;
	}
	return NULL;
}

void ahead_start(struct ahead *a, void *trace)
{
	const struct trace_header *h = trace;
	*a = (struct ahead){.header = h};
	a->parts[NODES] = (struct ahead_part){.start = (char *)trace + h->nodes_at,
	                                      .size = (uint64_t)h->nodes_max * sizeof(struct trace_node),
	                                      .each = sizeof(struct trace_node)};
	a->parts[EVENTS] = (struct ahead_part){.start = (char *)trace + h->events_at,
	                                       .size = (uint64_t)h->events_max * sizeof(struct trace_event),
	                                       .each = sizeof(struct trace_event)};
	sigset_t all, before;
	sigfillset(&all); // signals are for who waits for the program
	pthread_sigmask(SIG_SETMASK, &all, &before);
	a->runs = pthread_create(&a->thread, NULL, keep_ahead, a) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void ahead_stop(struct ahead *a)
{
	if (!a->runs)
		return;
	__atomic_store_n(&a->stop, 1, __ATOMIC_RELAXED);
	pthread_join(a->thread, NULL);
	a->runs = false;
}
