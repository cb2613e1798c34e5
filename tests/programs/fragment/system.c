// Functions of the system, whose results are made up: what they return and write, errno, the environment, files; locks
// succeed, nothing waits, no thread is made.
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "brute.h"

#ifdef BRUTE
static long script[8];
static char content[8];
static int n_calls;

static int made_open(void)
{
	errno = (int)script[1];
	return (int)script[0];
}

static long made_read(void *buffer, size_t size)
{
	memcpy(buffer, content, size);
	return script[n_calls++];
}

static int made_stat(struct stat *st)
{
	st->st_mode = (mode_t)script[1];
	return (int)script[0];
}

static FILE *made_stream(void)
{
	FILE *f = script[0] ? tmpfile() : NULL;
	if (f && script[1])
		fputc((int)script[1], f);
	if (f)
		rewind(f);
	return f;
}
#define open(...) made_open()
#define read(fd, buffer, size) made_read(buffer, size)
#define stat(path, st) made_stat(st)
#define getenv(name) (script[0] ? content : NULL)
#define time(t) script[0]
#define fopen(...) made_stream()
#define pthread_create(...) script[0]
#define pthread_mutex_lock(lock) 0
#define sleep(seconds) 0
#endif

int opens(void)
{
	int fd = open("/nowhere/at/all", O_RDONLY);
	if (D(fd >= 0))
		return 1;
	return D(errno == ENOENT) ? 2 : 3;
}

// The result is never more than there is room for, and each call has its own.
int reads(void)
{
	char b[4] = "";
	long n = read(0, b, sizeof b);
	if (n > 4 || n < -1)
		abort();
	if (D(n <= 0))
		return 0;
	if (D(b[0] == 'x'))
		return 1;
	return D(read(0, b, 1) == 1) ? 2 : 3;
}

int asks(void)
{
	const char *home = getenv("HOME");
	if (D(!home))
		return 0;
	return D(*home == '/') ? 1 : 2;
}

int looks(const char *unused)
{
	struct stat st;
	(void)unused;
	if (D(stat("x", &st) != 0))
		return 0;
	return D(S_ISDIR(st.st_mode)) ? 1 : 2;
}

int clocks(void)
{
	long now = time(NULL);
	if (now < 0)
		abort();
	return D(now > 1000) ? 1 : 0;
}

int streams(void)
{
	FILE *f = fopen("/nowhere", "r");
	if (D(!f))
		return 0;
	int c = getc(f);
	if (D(c == EOF))
		return 1;
	return D(c == 'x') ? 2 : 3;
}

static pthread_mutex_t lock;

static void *forever(void *p)
{
	for (;;)
		p = &p;
	return p;
}

// A lock that is held would never be had.
int threads(int n)
{
	pthread_t thread;
	if (D(pthread_create(&thread, NULL, forever, NULL) != 0))
		return 0;
	pthread_mutex_lock(&lock);
	pthread_mutex_lock(&lock);
	sleep(1000);
	return D(n > 0) ? 1 : 2;
}

static jmp_buf back;

__attribute__((noinline)) static void leap(int n)
{
	if (D(n > 3))
		longjmp(back, 1);
}

int leaps(int n)
{
	if (setjmp(back))
		return 1;
	leap(n);
	return D(n == 2) ? 2 : 3;
}

_Atomic int counter;

// options atomics: -g counter
int atomics(int n)
{
	int before = atomic_fetch_add(&counter, 2);
	if (D(before == 5))
		return 1;
	int expected = n;
	return D(atomic_compare_exchange_strong(&counter, &expected, 0)) ? 2 : 3;
}

#ifdef BRUTE
int main(void)
{
	FROM(a, -1, 1) FROM(e, ENOENT - 1, ENOENT)
	{
		script[0] = a;
		script[1] = e;
		TRY(opens());
	}
	end_function("opens");
	FROM(a, -1, 4) FROM(b, 0, 1) FROM(c, 'w', 'x')
	{
		script[0] = a;
		script[1] = b;
		content[0] = (char)c;
		n_calls = 0;
		TRY(reads());
	}
	end_function("reads");
	FROM(a, 0, 1) FROM(c, '.', '/')
	{
		script[0] = a;
		content[0] = (char)c;
		TRY(asks());
	}
	end_function("asks");
	FROM(a, -1, 0) FROM(m, 0, 1)
	{
		script[0] = a;
		script[1] = m ? S_IFDIR : S_IFREG;
		TRY(looks(NULL));
	}
	end_function("looks");
	FROM(a, 1000, 1001)
	{
		script[0] = a;
		TRY(clocks());
	}
	end_function("clocks");
	FROM(a, 0, 1) FROM(c, 'w', 'x')
	{
		script[0] = a;
		script[1] = c;
		TRY(streams());
		script[1] = 0;
		TRY(streams());
	}
	end_function("streams");
	FROM(a, 0, 1) FROM(n, 0, 1)
	{
		script[0] = a;
		TRY(threads((int)n));
	}
	end_function("threads");
	FROM(n, 1, 4) TRY(leaps((int)n));
	end_function("leaps");
	FROM(a, 4, 6) FROM(n, 5, 9)
	{
		counter = (int)a;
		TRY(atomics((int)n));
	}
	end_function("atomics");
	return 0;
}
#else
int main(void)
{
	return 0;
}
#endif
