// What the judge is to find, and what it is not: one thing for each first argument.
#include <assert.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char global[8];
static volatile int zero;
static volatile char sink;

static void heap(const char *text)
{
	char *copy = malloc(4);
	strcpy(copy, text); // HEAP
	sink = copy[0];
	free(copy);
}

static void stack(size_t at)
{
	char local[8];
	memset(local, 0, sizeof local);
	local[at] = 1; // STACK
	sink = local[zero];
}

static void use_after_free(void)
{
	char *p = malloc(4);
	free(p);
	sink = p[zero]; // USED
}

static void double_free(void)
{
	char *p = malloc(4);
	p[0] = (char)zero;
	sink = p[0];
	free(p);
	free(p); // TWICE
}

// Inside of the sanitizers' printf there is a function that the symbol table names.
static void print_freed(void)
{
	char *p = malloc(4);
	strcpy(p, "abc");
	free(p);
	printf("freed: %s\n", p); // PRINTED
}

// Put into its callers, one assertion becomes several that look alike, and those one that is nowhere.
__attribute__((always_inline)) static inline void must_hold(int x)
{
	assert(x); // HOLDS
	sink++;
}

__attribute__((always_inline)) static inline void must_hold_again(int x)
{
	sink--;
	must_hold(x);
}

static void holds(const char *what)
{
	if (strcmp(what, "holds") == 0)
		must_hold_again(zero);
	else if (strcmp(what, "held") == 0)
		must_hold(zero);
}

static int unreachable(int x)
{
	switch (x) {
	case 1: return 1;
	default: __builtin_unreachable(); // UNREACHABLE
	}
}

static int recurse(int depth)
{
	volatile char room[256];
	return room[0] = (char)depth, depth ? recurse(depth - 1) + room[0] : 0; // DEEP
}

static void fake(void)
{
	fputs("==1==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x1\n"
	      "    #0 0x1 in main /src/a.c:1:1\n"
	      "SUMMARY: AddressSanitizer: heap-buffer-overflow /src/a.c:1 in main\n",
	      stderr);
}

static void spin(void)
{
	for (volatile unsigned n = 1; n; n |= 1) // SPIN
		;
}

static void flood(void)
{
	char line[4096];
	memset(line, 'y', sizeof line);
	for (;;)
		if (write(1, line, sizeof line) < 0)
			break;
}

static void busy_input(void)
{
	char line[16];
	FILE *f = fopen("/dev/zero", "r");
	setvbuf(f, NULL, _IONBF, 0);
	while (f && fread(line, 1, 1, f))
		;
}

static void eat(void)
{
	for (;;) {
		char *p = malloc(1 << 20);
		if (p)
			memset(p, 1, 1 << 20);
	}
}

// Writes where the runtime writes its reports.
static void scribble(void)
{
	char path[4200];
	ssize_t n = readlink("/proc/self/exe", path, 4096);
	for (int cut = 0; cut < 4 && n > 0;) // BOX/VARIANT/x/1/NAME
		cut += path[--n] == '/';
	if (n <= 0)
		return;
	strcpy(path + n, "/open/reports");
	if (chdir(path) < 0)
		return;
	puts("found");
	mkfifo("address.1", 0600);
	symlink("/dev/zero", "address.2");
	mkdir("sample.1", 0700);
	mkdir("address.4", 0);
	FILE *f = fopen("undefined", "w"), *g = fopen("address.3", "w");
	for (int i = 0; f && g && i < 1000000; i++) {
		fputc(i * 7 | 1, f);
		fputs("    #0 0x1 (/etc/passwd+0x1)\n", g);
	}
}

static void on_segv(int number)
{
	_exit(3);
}

static void signals(const char *what)
{
	if (strcmp(what, "raise") == 0)
		raise(SIGSEGV);
	if (strcmp(what, "raise-abort") == 0)
		raise(SIGABRT);
	if (strcmp(what, "kill") == 0)
		kill(getpid(), SIGFPE);
	if (strcmp(what, "other") == 0)
		system("kill -BUS $PPID");
	if (strcmp(what, "handled") == 0) {
		signal(SIGSEGV, on_segv);
		*(volatile int *)(long)zero = 1;
	}
	if (strcmp(what, "trap") == 0)
		__builtin_trap(); // TRAP
}

// One instruction does both: the check is that of the first line, the trap is the second's.
static __attribute__((noinline)) int whole_and_rest(int n, int by, int *rest)
{
	*rest = n % by; // REST
	return n / by;
}

static void undefined(const char *what)
{
	if (strcmp(what, "overflow") == 0)
		printf("%d\n", INT_MAX - zero + (zero + 1)); // WARN
	if (strcmp(what, "both") == 0) {
		printf("%d\n", INT_MAX - zero + (zero + 1)); // BEFORE
		stack(9);
	}
	if (strcmp(what, "divide") == 0)
		printf("%d\n", 1 / zero); // DIVIDE
	if (strcmp(what, "divide-both") == 0) {
		int rest;
		printf("%d\n", whole_and_rest(atoi("7"), zero, &rest));
		printf("%d\n", rest);
	}
	if (strcmp(what, "smallest") == 0)
		printf("%d\n", (INT_MIN + zero) / (zero - 1)); // SMALLEST
	if (strcmp(what, "null") == 0)
		*(volatile int *)(long)zero = 1; // NULL
	if (strcmp(what, "unreachable") == 0)
		printf("%d\n", unreachable(zero));
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	signals(what);
	undefined(what);
	if (strcmp(what, "heap") == 0)
		heap(argv[2]);
	if (strcmp(what, "stack") == 0)
		stack(8);
	if (strcmp(what, "global") == 0)
		sink = global[8 + zero]; // GLOBAL
	if (strcmp(what, "used") == 0)
		use_after_free();
	if (strcmp(what, "twice") == 0)
		double_free();
	if (strcmp(what, "assert") == 0)
		assert(zero); // ASSERT
	if (strcmp(what, "print") == 0)
		print_freed();
	holds(what);
	if (strcmp(what, "abort") == 0)
		abort(); // ABORT
	if (strcmp(what, "child") == 0) {
		if (fork() == 0)
			stack(8);
		wait(NULL);
	}
	if (strcmp(what, "past-the-end") == 0)
		sink = argv[1][strlen(argv[1]) + 1]; // END
	if (strcmp(what, "fake") == 0)
		fake();
	if (strcmp(what, "scribble") == 0)
		scribble();
	if (strcmp(what, "deep") == 0)
		recurse(atoi(argv[2]));
	if (strcmp(what, "spin") == 0)
		spin();
	if (strcmp(what, "sleep") == 0)
		sleep(1000);
	if (strcmp(what, "flood") == 0)
		flood();
	if (strcmp(what, "reads") == 0)
		busy_input();
	if (strcmp(what, "eat") == 0)
		eat();
	if (strcmp(what, "huge") == 0 && !malloc((size_t)1 << 46))
		puts("no memory");
	return 0;
}
