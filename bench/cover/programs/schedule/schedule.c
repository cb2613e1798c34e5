// A scheduler with priorities, driven by commands: one per line of standard input, what happens on standard output.
//
//   new PRIO WORK [NAME]   a process with so many units of work        block [EVENT]      the running process waits
//   run N                  N ticks of the clock                        wake EVENT         those that wait for it
//   prio ID N              gives a process another priority            kill ID            ends a process
//   lock ID M, unlock ID M mutexes, with inheritance of priorities     show               the queues
//   quantum N              ticks until a process yields                finish             runs until nobody can
//
// Priorities are 1 (lowest) to MAX_PRIO. Processes of one priority take turns. Who has waited for AGING ticks moves up
// a priority until it has run.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PRIO = 5, MAX_PROCESSES = 32, MAX_MUTEXES = 8, AGING = 10, NAME_SIZE = 12 };

enum state { FREE, READY, RUNNING, WAITING, BLOCKED, DONE };

struct process {
	int id;
	enum state state;
	int base, prio;   // as given; as it is now
	int work, waited; // units that are left; ticks in a queue
	int turnaround;   // ticks since it was made
	int event;        // that it waits for
	int mutex;        // that it is blocked on; -1: none
	unsigned held;    // mutexes, a bit each
	char name[NAME_SIZE];
	struct process *next; // in its queue
};

struct queue {
	struct process *first, *last;
	int length;
};

struct scheduler {
	struct process all[MAX_PROCESSES];
	struct queue ready[MAX_PRIO + 1];
	struct process *running;
	struct process *owner[MAX_MUTEXES];
	int next_id, quantum, left;
	long clock, idle, switches;
};

// --- queues ----------------------------------------------------------------------------------

static void enqueue(struct queue *q, struct process *p)
{
	p->next = NULL;
	if (q->last)
		q->last->next = p;
	else
		q->first = p;
	q->last = p;
	q->length++;
}

static struct process *dequeue(struct queue *q)
{
	struct process *p = q->first;
	if (!p)
		return NULL;
	q->first = p->next;
	if (!q->first)
		q->last = NULL;
	q->length--;
	p->next = NULL;
	return p;
}

// Takes a process out of the middle; 0: it is not there.
static int unqueue(struct queue *q, struct process *p)
{
	struct process *before = NULL;
	for (struct process *at = q->first; at; before = at, at = at->next) {
		if (at != p)
			continue;
		if (before)
			before->next = p->next;
		else
			q->first = p->next;
		if (q->last == p)
			q->last = before;
		q->length--;
		p->next = NULL;
		return 1;
	}
	return 0;
}

// --- processes -------------------------------------------------------------------------------

static struct process *find(struct scheduler *s, int id)
{
	for (int i = 0; i < MAX_PROCESSES; i++)
		if (s->all[i].state != FREE && s->all[i].state != DONE && s->all[i].id == id)
			return &s->all[i];
	return NULL;
}

static void make_ready(struct scheduler *s, struct process *p)
{
	p->state = READY;
	p->waited = 0;
	p->event = 0;
	p->mutex = -1;
	enqueue(&s->ready[p->prio], p);
}

static struct process *create(struct scheduler *s, int prio, int work, const char *name)
{
	for (int i = 0; i < MAX_PROCESSES; i++) {
		struct process *p = &s->all[i];
		if (p->state != FREE && p->state != DONE)
			continue;
		memset(p, 0, sizeof *p);
		p->id = s->next_id++;
		p->base = p->prio = prio;
		p->work = work;
		p->mutex = -1;
		if (name[0])
			snprintf(p->name, sizeof p->name, "%s", name);
		else
			snprintf(p->name, sizeof p->name, "p%d", p->id);
		make_ready(s, p);
		return p;
	}
	return NULL;
}

// Another priority, wherever the process is now.
static void set_prio(struct scheduler *s, struct process *p, int prio)
{
	if (p->prio == prio)
		return;
	if (p->state == READY) {
		unqueue(&s->ready[p->prio], p);
		p->prio = prio;
		enqueue(&s->ready[prio], p);
	} else {
		p->prio = prio;
	}
}

// The highest priority of all who are blocked on a mutex.
static int highest_blocked(const struct scheduler *s, int mutex)
{
	int best = 0;
	for (int i = 0; i < MAX_PROCESSES; i++) {
		const struct process *p = &s->all[i];
		if (p->state == BLOCKED && p->mutex == mutex && p->prio > best)
			best = p->prio;
	}
	return best;
}

// What a process inherits by the mutexes that it holds; owners that are blocked themselves pass it on.
static void inherit(struct scheduler *s, struct process *p)
{
	for (int depth = 0; p && depth < MAX_MUTEXES; depth++) {
		int best = p->base;
		for (int m = 0; m < MAX_MUTEXES; m++)
			if (p->held >> m & 1) {
				int other = highest_blocked(s, m);
				if (other > best)
					best = other;
			}
		if (best == p->prio)
			return;
		set_prio(s, p, best);
		p = p->state == BLOCKED && p->mutex >= 0 ? s->owner[p->mutex] : NULL;
	}
}

static void release_mutex(struct scheduler *s, struct process *p, int m)
{
	struct process *heir = NULL;
	p->held &= ~(1u << m);
	s->owner[m] = NULL;
	for (int i = 0; i < MAX_PROCESSES; i++) {
		struct process *q = &s->all[i];
		if (q->state != BLOCKED || q->mutex != m)
			continue;
		if (!heir || q->prio > heir->prio || (q->prio == heir->prio && q->id < heir->id))
			heir = q;
	}
	if (heir) {
		s->owner[m] = heir;
		heir->held |= 1u << m;
		make_ready(s, heir);
		inherit(s, heir);
	}
	inherit(s, p);
}

static void finish_process(struct scheduler *s, struct process *p, const char *how)
{
	printf("%ld: %s %s after %d\n", s->clock, p->name, how, p->turnaround);
	for (int m = 0; m < MAX_MUTEXES; m++)
		if (p->held >> m & 1)
			release_mutex(s, p, m);
	if (p->state == READY)
		unqueue(&s->ready[p->prio], p);
	if (s->running == p)
		s->running = NULL;
	p->state = DONE;
}

// --- the clock -------------------------------------------------------------------------------

static struct process *choose(struct scheduler *s)
{
	for (int prio = MAX_PRIO; prio > 0; prio--) {
		struct process *p = dequeue(&s->ready[prio]);
		if (p)
			return p;
	}
	return NULL;
}

static void dispatch(struct scheduler *s)
{
	s->running = choose(s);
	if (!s->running)
		return;
	s->running->state = RUNNING;
	s->running->waited = 0;
	s->left = s->quantum;
	s->switches++;
	printf("%ld: %s runs\n", s->clock, s->running->name);
}

// Somebody more important is ready.
static int must_yield(const struct scheduler *s)
{
	for (int prio = MAX_PRIO; prio > s->running->prio; prio--)
		if (s->ready[prio].length)
			return 1;
	return s->left == 0 && s->ready[s->running->prio].length > 0;
}

static void yield(struct scheduler *s)
{
	struct process *p = s->running;
	s->running = NULL;
	if (p->prio > p->base && !p->held) // it was raised by waiting
		p->prio = p->base;
	make_ready(s, p);
}

static void grow_old(struct scheduler *s)
{
	for (int i = 0; i < MAX_PROCESSES; i++) {
		struct process *p = &s->all[i];
		if (p->state == FREE || p->state == DONE)
			continue;
		p->turnaround++;
		if (p->state != READY || ++p->waited < AGING)
			continue;
		p->waited = 0;
		if (p->prio < MAX_PRIO)
			set_prio(s, p, p->prio + 1);
	}
}

static void tick(struct scheduler *s)
{
	if (s->running && must_yield(s))
		yield(s);
	if (!s->running)
		dispatch(s);
	s->clock++;
	grow_old(s);
	if (!s->running) {
		s->idle++;
		return;
	}
	if (s->left > 0)
		s->left--;
	if (--s->running->work <= 0)
		finish_process(s, s->running, "is done");
	else if (s->left == 0 && !must_yield(s))
		s->left = s->quantum;
}

static int can_run(const struct scheduler *s)
{
	if (s->running)
		return 1;
	for (int prio = 1; prio <= MAX_PRIO; prio++)
		if (s->ready[prio].length)
			return 1;
	return 0;
}

// --- commands --------------------------------------------------------------------------------

struct command {
	char word[NAME_SIZE];
	int numbers[3];
	int n;
	char name[NAME_SIZE];
};

static const char *skip_blanks(const char *s)
{
	while (*s == ' ' || *s == '\t')
		s++;
	return s;
}

static const char *parse_word(const char *s, char *word)
{
	int n = 0;
	while (*s && !isspace((unsigned char)*s)) {
		if (n < NAME_SIZE - 1)
			word[n++] = *s;
		s++;
	}
	word[n] = 0;
	return skip_blanks(s);
}

// A word, up to three numbers, and a name; 0: it is none.
static int parse_command(const char *line, struct command *c)
{
	memset(c, 0, sizeof *c);
	const char *s = parse_word(skip_blanks(line), c->word);
	while (c->n < 3 && (isdigit((unsigned char)*s) || (*s == '-' && isdigit((unsigned char)s[1])))) {
		long value = 0;
		int sign = *s == '-' ? -1 : 1;
		if (*s == '-')
			s++;
		while (isdigit((unsigned char)*s)) {
			value = value * 10 + (*s++ - '0');
			if (value > 100000)
				return 0;
		}
		c->numbers[c->n++] = (int)(sign * value);
		s = skip_blanks(s);
	}
	if (*s && *s != '\n')
		s = parse_word(s, c->name);
	return c->word[0] && (!*s || *s == '\n');
}

static void show(const struct scheduler *s)
{
	if (s->running)
		printf("running: %s (%d left)\n", s->running->name, s->running->work);
	for (int prio = MAX_PRIO; prio > 0; prio--) {
		if (!s->ready[prio].length)
			continue;
		printf("%d:", prio);
		for (const struct process *p = s->ready[prio].first; p; p = p->next)
			printf(" %s%s", p->name, p->prio > p->base ? "+" : "");
		printf("\n");
	}
	for (int i = 0; i < MAX_PROCESSES; i++) {
		const struct process *p = &s->all[i];
		if (p->state == WAITING)
			printf("waiting: %s for %d\n", p->name, p->event);
		else if (p->state == BLOCKED)
			printf("blocked: %s on %d\n", p->name, p->mutex);
	}
}

static const char *do_new(struct scheduler *s, const struct command *c)
{
	if (c->n != 2)
		return "new needs a priority and work";
	if (c->numbers[0] < 1 || c->numbers[0] > MAX_PRIO)
		return "no such priority";
	if (c->numbers[1] < 1)
		return "no work";
	return create(s, c->numbers[0], c->numbers[1], c->name) ? NULL : "too many processes";
}

static const char *do_block(struct scheduler *s, const struct command *c)
{
	if (!s->running)
		return "nobody runs";
	s->running->state = WAITING;
	s->running->event = c->n ? c->numbers[0] : 0;
	s->running = NULL;
	return NULL;
}

static const char *do_wake(struct scheduler *s, const struct command *c)
{
	int woken = 0;
	for (int i = 0; i < MAX_PROCESSES; i++)
		if (s->all[i].state == WAITING && (!c->n || s->all[i].event == c->numbers[0])) {
			make_ready(s, &s->all[i]);
			woken++;
		}
	return woken ? NULL : "nobody waits for that";
}

static const char *do_prio(struct scheduler *s, struct process *p, int prio)
{
	if (prio < 1 || prio > MAX_PRIO)
		return "no such priority";
	p->base = prio;
	if (p->held)
		inherit(s, p);
	else
		set_prio(s, p, prio);
	return NULL;
}

static const char *do_lock(struct scheduler *s, struct process *p, int m)
{
	if (m < 0 || m >= MAX_MUTEXES)
		return "no such mutex";
	if (p->state == WAITING || p->state == BLOCKED)
		return "it cannot lock now";
	if (s->owner[m] == p)
		return "it holds that already";
	if (!s->owner[m]) {
		s->owner[m] = p;
		p->held |= 1u << m;
		return NULL;
	}
	if (p->state == READY)
		unqueue(&s->ready[p->prio], p);
	if (s->running == p)
		s->running = NULL;
	p->state = BLOCKED;
	p->mutex = m;
	inherit(s, s->owner[m]);
	return NULL;
}

static const char *do_unlock(struct scheduler *s, struct process *p, int m)
{
	if (m < 0 || m >= MAX_MUTEXES || s->owner[m] != p)
		return "it does not hold that";
	release_mutex(s, p, m);
	return NULL;
}

static const char *on_process(struct scheduler *s, const struct command *c)
{
	struct process *p = c->n ? find(s, c->numbers[0]) : NULL;
	if (!p)
		return "no such process";
	if (strcmp(c->word, "kill") == 0) {
		finish_process(s, p, "was killed");
		return NULL;
	}
	if (c->n != 2)
		return "a number is missing";
	if (strcmp(c->word, "prio") == 0)
		return do_prio(s, p, c->numbers[1]);
	return strcmp(c->word, "lock") == 0 ? do_lock(s, p, c->numbers[1]) : do_unlock(s, p, c->numbers[1]);
}

static const char *execute(struct scheduler *s, const struct command *c)
{
	if (strcmp(c->word, "new") == 0)
		return do_new(s, c);
	if (strcmp(c->word, "run") == 0) {
		for (int i = 0; i < (c->n ? c->numbers[0] : 1); i++)
			tick(s);
		return NULL;
	}
	if (strcmp(c->word, "finish") == 0) {
		while (can_run(s))
			tick(s);
		return NULL;
	}
	if (strcmp(c->word, "block") == 0)
		return do_block(s, c);
	if (strcmp(c->word, "wake") == 0)
		return do_wake(s, c);
	if (strcmp(c->word, "show") == 0) {
		show(s);
		return NULL;
	}
	if (strcmp(c->word, "quantum") == 0) {
		if (c->n != 1 || c->numbers[0] < 1)
			return "a quantum is at least 1";
		s->quantum = c->numbers[0];
		return NULL;
	}
	static const char *const others[] = {"kill", "prio", "lock", "unlock"};
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (strcmp(c->word, others[i]) == 0)
			return on_process(s, c);
	return "no such command";
}

int main(void)
{
	static struct scheduler s = {.next_id = 1, .quantum = 3};
	char line[80];
	int errors = 0;
	for (int number = 1; fgets(line, sizeof line, stdin); number++) {
		struct command c;
		if (line[0] == '#' || line[0] == '\n')
			continue;
		const char *why = parse_command(line, &c) ? execute(&s, &c) : "not a command";
		if (why) {
			printf("line %d: %s\n", number, why);
			errors++;
		}
	}
	printf("%ld ticks, %ld idle, %ld switches\n", s.clock, s.idle, s.switches);
	return errors > 0;
}
