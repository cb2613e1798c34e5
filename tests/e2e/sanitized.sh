#!/bin/sh
# The sanitized variant: each kind of bug is seen, at its source line, and clean
# programs stay clean. A program under test has its bug on the line marked BUG.
. "$(dirname "$0")/lib.sh"

# bug KIND LEVEL: the program in prog.c must be reported so, at the marked line
bug() {
	line=$(grep -n BUG prog.c | cut -d: -f1)
	veer-cc -O2 prog.c -o prog
	veer run -- ./prog x >out 2>err || true
	contains "$(cat err)" "$2"
	contains "$(cat err)" "$1"
	contains "$(cat err)" "/prog.c:$line in "
}

heap_overflow() {
	cat >prog.c <<'C'
#include <stdlib.h>
int main(int n, char **v) {
	char *p = malloc((size_t)n);
	(void)v;
	p[n] = 1; // BUG
	free(p);
	return 0;
}
C
	bug heap-buffer-overflow error
}

unused_store() { # the optimiser would delete it
	cat >prog.c <<'C'
int main(int n, char **v) {
	char b[4];
	(void)v;
	volatile int i = n + 5;
	char *p = b + i;
	*p = 1; // BUG
	return 0;
}
C
	bug stack-buffer-overflow error
}

global_overflow() {
	cat >prog.c <<'C'
int table[4];
int main(int n, char **v) {
	(void)v;
	int *p = table;
	return p[n + 2]; // BUG
}
C
	bug global-buffer-overflow error
}

after_free() {
	cat >prog.c <<'C'
#include <stdlib.h>
#include <string.h>
int main(int n, char **v) {
	char *p = strdup(v[n - 1]);
	free(p);
	return p[0]; // BUG
}
C
	bug heap-use-after-free error
}

after_scope() {
	cat >prog.c <<'C'
int main(int n, char **v) {
	int *p = &n;
	(void)v;
	{
		int inner = n;
		p = &inner;
	}
	return *p; // BUG
}
C
	bug stack-use-after-scope error
}

division() {
	cat >prog.c <<'C'
int main(int n, char **v) {
	(void)v;
	return 10 / (n - 2); // BUG
}
C
	bug division-by-zero warning
	contains "$(cat err)" "FPE"
}

# warns KIND CODE: CODE, with n = 2 and v = argv, has that undefined behaviour and goes on
warns() {
	{
		echo '#include <limits.h>'
		echo '#include <string.h>'
		echo 'int sink;'
		echo 'enum e { A, B };'
		echo 'int main(int n, char **v) { (void)v; (void)n;'
		echo "$2 // BUG"
		echo 'return 7; }'
	} >prog.c
	bug "$1" warning
	same 7 "$(status veer run -q -- ./prog x)"
}

undefined_behaviour() {
	warns signed-add-overflow 'sink = INT_MAX - 1 + n;'
	warns signed-subtract-overflow 'sink = INT_MIN + 1 - n;'
	warns signed-multiply-overflow 'sink = INT_MAX * n;'
	warns signed-negate-overflow 'sink = -(INT_MIN + n - 2);'
	warns shift 'sink = 1 << (n + 30);'
	warns shift 'sink = n << (n + 62);'
	warns misaligned 'char b[16] = {0}; int *p = (int *)(b + n - 1); sink = *p;'
	warns float-cast-overflow 'double d = 1e30 * n; sink = (int)d;'
	warns nonnull-argument 'memcpy(n == 2 ? NULL : v, v, 0);'
	warns pointer-overflow 'char *volatile p = (char *)(long)(n - 2); sink = (p + n) != 0;'
	warns vla-bound 'int m = n - 2; char b[m]; sink = (int)sizeof b;'
	warns invalid-builtin 'sink = __builtin_clz(n - 2);'
	warns invalid-value 'char c = (char)n; sink = *(_Bool *)&c;'
	warns index-out-of-bounds 'struct { int a[2]; int b[9]; } s = {0}; sink = s.a[n];'
}

null_pointer() {
	cat >prog.c <<'C'
int main(int n, char **v) {
	int *p = n == 2 ? 0 : &n;
	(void)v;
	return *p; // BUG
}
C
	bug null-pointer warning
	contains "$(cat err)" "error   SEGV"
}

end_of_the_world() {
	cat >prog.c <<'C'
static int f(int n) {
	if (n == 1)
		return 1;
	__builtin_unreachable(); // BUG
}
int main(int n, char **v) { (void)v; return f(n); }
C
	bug unreachable warning
	same 134 "$(status veer run -q -- ./prog x)"
}

clean() {
	cat >prog.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct s { unsigned a : 3; int b; };
int main(int n, char **v) {
	char *copy = strdup(v[0]);
	struct s *x = calloc((size_t)n, sizeof *x);
	for (int i = 0; i < n; i++)
		x[i].b = (int)strlen(copy) / (i + 1);
	printf("%d\n", x[n - 1].b > 0);
	unsigned hash = 5381u;
	for (char *p = copy; *p; p++)
		hash = hash * 33u + (unsigned char)*p;
	free(copy);
	free(x);
	return hash == 1;
}
C
	veer-cc -O2 prog.c -o prog
	same 1 "$(veer run -- ./prog a b c 2>err)"
	same "veer: no error: 1 start of programs, 0 of libraries as the sanitized variant" "$(cat err)"
	same "" "$(veer run -q -- ./prog 2>&1 >/dev/null)"
	[ ! -e veer-out ]
}

respects_source() { # what the source excludes stays excluded
	cat >prog.c <<'C'
__attribute__((no_sanitize("address", "undefined"))) int raw(int *p, int n) { return p[n] + 2147483647; }
int main(int n, char **v) { int a[2] = {1, 2}; (void)v; return raw(a, n) == 0; }
C
	veer-cc prog.c -o prog
	same "" "$(veer run -q -- ./prog 2>&1)"
	echo 'int main(int n, char **v) { (void)v; return (2147483647 + n) == 0; }' >wrap.c
	veer-cc -fwrapv wrap.c -o wrap
	same "" "$(veer run -q -- ./wrap 2>&1)"
}

grouped() { # the same place counts once, and memory errors are not hidden by warnings
	cat >prog.c <<'C'
#include <stdlib.h>
int main(int n, char **v) {
	int max = 2147483647;
	(void)v;
	for (int i = 0; i < 1000; i++)
		max = 2147483647 + n;
	char *p = malloc(1);
	return n > 1 ? p[n] : 0;
}
C
	veer-cc prog.c -o prog
	veer run -- sh -c './prog; ./prog; ./prog x || true' 2>err
	contains "$(cat err)" "1 memory error, undefined behaviour at 1 place"
	contains "$(cat err)" "(3 times)"
	same "error warning" "$(sed -n 's/^veer:   \([a-z]*\).*/\1/p' err | tr '\n' ' ' | sed 's/ $//')"
	ls veer-out/reports/address.* >/dev/null
	same 9 "$(status veer run -q --error-exitcode 9 -- ./prog x)"
	same 0 "$(status veer run -q --error-exitcode 9 -- ./prog)"
}

without_a_run() { # the variant started by hand reports on standard error, as sanitizers do
	echo 'int main(int n, char **v) { (void)v; return (2147483647 + n) == 0; }' >prog.c
	veer-cc prog.c -o prog
	veer run -q -- ./prog
	out=$(find "$VEER_CACHE_DIR/programs" -name prog -exec {} \; 2>&1)
	contains "$out" "runtime error: signed integer overflow in an addition"
}

wide_arithmetic() { # needs functions that only the compiler's own library has
	cat >prog.c <<'C'
#include <stdio.h>
int main(int n, char **v) {
	__int128 x = n;
	(void)v;
	for (int i = 0; i < 40; i++)
		x = x * 1000 + i; // BUG
	printf("%d\n", (int)(x % 97));
	return 0;
}
C
	bug signed-multiply-overflow warning
	same "$(./prog x)" "$(veer run -q -- ./prog x)"
}

missing_function() { # natively proven unreachable, so never defined
	cat >prog.c <<'C'
int nowhere(int);
static int pick(int n) { return n > 0 ? 1 : nowhere(n); }
int main(void) { return pick(3) - 1; }
C
	veer-cc -O2 prog.c -o prog
	same 0 "$(status veer run -- ./prog)"
	for variant in sanitized traced; do same "" "$(veer run -q --variant $variant -- ./prog 2>&1)"; done
}

try "heap overflow" heap_overflow
try "unused store" unused_store
try "global overflow" global_overflow
try "use after free" after_free
try "use after scope" after_scope
try "division by zero" division
try "each kind of undefined behaviour, and on it goes" undefined_behaviour
try "null pointer" null_pointer
try "unreachable code ends the run" end_of_the_world
try "a clean program" clean
try "no_sanitize and -fwrapv" respects_source
try "grouping and exit code" grouped
try "a variant started by hand" without_a_run
try "128-bit arithmetic" wide_arithmetic
try "a function that is missing" missing_function
finish
