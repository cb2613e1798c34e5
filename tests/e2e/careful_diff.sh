#!/bin/sh
# What veer cover and veer diff read, write and print when names, links and files around them are anybody's.
. "$(dirname "$0")/lib.sh"

cat >"$SCRATCH/p.c" <<'END'
#include <stdio.h>
struct pair { int left, right; };
int weigh(struct pair *pair)
{
	static int room[4];
	if (pair->left == 77)
		return room[pair->right];
#ifdef NEW
	printf("%d of it\n", pair->right);
#endif
	return pair->left + 1;
}
int main(int argc, char **argv)
{
	struct pair pair = {argc > 1 ? argv[1][0] & 3 : 0, argc};
	return weigh(&pair) & 7;
}
END
mkdir "$SCRATCH/old" "$SCRATCH/new" "$SCRATCH/other"
(cd "$SCRATCH/old" && veer-cc -g -w ../p.c -o p)
(cd "$SCRATCH/new" && veer-cc -g -w -DNEW ../p.c -o p)
(cd "$SCRATCH/other" && sed 's/+ 1;/+ 2;/' ../p.c >q.c && veer-cc -g -w q.c -o p) || exit 1

differ() { veer diff -q -j1 --runs 30 --budget 20s "$@" -- a </dev/null || [ $? -eq 1 ]; }

# --- names ---------------------------------------------------------------------------------

# Names in debug information and bitcode are anybody's: here functions, types, fields and files have such.
odd_program() { # folder, options
	mkdir "$1"
	(
		cd "$1"
		clang-19 ${2-} -w -g -O0 -Xclang -disable-O0-optnone -S -emit-llvm "$SCRATCH/p.c" -o p.ll
		function='we\\1B[31m\\E2\\80\\AE\\FFforged*/igh'
		sed -i -e "s|DISubprogram(name: \"weigh\"|DISubprogram(name: \"$function\"|" -e "s|@weigh(|@\"$function\"(|g" \
			-e 's/name: "pair"/name: "pa\\1B[31m\\E2\\80\\AE\\0Aforged*\/ir"/' \
			-e 's/name: "left"/name: "le\\1B[31m\\E2\\80\\AE\\0Aforged*\/ft"/' \
			-e 's/filename: "[^"]*p\.c"/filename: "od\\1B[31m\\E2\\80\\AE\\0Aforged.c"/' p.ll
		veer-cc -g p.ll -o p
	)
}

# honest FILE: it is clean, and a name has made no line of its own
honest() {
	clean "$1"
	if grep -n '^[ #/*]*forged' "$1"; then die "a forged line in $1"; fi
}

cover_names() {
	odd_program odd
	veer cover -j1 --runs 300 --budget 20s --possible-all -v odd/p >said 2>&1
	contains "$(cat said)" "forged"
	honest said
	veer report --possible-all >said 2>&1
	contains "$(cat said)" "forged"
	honest said
	veer report --possible-all --format html >>said
	veer report --possible-all --format sarif --to said.sarif
	veer report --possible-all --format junit --to said.xml
	veer report --format lcov --to said.info
	veer coverage --functions >table 2>&1 || veer coverage >table
	veer explain F1 >explained
	contains "$(cat explained)" "forged"
	python3 -m json.tool said.sarif >/dev/null
	python3 -m json.tool veer-out/results.json >/dev/null
	python3 -c 'import xml.dom.minidom; xml.dom.minidom.parse("said.xml")'
	for file in said said.sarif said.xml said.info table explained veer-out/report.html veer-out/results.json; do clean $file; done
	honest explained
	same 1 "$(grep -c '^SF:' said.info)"
	veer export --as c --to c >said 2>&1 || true
	honest said
	for file in c/*; do [ ! -f "$file" ] || honest "$file"; done
}

diff_names() {
	odd_program old ""
	odd_program new -DNEW
	veer diff --changes -o changes old/p new/p >said 2>&1
	contains "$(cat said)" "forged"
	honest said
	honest changes/changes.txt
	differ -v --markdown page.md old/p new/p >said 2>&1
	contains "$(cat said)" "D1 "
	contains "$(cat said)" "forged"
	honest said
	honest page.md
	honest veer-diff/changes.txt
	honest veer-diff/differences/D1/report.txt
	honest veer-diff/differences/D1/reproduce.sh
	sh -n veer-diff/differences/D1/reproduce.sh
	veer report -o veer-diff >said
	honest said
	veer report -o veer-diff --format html >>said
	veer report -o veer-diff --format sarif --to said.sarif
	python3 -m json.tool said.sarif >/dev/null
	python3 -m json.tool veer-diff/results.json >/dev/null
	for file in veer-diff/report.html veer-diff/results.json said.sarif; do clean $file; done
	veer export -o veer-diff --as c --to c >said 2>&1 || true
	veer export -o veer-diff --as sh --to sh >>said 2>&1 || true
	honest said
	for file in c/* sh/*; do [ ! -f "$file" ] || honest "$file"; done
}

# What a version prints reaches reports without what drives terminals, ends code in pages, or mentions anybody.
diff_output() {
	cat >q.c <<'END'
#include <stdio.h>
int main(int argc, char **argv)
{
#ifdef NEW
	fputs("\033]0;title\007\xe2\x80\xae\xff\n```\n# @somebody\n</script><script>alert(1)</script>\n[x](javascript:1)\n", stdout);
#endif
	return argc;
}
END
	mkdir old new
	veer-cc -g -w q.c -o old/q
	veer-cc -g -w -DNEW q.c -o new/q
	differ -v --markdown page.md old/q new/q >said 2>&1
	contains "$(cat said)" "D1 "
	contains "$(cat page.md)" "@somebody"
	veer report -o veer-diff >text
	veer report -o veer-diff --format html >/dev/null
	veer report -o veer-diff --format sarif --to said.sarif
	for file in said page.md text veer-diff/report.html veer-diff/results.json said.sarif; do clean $file; done
	lacks "$(cat veer-diff/report.html)" "<script>alert"
	python3 - <<'END'
lines = open("page.md").read().split("\n")
fence = None
for line in lines:
    ticks = len(line) - len(line.lstrip("`"))
    if fence is None and ticks >= 3:
        fence = ticks
    elif fence is not None and ticks >= fence and not line.strip("`"):
        fence = None
    elif fence is None and ("@somebody" in line or "<script" in line):
        raise SystemExit("outside of code: " + line)
assert fence is None
END
}

# --- links and files that are somebody else's -----------------------------------------------------

# refuses PART COMMAND...: one line, and what the link leads to stays as it was
refuses() {
	part=$1
	shift
	same 2 "$(status "$@" 2>said </dev/null | tail -n 1)"
	one_line "$(cat said)"
	contains "$(cat said)" "$part"
	same "" "$(ls target)"
}

repository() {
	mkdir repository
	cd repository
	git init -q .
	git config user.email nobody@localhost
	git config user.name nobody
	cp "$SCRATCH/p.c" .
	printf 'all: p q\np: p.c\n\t$(CC) -g -w p.c -o p\nq: p.c\n\t$(CC) -g -w p.c -o q\n' >Makefile
	ln -s "$PWD/../mine" way
	git add .
	git commit -q -m one
	sed -i 's/+ 1;/+ 2;/' p.c
	git commit -q -a -m two
}

links() {
	mkdir target mine
	differ -o out "$SCRATCH/old/p" "$SCRATCH/new/p" >/dev/null
	cp -r out at
	rm -r at/differences
	ln -s "$PWD/target" at/differences
	refuses "at/differences is a link, not a folder" veer diff -q -j1 --runs 30 -o at "$SCRATCH/old/p" "$SCRATCH/new/p" -- a
	(repository)
	for name in versions programs; do
		rm -rf at
		mkdir at
		ln -s "$PWD/target" at/$name
		(cd repository && differ -o ../at HEAD~1 HEAD) >said 2>&1 || true
		contains "$(cat said)" "../at/$name is a link, not a folder"
		same "" "$(ls target)"
	done
	echo kept >target/file
	rm -rf at
	mkdir at
	for name in build-old.log build-new.log changes.txt; do ln -s "$PWD/target/file" at/$name; done
	(cd repository && differ -o ../at --program p HEAD~1 HEAD) >said 2>&1
	same kept "$(cat target/file)"
	[ ! -L at/build-old.log ] && [ ! -L at/changes.txt ]
	printf 'int twice(int x)\n{\n\treturn x > 5 ? 2 * x : 0;\n}\n' >lib.c
	veer-cc -g -c lib.c && ar crs libtwice.a lib.o
	rm -rf at target/file
	mkdir at
	ln -s "$PWD/target" at/host
	same 1 "$(status veer cover -q -j1 --runs 5 -o at libtwice.a 2>said | tail -n 1)"
	contains "$(cat said)" "at/host is a link, not a folder"
	same "" "$(ls target)"
	mkdir -p next/host
	echo kept >target/file
	for name in host host.c host.log; do ln -s "$PWD/target/file" next/host/$name; done
	veer cover -q -j1 --runs 5 -o next libtwice.a >/dev/null
	same kept "$(cat target/file)"
}

# A folder of the user's in which veer diff finds the names that it uses.
own_files() {
	mkdir -p out/differences/D7 out/differences/Drafts out/versions out/programs
	echo mine >out/differences/notes
	echo mine >out/differences/Drafts/text
	differ -o out "$SCRATCH/old/p" "$SCRATCH/new/p" >/dev/null
	[ -s out/differences/D1/reproduce.sh ] && [ ! -e out/differences/D7 ]
	same mine "$(cat out/differences/notes)"
	same mine "$(cat out/differences/Drafts/text)"
}

# A link of a commit that is a folder in the working tree: what the link leads to is the user's.
linked_tree() {
	mkdir mine
	echo precious >mine/file
	(
		repository
		git update-index --assume-unchanged way
		rm way
		mkdir way
		echo new >way/file
		differ -o ../out --program p HEAD
	) >said 2>&1
	same precious "$(cat mine/file)"
	contains "$(cat out/changes.txt)" "no difference in code"
}

# Another command with the same folder waits for nobody's campaign, and removes none that somebody is at work with.
at_work() {
	cat >endless.c <<'END'
#include <unistd.h>
int main(void)
{
	char c;
	unsigned hash = 0;
	while (read(0, &c, 1) == 1)
		hash = c > 'm' ? hash * 31 + (unsigned char)c : hash ^ STEP;
	return hash == 12345678;
}
END
	mkdir old new
	veer-cc -g -DSTEP=5 endless.c -o old/e
	veer-cc -g -DSTEP=6 endless.c -o new/e
	veer diff -q -j1 --budget 100s -o out old/e new/e <endless.c >first 2>&1 &
	pid=$!
	for _ in $(seq 300); do
		[ "$(sqlite3 out/veer.db 'select count(*) from inputs' 2>/dev/null || echo 0)" -gt 3 ] && break
		sleep 0.1
	done
	same 2 "$(status veer diff -q -j1 --runs 5 -o out "$SCRATCH/old/p" "$SCRATCH/other/p" 2>said </dev/null | tail -n 1)"
	contains "$(cat said)" "the campaign out is in use by process $pid"
	[ -s out/veer.db ]
	kill -INT $pid
	code=0
	wait $pid || code=$?
	same 130 $code
	same ok "$(sqlite3 out/veer.db 'pragma integrity_check')"
}

# What a killed veer diff left in the cache is removed by the next veer.
leftovers() {
	VEER_CACHE_DIR=$PWD/cache
	(repository)
	(cd repository && exec veer diff -q -o ../at --build "sleep 8" HEAD~1 HEAD) >said 2>&1 &
	pid=$!
	for _ in $(seq 300); do
		[ "$(find cache/tmp -name Makefile 2>/dev/null)" ] && break
		sleep 0.1
	done
	kill -KILL $pid
	wait $pid || true
	[ "$(find cache/tmp -name Makefile)" ] || die "it left nothing"
	left() { find cache/runs cache/tmp -mindepth 1 -maxdepth 1 -type d; }
	for _ in $(seq 50); do
		veer run -q -- true
		if [ -z "$(left)" ]; then break; fi
		sleep 0.2
	done
	same "" "$(left)"
}

# A signal while the tests run: nothing is compared afterwards.
while_recording() {
	cat >suite <<END
"$SCRATCH/new/p" a
touch recorded
sleep 20
END
	veer diff -j1 --tests 'sh suite' -o out "$SCRATCH/old/p" "$SCRATCH/new/p" >said 2>&1 </dev/null &
	pid=$!
	for _ in $(seq 300); do
		[ -e recorded ] && break
		sleep 0.1
	done
	kill -INT $pid
	code=0
	wait $pid || code=$?
	same 130 $code
	contains "$(cat said)" "veer: interrupted while recording; nothing was compared"
	lacks "$(cat said)" "inputs compared"
}

# Into a pipe, which has no beginning to read.
markdown_pipe() {
	timeout -k 5 60 veer diff -q -j1 --runs 30 --markdown /dev/stdout "$SCRATCH/old/p" "$SCRATCH/new/p" -- a </dev/null | cat >said
	contains "$(cat said)" "### veer: 1 difference between"
}

try "names that veer cover shows" cover_names
try "names that veer diff shows" diff_names
try "output that veer diff shows" diff_output
try "links in folders of veer diff and cover are not followed" links
try "files of the user in a folder of veer diff" own_files
try "a link of a commit that is a folder now" linked_tree
try "a folder that another veer diff is at work with" at_work
try "veer diff is interrupted while tests run" while_recording
try "leftovers of a killed veer diff are removed" leftovers
try "a comment into a pipe" markdown_pipe
finish
