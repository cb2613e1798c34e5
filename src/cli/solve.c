// veer solve: which inputs flip the branches of a saved trace.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "cli/campaigns.h"
#include "cli/options.h"
#include "expr/show.h"
#include "path/path.h"
#include "solver/care.h"
#include "solver/chain.h"
#include "solver/check.h"
#include "solver/near.h"
#include "solver/z3.h"

struct solve_options {
	int negate, seconds, conflicts, memory;
	const char *dont_care, *back_end, *pin, *floats;
	bool printable, keep_length, utf8, hex, smt;
};

static const struct option_spec options[] = {
	{"negate", 0, OPTION_NUMBER, offsetof(struct solve_options, negate), "N",
         "query only the alternative of event N (default: every event, a line each)"},
	{"dont-care", 0, OPTION_TEXT, offsetof(struct solve_options, dont_care), "METHOD",
         "method to find the relevant bytes: {} (default mixed)"},
	{"back-end", 0, OPTION_TEXT, offsetof(struct solve_options, back_end), "NAME",
         "solver: {}, or its stages, separated by commas (default chain)"},
	{"float", 0, OPTION_TEXT, offsetof(struct solve_options, floats), "HOW",
         "how conditions on floats are solved: {} (default auto)"},
	{"printable", 0, OPTION_FLAG, offsetof(struct solve_options, printable), NULL,
         "prefer printable characters for bytes that change"},
	{"keep-length", 0, OPTION_FLAG, offsetof(struct solve_options, keep_length), NULL,
         "prefer that arguments and files keep their length"},
	{"utf8", 0, OPTION_FLAG, offsetof(struct solve_options, utf8), NULL, "prefer that inputs are valid UTF-8"},
	{"pin", 0, OPTION_TEXT, offsetof(struct solve_options, pin), "INPUT,...",
         "inputs that must not change, such as argv[1] or stdin"},
	{"hex", 0, OPTION_FLAG, offsetof(struct solve_options, hex), NULL,
         "with --negate: print the whole inputs, and which of their bits are relevant, in hex"},
	{"smt2", 0, OPTION_FLAG, offsetof(struct solve_options, smt), NULL,
         "with --negate: print the query as SMT-LIB 2, simplified and sliced, instead of solving it"},
	{"seconds", 0, OPTION_NUMBER, offsetof(struct solve_options, seconds), "N",
         "time limit of a query (default 10)"},
	{"conflicts", 0, OPTION_NUMBER, offsetof(struct solve_options, conflicts), "N",
         "largest number of conflicts of a query (default: no limit)"},
	{"memory", 0, OPTION_NUMBER, offsetof(struct solve_options, memory), "MB",
         "memory limit of the solver (default 2048)"},
};

struct solving {
	struct solve_options options;
	enum care_method method;
	unsigned floats;
	struct trace trace;
	struct expr_pool pool;
	struct path path;
	struct solver_env env;
	struct solver *solver;
	struct care_solver *care_solver;
	struct care care;
	struct model model;
	struct condition_list extra; // the query with what is pinned
	uint64_t answers[3];
};

static struct solver *find_stage(struct solver *s, const char *name)
{
	while (s && strcmp(s->type->name, name) != 0)
		s = s->next;
	return s;
}

// --- the query -----------------------------------------------------------------------------------

static bool is_pinned(const char *list, const char *name)
{
	size_t n = strlen(name);
	for (const char *p = list; p && *p; p += strcspn(p, ","), p += *p == ',')
		if (strcspn(p, ",") == n && memcmp(p, name, n) == 0)
			return true;
	return false;
}

static void add_pins(struct solving *s, struct query *q)
{
	struct expr_pool *p = &s->pool;
	s->extra.n = 0;
	for (uint32_t i = 0; i < q->n; i++)
		condition_list_add(&s->extra, q->conditions[i]);
	for (uint32_t v = 0; v < p->n_vars; v++)
		if (is_pinned(s->options.pin, p->sources[p->vars[v].source].label))
			condition_list_add(&s->extra, expr_eq(p, p->vars[v].expr, q->seed[v]));
	q->conditions = s->extra.ids;
	q->n = s->extra.n;
}

// The first name in the list that no input has, and its length; NULL: they all exist.
static const char *unknown_pin(const struct solving *s, size_t *ret_length)
{
	for (const char *p = s->options.pin; p && *p; p += *ret_length, p += *p == ',') {
		bool found = false;
		*ret_length = strcspn(p, ",");
		for (uint32_t i = 0; i < s->trace.n_inputs && !found; i++) {
			const char *name = trace_input_label(&s->trace, i);
			found = strlen(name) == *ret_length && memcmp(p, name, *ret_length) == 0;
		}
		if (!found)
			return p;
	}
	return NULL;
}

static int fail_pin(const char *name, size_t length)
{
	char *text = mem_printf("--pin %.*s: there is no such input; veer path --events shows them", (int)length, name);
	int result = cli_fail(text);
	mem_free(text);
	return result;
}

// What solutions should look like, from what the inputs were.
static void add_wishes(struct solving *s)
{
	struct expr_pool *p = &s->pool;
	struct solver *near = find_stage(s->solver, "near");
	struct condition_list wishes = {0};
	for (uint32_t i = 0; i < s->trace.n_inputs; i++) {
		uint32_t size, value = 0;
		struct input_type type = trace_input_type(&s->trace, i);
		bool string = input_is_string(type);
		const uint8_t *bytes = trace_input_data(&s->trace, i, &size);
		if (!bytes)
			continue;
		if (input_is_number(type) && size == 4)
			memcpy(&value, bytes, 4);
		uint32_t length = string && size ? size - 1 : value;
		if (s->options.keep_length)
			condition_list_add(&wishes, near_same_length(p, s->path.import.sources[i], length));
		if (s->options.utf8 && (string || input_is_content(type)) && size && size < 4096)
			condition_list_add(&wishes,
			                   near_utf8(p, s->path.import.sources[i], 0, string ? size - 1 : size));
	}
	import_cover(&s->path.import);
	for (uint32_t v = 0; s->options.printable && v < p->n_vars; v++) {
		if (p->sources[p->vars[v].source].type.role == INPUT_BYTES)
			condition_list_add(&wishes, near_printable(p, p->vars[v].expr, s->path.import.seed[v]));
	}
	if (near)
		near_set_wishes(near, wishes.ids, wishes.n);
	condition_list_release(&wishes);
}

// --- the answer ----------------------------------------------------------------------------------

static void add_byte(struct buf *out, uint8_t c)
{
	if (c > ' ' && c < 127 && c != '\'' && c != '\\')
		buf_printf(out, "'%c'", c);
	else
		buf_printf(out, "0x%02x", c);
}

static int by_variable(const void *x, const void *y)
{
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
	return a < b ? -1 : a > b;
}

// In the order of the variables, whoever made the model.
static uint32_t add_changes(const struct solving *s, const uint8_t *seed, const char *between, struct buf *out)
{
	uint32_t n = 0;
	struct {
		uint32_t var;
		uint8_t value;
	} *changes = mem_zero((s->model.n + 1) * sizeof *changes);
	for (uint32_t i = 0; i < s->model.n; i++)
		if (s->model.values[i] != seed[s->model.vars[i]]) {
			changes[n].var = s->model.vars[i];
			changes[n++].value = s->model.values[i];
		}
	qsort(changes, n, sizeof *changes, by_variable);
	for (uint32_t i = 0; i < n; i++) {
		buf_addstr(out, i ? between : "");
		struct buf name = {0};
		expr_print_var(&s->pool, changes[i].var, &name);
		utf8_clean(out, name.data, name.len);
		buf_release(&name);
		buf_addstr(out, ": ");
		add_byte(out, seed[changes[i].var]);
		buf_addstr(out, " -> ");
		add_byte(out, changes[i].value);
	}
	mem_free(changes);
	return n;
}

static void print_event(const struct solving *s, uint32_t event)
{
	const struct trace_event *e = &s->trace.events[event];
	const struct trace_site *site = trace_site(&s->trace, e->site);
	struct buf line = {0};
	buf_printf(&line, "event %u", event);
	if (site)
		buf_printf(&line, ", %s:%u:%u %s", trace_text(&s->trace, site->file), site->line, site->column,
		           trace_text(&s->trace, site->function));
	buf_addstr(&line, ": ");
	trace_print(&s->trace, e->label, 500, &line);
	buf_addstr(&line, e->kind == EVENT_SWITCH || e->kind == EVENT_CONCRETE ? " = " : " is ");
	trace_print_value(&s->trace, e->label, trace_value(e), &line);
	cli_line(stdout, "%s", line.data);
	buf_release(&line);
}

// Stages, each with what it took itself, and with the queries that it answered without the stages behind it.
static void print_times(const struct solver *s)
{
	struct buf line = {0};
	for (; s; s = s->next) {
		uint64_t n = s->own[ANSWER_SAT] + s->own[ANSWER_UNSAT];
		buf_printf(&line, "%s%s %.3f ms", line.len ? ", " : "time: ", s->type->name,
		           1e-6 * (double)(s->nanoseconds - (s->next ? s->next->nanoseconds : 0)));
		if (n)
			buf_printf(&line, " (%llu solved)", (unsigned long long)n);
	}
	cli_line(stdout, "%s", line.data);
	buf_release(&line);
}

// The whole input: the seed with the solution in it. The caller frees it.
static uint8_t *apply(const struct solving *s, const uint8_t *seed)
{
	uint8_t *bytes = (uint8_t *)mem_copy(seed, s->pool.n_vars);
	for (uint32_t i = 0; i < s->model.n; i++)
		bytes[s->model.vars[i]] = s->model.values[i];
	return bytes;
}

static bool holds(const struct solving *s, const struct query *whole, const uint8_t *bytes)
{
	struct check check;
	check_init(&check, &s->pool);
	check_set(&check, whole->conditions, whole->n);
	bool r = check_model(&check, bytes, NULL);
	check_release(&check);
	return r;
}

static void print_care(struct solving *s, uint32_t event, const uint8_t *bytes)
{
	uint64_t from = clock_nanoseconds();
	struct query kept = path_kept(&s->path, event, true, bytes);
	care_find(&s->care, s->care_solver, kept.conditions, kept.n, bytes, s->method);
	struct buf line = {0};
	buf_printf(&line, "relevant bytes (%s): %u of %u, %u bits, %.3f ms:", care_method_name(s->method),
	           care_bytes(&s->care), s->pool.n_vars, care_bits(&s->care),
	           1e-6 * (double)(clock_nanoseconds() - from));
	for (uint32_t v = 0; v < s->care.n; v++)
		if (s->care.masks[v]) {
			buf_addch(&line, ' ');
			expr_print_var(&s->pool, v, &line);
		}
	cli_line(stdout, "%s", line.data);
	if (s->env.reason)
		printf("there may be fewer: %s\n", solver_reason_words(s->env.reason));
	if (path_gives_more(&s->path, event))
		puts("there may be more: not all of what functions without a model were given is known");
	buf_release(&line);
}

// An input as it is in the solution, and the relevant bits. Bytes that are no variables keep their value and are
// not relevant; of lengths they are 0, and have to be. Strings and contents may have grown.
static void print_hex(const struct solving *s, uint32_t input, const uint8_t *bytes)
{
	const struct expr_pool *p = &s->pool;
	uint32_t size, source = s->path.import.sources[input];
	struct input_type type = trace_input_type(&s->trace, input);
	const uint8_t *was = trace_input_data(&s->trace, input, &size);
	if (!was || type.role == INPUT_CONCRETE)
		return;
	uint32_t end = size;
	for (uint32_t v = 0; v < p->n_vars; v++)
		if (p->vars[v].source == source && p->vars[v].offset >= end && !input_is_object(type))
			end = p->vars[v].offset + 1;
	uint8_t *value = mem_zero(end + 1), *care = mem_zero(end + 1);
	memcpy(value, was, size);
	if (input_is_number(type))
		memset(care, 0xff, end);
	for (uint32_t v = 0; v < p->n_vars; v++)
		if (p->vars[v].source == source && p->vars[v].offset < end) {
			value[p->vars[v].offset] = bytes[v];
			care[p->vars[v].offset] = v < s->care.n ? s->care.masks[v] : 0;
		}
	cli_line(stdout, "input %u %s %s", input, input_type_words(type), trace_input_label(&s->trace, input));
	printf("  ");
	for (uint32_t i = 0; i < end; i++)
		printf("%02x", value[i]);
	printf("\n  ");
	for (uint32_t i = 0; i < end; i++)
		printf("%02x", care[i]);
	printf("\n");
	mem_free(value);
	mem_free(care);
}

// With the names of the variables, as Z3 wants them.
static void print_smt(struct solving *s, const struct query *q)
{
	char *text = z3_text(&s->pool, q);
	for (uint32_t v = 0; v < s->pool.n_vars; v++) {
		struct buf name = {0};
		buf_printf(&name, "k!%u ", v);
		if (strstr(text, name.data)) {
			expr_print_var(&s->pool, v, &name);
			cli_line(stdout, "; %s", name.data);
		}
		buf_release(&name);
	}
	printf("%s(check-sat)\n", text);
	mem_free(text);
}

static int solve_one(struct solving *s, uint32_t event)
{
	struct query q = path_negate(&s->path, event);
	struct buf changes = {0};
	if (s->options.pin)
		add_pins(s, &q);
	if (s->options.smt) {
		print_smt(s, &q);
		return 0;
	}
	print_event(s, event);
	enum answer a = solver_solve(s->solver, &q, &s->model);
	if (a != ANSWER_SAT) {
		if (a == ANSWER_UNSAT)
			puts("unsat: no input flips this branch on this path");
		else
			printf("unknown: %s\n", solver_reason_words(s->env.reason));
		print_times(s->solver);
		return a == ANSWER_UNSAT ? 0 : EXIT_FAIL;
	}
	uint32_t n = add_changes(s, q.seed, "\n  ", &changes);
	printf("sat: %u byte%s changed\n  %s\n", n, n == 1 ? "" : "s", n ? changes.data : "none");
	print_times(s->solver);
	uint8_t *bytes = apply(s, q.seed);
	struct query whole = path_whole(&s->path, event, true);
	int result =
		holds(s, &whole, bytes) ? 0 : cli_fail("the solution does not keep to the path; this is a bug in veer");
	if (result == 0 && s->method != CARE_NONE)
		print_care(s, event, bytes);
	for (uint32_t i = 0; result == 0 && s->options.hex && i < s->trace.n_inputs; i++)
		print_hex(s, i, bytes);
	mem_free(bytes);
	buf_release(&changes);
	return result;
}

static void solve_all(struct solving *s)
{
	static const char *const words[] = {"unsat", "sat", "unknown"};
	uint64_t from = clock_nanoseconds(), n = 0;
	for (uint32_t i = 0; i < s->trace.n_events; i++) {
		if (!path_can_negate(&s->path, i))
			continue;
		struct query q = path_negate(&s->path, i);
		struct buf changes = {0};
		if (s->options.pin)
			add_pins(s, &q);
		enum answer a = solver_solve(s->solver, &q, &s->model);
		s->answers[a]++;
		n++;
		if (a == ANSWER_SAT)
			add_changes(s, q.seed, ", ", &changes);
		if (a == ANSWER_UNKNOWN)
			buf_addstr(&changes, solver_reason_words(s->env.reason));
		cli_line(stdout, "%u %s%s%s", i, words[a], changes.len ? " " : "", changes.len ? changes.data : "");
		buf_release(&changes);
	}
	double seconds = 1e-9 * (double)(clock_nanoseconds() - from);
	printf("%llu queries: %llu sat, %llu unsat, %llu unknown; %.3f s, %.0f a second\n", (unsigned long long)n,
	       (unsigned long long)s->answers[ANSWER_SAT], (unsigned long long)s->answers[ANSWER_UNSAT],
	       (unsigned long long)s->answers[ANSWER_UNKNOWN], seconds, seconds > 0 ? (double)n / seconds : 0);
	print_times(s->solver);
}

// --- the command ---------------------------------------------------------------------------------

static int solve_trace(struct solving *s)
{
	expr_pool_init(&s->pool);
	path_init(&s->path, &s->pool, &s->trace);
	s->env = (struct solver_env){.pool = &s->pool,
	                             .floats = (enum solver_floats)s->floats,
	                             .nanoseconds = (uint64_t)s->options.seconds * 1000000000u,
	                             .conflicts = (uint64_t)s->options.conflicts,
	                             .bytes = (size_t)s->options.memory << 20};
	s->solver = chain_new(&s->env, s->options.back_end);
	s->care_solver = care_new(&s->env);
	int result = 0;
	size_t length;
	const char *pin = unknown_pin(s, &length);
	if (!s->solver) {
		result = cli_usage_error(&command_solve, "there is no such back end");
	} else if (pin) {
		result = fail_pin(pin, length);
	} else {
		add_wishes(s);
		if (s->options.negate < 0)
			solve_all(s);
		else if ((uint32_t)s->options.negate >= s->trace.n_events)
			result = cli_fail("there is no such event; veer path --events shows them");
		else if (!path_can_negate(&s->path, (uint32_t)s->options.negate))
			result = cli_fail("this event has no alternative; veer path --events shows them");
		else
			result = solve_one(s, (uint32_t)s->options.negate);
	}
	solver_free(s->solver);
	care_free(s->care_solver);
	care_release(&s->care);
	model_release(&s->model);
	condition_list_release(&s->extra);
	path_release(&s->path);
	expr_pool_release(&s->pool);
	return result;
}

// Options may stand before and behind the name of the trace. Returns as options_parse does, 0: *ret_trace is set.
static int parse(int argc, char **argv, struct solve_options *o, const char **ret_trace, struct err *err)
{
	int first = options_parse(&command_solve, argc, argv, o, err);
	if (first < 0)
		return first;
	int more = first < argc ? options_parse(&command_solve, argc - first, argv + first, o, err) : 0;
	if (more < 0)
		return more;
	if (first == argc || first + more != argc)
		return err_set(err, "say which trace; veer path --save FILE makes one");
	*ret_trace = argv[first];
	return 0;
}

static int run(int argc, char **argv)
{
	struct solving s = {.options = {.negate = -1, .seconds = 10, .memory = 2048, .back_end = "chain"}};
	struct err err;
	const char *trace = NULL;
	int parsed = parse(argc, argv, &s.options, &trace, &err);
	if (parsed == -2)
		return 0;
	if (parsed < 0)
		return cli_usage_error(&command_solve, err.text);
	s.method = CARE_DEFAULT;
	if (s.options.dont_care && !care_method_find(s.options.dont_care, &s.method))
		return cli_usage_error(&command_solve, "there is no such method for --dont-care");
	if (cli_floats(s.options.floats, &s.floats, &err) < 0)
		return cli_usage_error(&command_solve, err.text);
	struct file_map map;
	if (file_map(trace, &map, &err) < 0)
		return cli_fail(err.text);
	int result;
	if (trace_read(map.data, map.size, &s.trace, &err) < 0) {
		char *text = mem_printf("%s: %s; veer path --save FILE writes one", trace, err.text);
		result = cli_fail(text);
		mem_free(text);
	} else {
		if (s.trace.damaged)
			cli_line(stderr, "veer: %s: the trace is damaged; the rest is cut off", trace);
		result = solve_trace(&s);
	}
	file_unmap(&map);
	return result;
}

const struct command command_solve = {
	.name = "solve",
	.usage = "TRACE [OPTION...]",
	.summary = "find inputs that flip branches of a saved trace",
	.details = "TRACE is a file that `veer path --save FILE` wrote. Each condition and check on the path is\n"
		   "negated and solved. Solutions change as few bytes as possible. With --negate, also prints the\n"
		   "relevant bytes of the whole input for reaching that event, and the time of each solver stage.\n",
	.options = options,
	.n_options = OPTIONS_COUNT(options),
	.run = run,
};
