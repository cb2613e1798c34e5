#!/bin/sh
# veer run: whatever the harness does, veer-built programs run as their variant,
# and nothing else changes. The program `which` tells what it is.
. "$(dirname "$0")/lib.sh"

make_which() {
	cat >which.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
extern void __asan_init(void) __attribute__((weak));
int main(int argc, char **argv) {
	if (argc > 1 && strcmp(argv[1], "exe") == 0) {
		char path[4096];
		ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
		printf("%.*s\n", (int)n, path);
		return 0;
	}
	if (argc > 1 && strcmp(argv[1], "status") == 0)
		return atoi(argv[2]);
	if (argc > 1 && strcmp(argv[1], "kill") == 0)
		raise_signal: kill(getpid(), atoi(argv[2]));
	printf("%s", __asan_init ? "sanitized" : "native");
	for (int i = 1; i < argc; i++)
		printf(" %s", argv[i]);
	printf("\n");
	return 0;
}
C
	sed -i 's/raise_signal: //; s/#include <stdio.h>/#include <signal.h>\n&/' which.c
	veer-cc -O2 which.c -o which
	same native "$(./which)"
}

plain() {
	make_which
	same "sanitized a b" "$(veer run -- ./which a b)"
	same "sanitized a b" "$(veer run --variant sanitized -- "$PWD/which" a b)"
	same "sanitized" "$(PATH=$PWD:$PATH veer run -- which)"
	same "native" "$(./which)"
}

harness() {
	make_which
	same "sanitized x" "$(veer run -- sh -c './which x')"
	same "sanitized x" "$(veer run -- env -i ./which x)"
	same "sanitized x" "$(veer run -- env -i sh -c 'exec ./which x')"
	printf '#!/bin/sh\ncd /\nexec "$OLDPWD/which" "$@"\n' >script
	chmod +x script
	same "sanitized x y" "$(veer run -- ./script x y)"
	same "sanitized" "$(veer run -- sh -c './which | cat')"
	same "sanitized
sanitized" "$(veer run -- sh -c './which & ./which; wait')"
	printf 'all:\n\t@./which from make\n' >Makefile
	same "sanitized from make" "$(veer run -- make -s)"
	same "sanitized" "$(echo ignored | veer run -- xargs -I{} ./which)"
	same "sanitized" "$(veer run -- nohup ./which 2>/dev/null)"
	same "sanitized p" "$(veer run -- perl -e 'exec "./which", "p"')"
	same "sanitized p" "$(veer run -- perl -e 'system("./which", "p")')"
}

interpreter() { # a script whose interpreter is a veer-built program
	make_which
	printf '#!%s/which one argument  \nbody\n' "$PWD" >script
	chmod +x script
	same "native one argument ./script a" "$(./script a)"
	same "sanitized one argument ./script a" "$(veer run -- ./script a)"
	printf '#!./which\n' >short
	chmod +x short
	same "sanitized ./short" "$(veer run -- ./short)"
}

identity() { # what a program sees of itself
	make_which
	same "$(pwd -P)/which" "$(veer run -- ./which exe)"
	ln -s which link
	same "$(pwd -P)/which" "$(veer run -- ./link exe)"
	cat >self.c <<'C'
#include <stdio.h>
#include <string.h>
extern char **environ;
int main(int argc, char **argv) {
	(void)argc;
	char comm[64] = "";
	FILE *f = fopen("/proc/self/comm", "r");
	if (fgets(comm, sizeof comm, f)) comm[strcspn(comm, "\n")] = 0;
	int n = 0;
	for (char **e = environ; *e; e++) n++;
	for (int fd = 0; fd < 64; fd++) {
		char p[32];
		snprintf(p, sizeof p, "/proc/self/fd/%d", fd);
		FILE *x = fd == fileno(f) ? NULL : fopen(p, "r");
		if (x && fd > 2 && fd != fileno(x)) n += 1000;
		if (x) fclose(x);
	}
	printf("%s %s %d\n", argv[0], comm, n);
	return 0;
}
C
	veer-cc self.c -o self
	same "$(env -i A=1 B=2 ./self </dev/null)" "$(veer run -- env -i A=1 B=2 ./self </dev/null)"
	same "other self 2" "$(veer run -- perl -e 'exec {"./self"} "other"' </dev/null | sed 's/ [0-9]*$/ 2/')"
}

exit_status() {
	make_which
	for n in 0 1 77 255; do same "$n" "$(status veer run -- ./which status $n)"; done
	same 143 "$(status sh -c 'veer run -- ./which kill 15')"
	same 137 "$(status sh -c 'veer run -- ./which kill 9')"
	same 3 "$(status veer run -- sh -c './which status 3; exit $?')"
	same 127 "$(status veer run -- sh -c 'nonexistent-command 2>/dev/null')"
}

streams() {
	cat >copy.c <<'C'
#include <stdio.h>
int main(void) { int c; while ((c = getchar()) != EOF) { putchar(c); if (c == '\n') fputs("e\n", stderr); } return 0; }
C
	veer-cc copy.c -o copy
	head -c 300000 /dev/urandom >data
	veer run -q -- ./copy <data >out 2>err
	cmp data out
	same "$(tr -cd '\n' <data | wc -c)" "$(wc -l <err)"
	# A shared standard input: the first reader must not take more than it reads.
	printf 'one\ntwo\n' >lines
	same "one-two" "$(veer run -- sh -c 'read a; ./copy | { read b; echo "$a-$b"; }' <lines 2>/dev/null)"
}

libraries() {
	mkdir lib plugins
	printf 'int helper(void) { int a[2] = {0, 0}, *volatile p = a; return p[2]; }\n' >helper.c
	printf 'int plugin(int n) { int m = 2147483647; return (m + n) != 0; }\n' >plugin.c
	cat >main.c <<'C'
#include <dlfcn.h>
#include <stdio.h>
int helper(void);
int main(int argc, char **argv) {
	(void)argv;
	void *h = dlopen("plugins/plugin.so", RTLD_NOW);
	if (!h) { puts(dlerror()); return 1; }
	int (*f)(int) = (int (*)(int))dlsym(h, "plugin");
	f(argc);
	puts("loaded");
	fflush(stdout);
	return argc > 1 ? helper() : 0;
}
C
	veer-cc -fPIC -shared helper.c -o lib/libhelper.so
	veer-cc -fPIC -shared plugin.c -o plugins/plugin.so
	veer-cc main.c -Llib -lhelper '-Wl,-rpath,$ORIGIN/lib' -o main
	out=$(veer run -- ./main 2>&1)
	contains "$out" loaded
	contains "$out" "signed-add-overflow at $(pwd -P)/plugin.c:1 in plugin"
	out=$(veer run -- ./main x 2>&1) || true
	contains "$out" "stack-buffer-overflow at $(pwd -P)/helper.c:1 in helper"
	# The same through LD_LIBRARY_PATH, as libtool's wrappers do it.
	veer-cc main.c -Llib -lhelper -o main2
	out=$(veer run -- env LD_LIBRARY_PATH=lib ./main2 x 2>&1) || true
	contains "$out" "helper.c:1 in helper"
	# A program that is not veer's loads veer's library: it stays native and works.
	"$CLANG" main.c -Llib -lhelper '-Wl,-rpath,$ORIGIN/lib' -o foreign
	same loaded "$(veer run -- ./foreign 2>/dev/null)"
}

moved_libraries() { # the library path of the program as it is now, not as it was linked
	mkdir old new
	echo 'int where(void) { return 1; }' >a.c
	echo 'int where(void) { return 2; }' >b.c
	echo 'int where(void); int main(void) { return where(); }' >main.c
	veer-cc -fPIC -shared a.c -o old/libwhere.so
	veer-cc -fPIC -shared b.c -o new/libwhere.so
	veer-cc main.c -Lold -lwhere '-Wl,-rpath,$ORIGIN/old' -o main
	same 1 "$(status veer run -- ./main)"
	# as chrpath does it: a string of the same length in place
	sed 's/\$ORIGIN\/old/$ORIGIN\/new/' main >moved
	chmod +x moved
	same 2 "$(status ./moved)"
	same 2 "$(status veer run -- ./moved)"
}

own_paths() { # /proc/self means the program's self, and executing it again stays a variant
	make_which
	mkdir sub
	sed 's/"sanitized"/"sanitized in sub"/; s/"native"/"native in sub"/' which.c >sub/which.c
	veer-cc -O2 sub/which.c -o sub/which
	same "sanitized in sub" "$(veer run -- sh -c 'cd sub && exec /proc/self/cwd/which')"
	cat >again.c <<'C'
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv) {
	if (argc == 1) execl("/proc/self/exe", argv[0], "x", (char *)0);
	char *p = malloc(1);
	return p[argc];
}
C
	veer-cc again.c -o again
	veer run --error-exitcode 9 -- ./again 2>err && die "the error was not seen"
	contains "$(cat err)" "heap-buffer-overflow at"
	lacks "$(cat err)" "==ERROR"
}

hidden_symbols() { # an executable that exports only what a version script names
	printf 'V1 {\n\tglobal: exported;\n\tlocal :\n\t\t*;\n};\n' >map
	cat >plugin.c <<'C'
#include <stdio.h>
#include <stdlib.h>
int exported(int);
int plugin(int n) {
	char text[64], *line = NULL; // a frame that AddressSanitizer instruments
	size_t size = 0;
	snprintf(text, sizeof text, "%d", exported(n));
	FILE *f = fmemopen(text, sizeof text, "r");
	if (getline(&line, &size, f) < 0) return 1; // libc allocates, the program frees
	fclose(f);
	free(line);
	return atoi(text);
}
C
	cat >main.c <<'C'
#include <dlfcn.h>
#include <stdio.h>
int exported(int n) { return n + 41; }
int main(void) {
	void *h = dlopen("./plugin.so", RTLD_NOW);
	if (!h) { puts(dlerror()); return 1; }
	printf("%d\n", ((int (*)(int))dlsym(h, "plugin"))(1));
	return 0;
}
C
	veer-cc -fPIC -shared plugin.c -o plugin.so
	for ld in bfd lld; do
		veer-cc -fuse-ld=$ld main.c -rdynamic -Wl,--version-script=map -o main
		same 42 "$(./main)"
		same 42 "$(veer run -q -- ./main 2>&1)"
		same 42 "$(veer run -q --variant traced -- ./main 2>&1)"
	done
}

static_program() {
	make_which
	veer-cc -O2 -static which.c -o static
	same "native" "$(./static)"
	same "sanitized" "$(veer run -- ./static)"
}

processes() { # fork, vfork, threads, exec from a thread, background processes
	make_which
	cat >many.c <<'C'
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
extern char **environ;
static void *thread(void *x) { execl("./which", "which", "thread", (char *)0); return x; }
int main(void) {
	char *args[] = {"which", "spawn", 0};
	pid_t pid;
	int status;
	posix_spawn(&pid, "./which", 0, 0, args, environ);
	waitpid(pid, &status, 0);
	if ((pid = vfork()) == 0) { execl("./which", "which", "vfork", (char *)0); _exit(1); }
	waitpid(pid, &status, 0);
	if ((pid = fork()) == 0) { execl("/nonexistent", "x", (char *)0); execl("./which", "which", "fork", (char *)0); }
	waitpid(pid, &status, 0);
	fflush(stdout);
	pthread_t t;
	pthread_create(&t, 0, thread, 0);
	pthread_join(t, 0);
	return 1;
}
C
	veer-cc many.c -pthread -o many
	same "sanitized spawn
sanitized vfork
sanitized fork
sanitized thread" "$(veer run -- ./many)"
	# A daemon outlives the command and still runs as its variant; nobody waits for it.
	rm -f late
	veer run -- sh -c '(sleep 1; ./which late >late) >/dev/null 2>&1 &'
	[ ! -e late ] || die "the run waited for a background process"
	for i in 1 2 3 4 5 6 7 8 9 10 11 12; do [ -s late ] || sleep 0.3; done
	same "sanitized late" "$(cat late)"
}

stop_and_continue() {
	make_which
	same 1 "$(veer run -- sh -c 'sleep 5 & p=$!; kill -STOP $p; sleep 0.2; grep -c "State:.[Tt]" /proc/$p/status; kill -CONT $p; kill $p' 2>/dev/null)"
	# A signal to veer reaches the command.
	cat >wait.c <<'C'
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static void h(int s) { (void)s; _exit(5); }
int main(void) { signal(SIGTERM, h); puts("ready"); fflush(stdout); sleep(20); return 0; }
C
	veer-cc wait.c -o wait
	veer run -- ./wait >ready &
	pid=$!
	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do [ -s ready ] || sleep 0.2; done
	kill -TERM $pid
	code=0
	wait $pid || code=$?
	same 5 $code
}

same_variant_twice() { # two runs build the same variant at the same time
	make_which
	rm -rf "$VEER_CACHE_DIR"
	for i in 1 2 3 4; do veer run -- ./which $i >out$i & done
	wait
	for i in 1 2 3 4; do same "sanitized $i" "$(cat out$i)"; done
	same 1 "$(find "$VEER_CACHE_DIR/programs" -type f | wc -l)"
	# Tracers, which live as long as anything that they trace, tidy up after veer has ended.
	for i in 1 2 3 4 5 6 7 8 9 10; do
		left=$(find "$VEER_CACHE_DIR/tmp" "$VEER_CACHE_DIR/runs" -mindepth 1 ! -name '*.lock' 2>/dev/null | wc -l)
		[ "$left" -ne 0 ] || break
		sleep 0.5
	done
	same 0 "$left"
}

shared_units() { # units are instrumented once, however many programs hold them
	make_which
	echo 'int common(void) { return 1; }' >common.c
	veer-cc -c common.c
	for p in a b c; do
		echo "int common(void); int main(void) { return common() - 1 + 0 * '$p'; }" >$p.c
		veer-cc $p.c common.o -o $p
	done
	veer clean >/dev/null
	veer run -- sh -c './a; ./b; ./c'
	same 4 "$(find "$VEER_CACHE_DIR/units" -name '*.o' | wc -l)"
}

rebuilt_program() { # the variant follows the program
	make_which
	same "sanitized" "$(veer run -- ./which)"
	sed -i 's/"native"/"native2"/; s/"sanitized"/"sanitized2"/' which.c
	veer-cc -O2 which.c -o which
	same "sanitized2" "$(veer run -- ./which)"
	# within one run, too
	same "sanitized2
sanitized3" "$(veer run -- sh -c './which; sed -i s/sanitized2/sanitized3/ which.c; veer-cc -O2 which.c -o which; ./which')"
}

another_user() { # who cannot reach the cache runs the program natively
	make_which
	[ "$(id -u)" = 0 ] || skip "only root can become another user"
	chmod 755 . which
	chmod 711 "$SCRATCH"
	chmod 700 "$VEER_CACHE_DIR"
	# through a shell: setpriv itself keeps root's capabilities until it executes something
	same "native u" "$(veer run -- setpriv --reuid=65534 --clear-groups sh -c './which u')"
	chmod 755 "$VEER_CACHE_DIR"
	same "sanitized u" "$(veer run -- setpriv --reuid=65534 --clear-groups sh -c './which u')"
	chmod 700 "$SCRATCH"
}

limits() { # what cannot work under a tracer is told, once
	cat >tracer.c <<'C'
#include <stdio.h>
#include <sys/ptrace.h>
int main(void) { for (int i = 0; i < 3; i++) printf("%ld", ptrace(PTRACE_TRACEME, 0, 0, 0)); return 0; }
C
	veer-cc tracer.c -o tracer
	same "0-1-1" "$(./tracer)"
	same "-1-1-1" "$(veer run -q -- ./tracer 2>err)"
	same 1 "$(wc -l <err)"
	contains "$(cat err)" "traces processes"
}

try "programs run as their variant" plain
try "shells, env -i, scripts, pipelines, make, perl" harness
try "a veer-built interpreter" interpreter
try "what a program sees of itself" identity
try "exit status and signals" exit_status
try "standard streams" streams
try "shared libraries, \$ORIGIN, dlopen" libraries
try "executables that hide their symbols" hidden_symbols
try "libraries that moved" moved_libraries
try "/proc/self" own_paths
try "static programs" static_program
try "fork, vfork, spawn, threads, daemons" processes
try "stop, continue, signals to veer" stop_and_continue
try "the same variant built twice at once" same_variant_twice
try "units are shared" shared_units
try "a rebuilt program" rebuilt_program
try "another user" another_user
try "limits are told" limits
finish
