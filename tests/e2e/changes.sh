#!/bin/sh
# veer diff --changes: which functions, data and types of a program changed, and which did not.
. "$(dirname "$0")/lib.sh"
SOURCE=$VEER_SOURCE/tests/programs/diff/stock.c

# version NAME SED-SCRIPT: builds stock.c, edited, in a folder of that name
version() {
	mkdir "$1"
	sed -E "$2" "$SOURCE" >"$1/stock.c"
	(cd "$1" && veer-cc -g -O1 -w stock.c -o stock "${3:--DX}")
}

# changed SED-SCRIPT: what of the program, edited, is different
changed() {
	[ -d old ] || version old ''
	rm -rf new
	version new "$1" "${2:--DX}"
	! cmp -s old/stock.c new/stock.c || [ "${2:-}" ] || die "no edit: $1"
	veer diff --changes old/stock new/stock >out
	sed -n 's/^  \(code\|data\|message\|rewritten\|layout\|layout-raw\|members\|added\|deleted\|value\) *\([a-z_. ]*[a-z]\)  .*/\1 \2/p' out |
		sort | paste -s -d ',' -
}

# unchanged SED-SCRIPT
unchanged() {
	same "" "$(changed "$1")"
	contains "$(cat out)" "no difference in code"
}

comments() {
	unchanged 's|^static int total|/* The sum of it all,\n * at most the limit.\n */\n\n&|'
	unchanged 's/assert\(n >= 0\);/\n\n\t&/' # its line is an argument of a call
	unchanged 's/^\t/        /'
}

# Definitions in another order, with other names of locals and parameters.
order() {
	unchanged '/^static int clamp/,/^}/d; s/^static int limit.*/&\nstatic int clamp(int value);/
		s/^static command \*const.*/static int clamp(int value)\n{\n\tif (value > limit)\n\t\treturn limit;\n\treturn value < 0 ? 0 : value;\n}\n&/'
	unchanged 's/\bsum\b/all/g; s/\bvalue\b/x/g'
	unchanged 's/int sum = 0;/int unused = 0, &/; s/unused = 0, int sum/unused, sum/' # nobody sees it
	unchanged 's/^static int limit = 100;//; s/^static const char \*const units.*/&\nstatic int limit = 100;/'
}

# A function that is called otherwise is the same one, and who calls it is, too.
renamed() {
	unchanged 's/\bclamp\b/bounded/g'
	contains "$(cat out)" "renamed: clamp -> bounded"
	unchanged 's/\bunits\b/measures/g; s/\blimit\b/most/g'
	contains "$(cat out)" "renamed: units -> measures"
}

# A structure has another layout: code that only names its members is the same, also where it is copied whole.
layouts() {
	same "layout main,layout total" "$(changed 's/^\tint price;/\tlong weight;\n&/; s/\{1, 20, /{1, 0, 20, /; s/\{3, 4, /{3, 0, 4, /' |
		sed 's/layout count,//')"
	contains "$(cat out)" "no difference in code"
	contains "$(cat out)" "struct item"
	contains "$(cat out)" "+ long weight"
	same "layout count,layout main,layout total" "$(changed 's/^\tint count;//; s/^\tint price;/&\n\tint count;/
		s/\{1, 20, /{20, 1, /; s/\{3, 4, /{4, 3, /')"
	# Another width is another computation.
	contains "$(changed 's/^\tint count;/\tshort count;/')" "code count"
}

functions() {
	same "code clamp" "$(changed 's/value > limit/value >= limit + 1/')"
	contains "$(cat out)" "1 of 5 can behave differently"
	contains "$(cat out)" "lines 20 -> 20"
	contains "$(cat out)" "  1 total"
	contains "$(cat out)" "  2 main" # through a table of pointers
	same "$(cat out)" "$(cat veer-diff/changes.txt)"
	contains "$(cat veer-diff/results.json)" '"name": "clamp", "file": "stock.c", "change": "code", "old_lines": [20], "new_lines": [20]'
	same "code total" "$(changed 's/count \* items/count + items/')"
	same "added spare,code count" "$(changed 's/^static int count/static int spare(int x)\n{\n\treturn x * 3;\n}\n\n&/; s/return sum \+ asked/return spare(sum) + asked/')"
	same "code main,deleted usage" "$(changed '/^static void usage/,/^}/d; s/usage\(\);/exit(2);/')"
	same "code clamp" "$(changed 's/return value < 0 \? 0/return value < 0 ? 1/')"
	same "rewritten main" "$(changed 's/which < 0 \|\| which > 1/which > 1 || which < 0/')"
}

# What the optimiser makes equal is.
rewritten() {
	same "rewritten count" "$(changed 's/sum \+ asked/asked + sum/')"
	contains "$(cat out)" "no difference in code"
	same "rewritten clamp" "$(changed 's/return value < 0/return value <= 0/')"
	same "rewritten clamp" "$(changed 's/return value < 0 \? 0 : value;/if (value < 0)\n\t\tvalue = 0;\n\treturn value;/')"
}

# Data that changed changes who reads it, through tables, too.
data() {
	same "data main,value units" "$(changed 's/"box"/"crate"/')"
	same "data clamp,value limit" "$(changed 's/limit = 100/limit = 10/')"
	same "data main,value commands" "$(changed 's/\{total, count\}/{count, total}/')"
	contains "$(cat out)" "main  stock.c:52: commands"
}

messages() {
	same "message usage" "$(changed 's/usage: stock NUMBER/usage: stock 0|1/')"
}

# __LINE__ and __FILE__ move, and what assertions print of them.
places() {
	unchanged 's/^static int limit/#line 700 "elsewhere.c"\n&/'
	sed 's/^\tcopy = items/\tprintf("%s %d\\n", __FILE__, __LINE__);\n&/' "$SOURCE" >with.c
	mkdir a b
	cp with.c a/stock.c
	sed 's/^int main/\n\n&/' with.c >b/stock.c
	veer-cc -g -w "$PWD/a/stock.c" -o a/stock
	veer-cc -g -w "$PWD/b/stock.c" -o b/stock
	contains "$(veer diff --changes a/stock b/stock)" "no difference in code"
}

# Static functions of one name in several files are told apart, also when a file has moved.
statics() {
	for side in old new; do
		mkdir -p $side/lib
		echo 'static int f(int x) { return x + 1; } int a(int x) { return f(x); }' >$side/a.c
		echo 'static int f(int x) { return x * 2; } int b(int x) { return f(x); }' >$side/b.c
		echo 'int a(int), b(int); int main(int argc, char **argv) { return a(argc) + b(argc); }' >$side/main.c
	done
	sed -i 's/x \* 2/x * 3/' new/b.c
	mv new/a.c new/lib/a.c
	(cd old && veer-cc -g a.c b.c main.c -o prog)
	(cd new && veer-cc -g lib/a.c b.c main.c -o prog)
	veer diff --changes old/prog new/prog >out
	contains "$(cat out)" "1 of 5 can behave differently"
	contains "$(grep '^  code' out)" "f  b.c:1"
}

bad_input() {
	version old ''
	printf 'int other(void) { return 1; }\n' >o.c
	printf 'int _start(void) { for (;;); }\n' >s.c
	$CLANG -nostdlib s.c -o foreign
	veer-cc -nostdlib -static s.c -o apart
	check() { # text, command...
		text=$1
		shift
		! "$@" >out 2>err || die "it succeeded: $*"
		one_line "$(grep -v '^Usage\|^See' err)"
		grep -q "$text" err || die "no '$text' in: $(cat err)"
	}
	check "no such program" veer diff --changes old/stock missing
	check "no bitcode" veer diff --changes old/stock foreign
	check "no ELF file" veer diff --changes o.c old/stock
	check "no function in common" veer diff --changes old/stock apart
	check "neither a program nor a revision\|in no git repository" veer diff --changes old/stock
	printf '\267' | dd of=apart bs=1 seek=18 conv=notrunc 2>/dev/null # another processor
	check "different processors" veer diff --changes old/stock apart
}

try "comments, blank lines and indentation are no change" comments
try "neither are the order of definitions and names of locals" order
try "names that changed" renamed
try "layouts of structures" layouts
try "functions: changed, added, deleted; how far others are from them" functions
try "code that is written otherwise" rewritten
try "data, and who reads it" data
try "messages" messages
try "places in the source" places
try "static functions" statics
try "bad input" bad_input
finish
