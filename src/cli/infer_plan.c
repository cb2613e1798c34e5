// veer infer plan: training runs of a firmware, from a campaign of veer cover.
#include "cli/infer_plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/vec.h"
#include "cli/campaigns.h"
#include "cli/export_fragments.h"
#include "cli/infer.h"
#include "cli/options.h"
#include "export/fragment_c.h"
#include "firmware/training.h"
#include "infer/plan.h"
#include "session/settings.h"

struct plan_options {
	const char *output, *campaign, *strategy, *cc, *cflags, *flash, *ram, *sandbox;
	int limit;
	bool unsafe;
};

static const struct option_spec options[] = {
	{"output", 'o', OPTION_TEXT, offsetof(struct plan_options, output), "DIR",
         "write the plan there (default plan)"},
	{"campaign", 0, OPTION_TEXT, offsetof(struct plan_options, campaign), "DIR",
         "directory of the campaign of veer cover (default veer-out)"},
	{"strategy", 0, OPTION_TEXT, offsetof(struct plan_options, strategy), "NAME",
         "inputs that become runs: cs (of whole runs), uc (and of functions), fn (of whole runs, with stubs, inside "
         "functions), pg (all; default)"},
	{"cc", 0, OPTION_TEXT, offsetof(struct plan_options, cc), "COMPILER",
         "the device's compiler (default arm-none-eabi-gcc)"},
	{"cflags", 0, OPTION_TEXT, offsetof(struct plan_options, cflags), "FLAGS",
         "its options, as for the firmware (default \"-mcpu=cortex-m3 -mthumb -O1\")"},
	{"flash", 0, OPTION_TEXT, offsetof(struct plan_options, flash), "ADDRESS",
         "where the code of training runs lies (default: behind the firmware)"},
	{"ram", 0, OPTION_TEXT, offsetof(struct plan_options, ram), "ADDRESS",
         "where their variables lie (default: behind the firmware's)"},
	{"limit", 0, OPTION_NUMBER, offsetof(struct plan_options, limit), "N",
         "leave out runs of more instructions (default 2000000)"},
	{"sandbox", 0, OPTION_TEXT, offsetof(struct plan_options, sandbox), "MODE",
         "kind of sandbox: {} (default: the first that works)"},
	{"unsafe-no-sandbox", 0, OPTION_FLAG, offsetof(struct plan_options, unsafe), NULL,
         "run the program without a sandbox, where it can change files"},
};

enum phase { PHASE_INP, PHASE_EXT, PHASE_STUB, PHASE_INT, PHASES };
static const char *const phases[PHASES] = {"inp", "ext", "stub", "int"};

// The strategies of "Zero-overhead path inference": which phases' inputs become runs.
static const struct {
	const char *name;
	bool takes[PHASES];
} strategies[] = {
	{"cs", {true, false, false, false}},
	{"uc", {true, true, false, false}},
	{"fn", {true, false, true, true}},
	{"pg", {true, true, true, true}},
};

struct candidate {
	char *id;
	struct input input;
	enum phase phase;
};

struct planning {
	struct plan_options o;
	const bool *takes;
	enum sandbox_mode mode;
	struct program program;
	struct training training;
	struct store *store;
	char *main_program; // of the campaign
	struct {
		struct candidate *v;
		size_t n, cap;
	} all;
	struct fragment_written written;
	struct plan plan;
	size_t left_out; // of runs that the device does not come to the end of
};

// --- the campaign --------------------------------------------------------------------------------

static enum phase phase_of(const struct input *in)
{
	const struct input_part *part = input_find(in, INPUT_FRAGMENT, NULL);
	struct fragment_entry entry = {0};
	if (!part)
		return PHASE_INP;
	memcpy(&entry, part->data.data, part->data.len < sizeof entry ? part->data.len : sizeof entry);
	return entry.marker ? PHASE_INT : entry.n_stubs ? PHASE_STUB : PHASE_EXT;
}

static int take_input(void *opaque, const struct stored_input *stored)
{
	struct planning *p = opaque;
	struct stored_input in;
	struct candidate c = {0};
	struct err err;
	if (!stored->in_corpus || stored->snapshot || store_get_input(p->store, stored->id, &in, &err) < 0)
		return 0;
	if (in.data.len && input_decode(&c.input, in.data.data, in.data.len, &err) == 0) {
		c.id = mem_printf("I%" PRId64, stored->id);
		c.phase = phase_of(&c.input);
		if (p->takes[c.phase]) {
			vec_push(&p->all, c);
		} else {
			input_release(&c.input);
			mem_free(c.id);
		}
	}
	stored_input_release(&in);
	return 0;
}

static int read_campaign(struct planning *p, struct err *err)
{
	p->store = store_open_read(p->o.campaign, err);
	if (!p->store)
		return -1;
	if (settings_use(p->store) != USE_fragments)
		return err_set(err, "%s is no campaign of veer cover; name one by --campaign", p->o.campaign);
	settings_hide(p->store);
	p->main_program = setting_text(p->store, SETTING_program);
	int r = store_each_input(p->store, take_input, p, err);
	if (r == 0 && !p->all.n)
		r = err_set(err, "%s has no inputs of strategy %s", p->o.campaign, p->o.strategy);
	return r;
}

// --- what whole runs are given -------------------------------------------------------------------

static bool is_one_line(const struct buf *b)
{
	return !b->len || (!memchr(b->data, '\n', b->len) && !memchr(b->data, 0, b->len));
}

// False: the device cannot be given that.
static bool write_input(const struct planning *p, const struct candidate *c, struct err *err)
{
	struct buf args = {0};
	const struct input_part *in = input_find(&c->input, INPUT_STDIN, NULL), *word;
	bool fits = true;
	for (size_t i = 1; (word = input_argument(&c->input, i)); i++) {
		fits &= is_one_line(&word->data);
		buf_add(&args, word->data.data, word->data.len);
		buf_addch(&args, '\n');
	}
	char *path = mem_printf("%s/inputs/%s.args", p->o.output, c->id);
	fits = fits && file_replace(path, buf_str(&args), args.len, 0666, err) == 0;
	mem_free(path);
	path = mem_printf("%s/inputs/%s.stdin", p->o.output, c->id);
	fits = fits && file_replace(path, in ? buf_str(&in->data) : "", in ? in->data.len : 0, 0666, err) == 0;
	mem_free(path);
	buf_release(&args);
	return fits;
}

// --- training programs ---------------------------------------------------------------------------

static bool find(void *opaque, const char *name, const char *file, bool function, uint32_t *ret_address,
                 uint32_t *ret_size)
{
	const struct planning *p = opaque;
	const struct image_name *n = image_find(&p->program.image, name, file);
	if (!n || n->function != function)
		return false;
	*ret_address = n->address;
	*ret_size = n->size;
	return true;
}

static bool copy(void *opaque, uint32_t address, const struct fragment_call *calls, size_t n, const char *label,
                 struct buf *out, const char **reason)
{
	const struct planning *p = opaque;
	struct training_call *to = mem_zero((n + 1) * sizeof *to);
	for (size_t i = 0; i < n; i++)
		to[i] = (struct training_call){calls[i].callee, calls[i].to};
	bool ok = training_copy(&p->training, address, to, n, label, out, reason);
	mem_free(to);
	return ok;
}

// The line of a compiler's or linker's output that matters.
static const char *complaint(struct buf *output)
{
	char *at = output->len ? strstr(output->data, "error") : NULL;
	while (at && at > output->data && at[-1] != '\n')
		at--;
	at = at ? at : output->data;
	if (output->len)
		at[strcspn(at, "\n")] = 0;
	return output->len ? at : "it makes nothing";
}

static int run_make(const char *folder, const char *cc, struct err *err)
{
	struct strv argv = {0};
	struct buf output = {0};
	char *here = path_cwd(), *absolute = path_absolute(here, folder);
	strv_push(&argv, "make");
	strv_push(&argv, "-s");
	int status = fragment_make(&argv, absolute, cc, &output, err);
	if (status > 0)
		err_set(err, "%s: the training program cannot be linked: %.300s; see --cflags, --flash and --ram",
		        folder, complaint(&output));
	mem_free(here);
	mem_free(absolute);
	strv_release(&argv);
	buf_release(&output);
	return status ? -1 : 0;
}

// Whether the device's compiler makes anything at all, before hundreds of cases do not compile.
static int try_compiler(const struct planning *p, struct err *err)
{
	struct strv argv = {0};
	struct buf output = {0};
	char *here = path_cwd(), *absolute = path_absolute(here, p->o.output);
	strv_push(&argv, "sh");
	strv_push(&argv, "-c");
	strv_pushf(&argv, "%s %s -c firmware.S -o objects/firmware.o && test -s objects/firmware.o", p->o.cc,
	           p->o.cflags);
	int status = fragment_make(&argv, absolute, p->o.cc, &output, err);
	if (status > 0)
		err_set(err,
		        "%s cannot compile for the device: %.300s; name its compiler by --cc, its options by --cflags",
		        p->o.cc, complaint(&output));
	mem_free(here);
	mem_free(absolute);
	strv_release(&argv);
	buf_release(&output);
	return status ? -1 : 0;
}

static int write_fragments(struct planning *p, struct err *err)
{
	struct fragment_case *cases = mem_zero((p->all.n + 1) * sizeof *cases);
	const struct fragment_device device = {.flags = p->o.cflags, .find = find, .copy = copy, .opaque = p};
	size_t n = 0;
	for (size_t i = 0; i < p->all.n; i++)
		n += p->all.v[i].phase != PHASE_INP &&
		     fragment_case_of(&cases[n], p->all.v[i].id, &p->all.v[i].input, NULL);
	const struct export_training e = {.store = p->store,
	                                  .campaign = p->o.campaign,
	                                  .program = p->main_program,
	                                  .cases = cases,
	                                  .n = n,
	                                  .mode = p->mode,
	                                  .compiler = p->o.cc,
	                                  .device = &device};
	const struct strv none = {0};
	int r = n ? training_write(&p->training, p->o.output, &none, &none, err) : 0;
	if (r == 0 && n)
		r = try_compiler(p, err);
	if (r == 0 && n)
		r = export_training(&e, p->o.output, &p->written, err);
	if (r == 0 && p->written.ids.n)
		r = training_write(&p->training, p->o.output, &p->written.tables, &p->written.ids, err);
	if (r == 0 && p->written.ids.n)
		r = run_make(p->o.output, p->o.cc, err);
	for (size_t i = 0; i < n; i++)
		mem_free((void *)cases[i].parts);
	mem_free(cases);
	return r;
}

// --- which segments each run takes ---------------------------------------------------------------

#ifdef CONFIG_DEVICE

struct device {
	struct program training;
	struct training_map map;
	struct rehearsal how;
	struct buf command;
	struct strv files;
};

static int rehearse_one(struct planning *p, struct device *d, const struct candidate *c, struct err *err)
{
	struct rehearsed done = {0};
	int r = infer_run_setup(&d->how, p->o.output, c->id, c->phase == PHASE_INP, &p->program, &d->training, &d->map,
	                        &d->command, &d->files, err);
	if (r == 0)
		r = rehearse(&d->how, &done, err);
	struct plan_run run = {.id = mem_strdup(c->id), .phase = mem_strdup(phases[c->phase])};
	struct buf name = {0};
	bool any = false;
	for (size_t i = 0; i < done.n; i++) {
		const struct followed *f = &done.path[i];
		buf_clear(&name);
		if (f->function == CODE_NONE)
			buf_addstr(&name, "?");
		else
			program_name(&p->program, f->function, f->number, &name);
		any |= f->function != CODE_NONE;
		plan_add_segment(&run, (uint32_t)(f->end - f->begin), name.data);
	}
	struct plan one = {0};
	const bool good = r == 0 && done.whole && any;
	plan_add(good ? &p->plan : &one, &run);
	p->left_out += !good;
	plan_release(&one);
	buf_release(&name);
	rehearsed_release(&done);
	return r;
}

static int rehearse_all(struct planning *p, struct err *err)
{
	struct device d = {.how = {.limit = (uint64_t)p->o.limit, .samples = 1}};
	char *program = mem_printf("%s/%s", p->o.output, PLAN_PROGRAM);
	int r = p->written.ids.n ? program_open(&d.training, program, err) : 0;
	if (r == 0)
		training_map_read(&d.map, &d.training.image);
	for (size_t i = 0; r == 0 && i < p->all.n; i++) {
		bool there = p->all.v[i].phase == PHASE_INP;
		for (size_t k = 0; k < p->written.ids.n && !there; k++)
			there = strcmp(p->written.ids.v[k], p->all.v[i].id) == 0;
		if (there)
			r = rehearse_one(p, &d, &p->all.v[i], err);
	}
	char *path = mem_printf("%s/%s", p->o.output, PLAN_FILE);
	if (r == 0)
		r = plan_write(&p->plan, path, err);
	mem_free(path);
	mem_free(program);
	training_map_release(&d.map);
	program_close(&d.training);
	buf_release(&d.how.input);
	buf_release(&d.command);
	strv_release(&d.files);
	return r;
}

#else

static int rehearse_all(struct planning *p, struct err *err)
{
	return err_set(err,
	               "%s has the training program, but veer was built without Unicorn, which runs it to see which "
	               "segments each run takes; install libunicorn-dev and build veer again",
	               p->o.output);
}

#endif

// -----------------------------------------------------------------------------------------------

static int prepare(struct planning *p, const char *firmware, struct err *err)
{
	char *inputs = mem_printf("%s/inputs", p->o.output), *objects = mem_printf("%s/objects", p->o.output),
	     *kept = mem_printf("%s/%s", p->o.output, PLAN_FIRMWARE);
	struct buf bytes = {0};
	int r = file_mkdirs(inputs, 0777, err);
	if (r == 0)
		r = file_mkdirs(objects, 0777, err);
	if (r == 0)
		r = file_read(firmware, &bytes, err);
	if (r == 0)
		r = file_replace(kept, bytes.data, bytes.len, 0666, err);
	buf_release(&bytes);
	mem_free(inputs);
	mem_free(objects);
	mem_free(kept);
	return r;
}

static void drop_candidate(struct planning *p, size_t i)
{
	input_release(&p->all.v[i].input);
	mem_free(p->all.v[i].id);
	memmove(&p->all.v[i], &p->all.v[i + 1], (p->all.n - i - 1) * sizeof *p->all.v);
	p->all.n--;
}

static int make_plan(struct planning *p, const char *firmware, uint32_t flash, uint32_t ram, struct err *err)
{
	size_t given = 0;
	if (program_open(&p->program, firmware, err) < 0 ||
	    training_init(&p->training, &p->program, flash, ram, err) < 0 || read_campaign(p, err) < 0 ||
	    prepare(p, firmware, err) < 0)
		return -1;
	for (size_t i = 0; i < p->all.n;) {
		if (p->all.v[i].phase != PHASE_INP || write_input(p, &p->all.v[i], err)) {
			i++;
			continue;
		}
		drop_candidate(p, i);
		given++;
	}
	if (write_fragments(p, err) < 0 || rehearse_all(p, err) < 0)
		return -1;
	size_t of[PHASES] = {0};
	for (uint32_t i = 0; i < p->plan.n; i++)
		for (int k = 0; k < PHASES; k++)
			of[k] += strcmp(p->plan.runs[i].phase, phases[k]) == 0;
	cli_line(stdout, "%s: %u runs (inp %zu, ext %zu, stub %zu, int %zu)", p->o.output, p->plan.n, of[0], of[1],
	         of[2], of[3]);
	if (p->written.n_skipped)
		cli_line(stdout, "left out: %zu inputs that are no program for the device; %s/SKIPPED has the reasons",
		         p->written.n_skipped, p->o.output);
	if (p->left_out || given)
		cli_line(stdout,
		         "left out: %zu runs that do not come to their end on the simulated device, %zu inputs it "
		         "cannot be given",
		         p->left_out, given);
	return p->plan.n ? 0 : err_set(err, "no run is left; %s/SKIPPED has the reasons", p->o.output);
}

static void release(struct planning *p)
{
	while (p->all.n)
		drop_candidate(p, p->all.n - 1);
	vec_release(&p->all);
	fragment_written_release(&p->written);
	plan_release(&p->plan);
	program_close(&p->program);
	mem_free(p->main_program);
	if (p->store)
		store_close(p->store);
}

static bool read_address(const char *text, uint32_t *ret)
{
	char *end;
	unsigned long v = text ? strtoul(text, &end, 0) : 0;
	*ret = (uint32_t)v;
	return !text || (end != text && !*end && v <= UINT32_MAX && v % 8 == 0);
}

static int run(int argc, char **argv)
{
	struct planning p = {.o = {.output = "plan",
	                           .campaign = "veer-out",
	                           .strategy = "pg",
	                           .cc = "arm-none-eabi-gcc",
	                           .cflags = "-mcpu=cortex-m3 -mthumb -O1",
	                           .limit = 2000000}};
	struct err err;
	uint32_t flash, ram;
	int first = options_parse(&command_infer_plan, argc, argv, &p.o, &err);
	if (first == -2)
		return 0;
	if (first < 0)
		return cli_usage_error(&command_infer_plan, err.text);
	if (argc - first != 1)
		return cli_usage_error(&command_infer_plan, "plan wants a firmware");
	if (!read_address(p.o.flash, &flash) || !read_address(p.o.ram, &ram))
		return cli_usage_error(&command_infer_plan, "--flash and --ram want addresses, multiples of 8");
	for (size_t i = 0; i < sizeof strategies / sizeof *strategies; i++)
		if (strcmp(strategies[i].name, p.o.strategy) == 0)
			p.takes = strategies[i].takes;
	if (!p.takes)
		return cli_usage_error(&command_infer_plan, "--strategy is cs, uc, fn or pg");
	if (cli_sandbox(p.o.sandbox, p.o.unsafe, &p.mode, &err) < 0)
		return cli_fail(err.text);
	cli_prepare_process();
	int r = make_plan(&p, argv[first], flash, ram, &err);
	release(&p);
	return r < 0 ? cli_fail(err.text) : 0;
}

const struct command command_infer_plan = {
	.name = "infer-plan",
	.usage = "[OPTION...] FIRMWARE.elf",
	.summary = "write training runs of a firmware, from a campaign of veer cover",
	.details =
		"The program of which FIRMWARE.elf was made is also built by veer-cc for this machine, and covered by\n"
		"`veer cover`. Inputs of that campaign that enter functions become runs of a training program in "
		"C:\n"
		"the firmware as it is, in which training runs are called in place of main. Those of whole runs are "
		"what the\n"
		"firmware itself is given. The file plan says which segments each run takes, which the simulated "
		"device\n"
		"tells.\n\n"
		"  veer infer plan -o plan firmware.elf\n"
		"  veer infer simulate -o recordings plan       # or record the runs on the device\n"
		"  veer infer train -o model plan recordings/\n",
	.options = options,
	.n_options = OPTIONS_COUNT(options),
	.run = run,
};
