#!/bin/sh
# What is told of differences between two versions: veer report and veer export of a campaign of veer diff, a comment for
# a merge request.
# shellcheck disable=SC2016
. "$(dirname "$0")/lib.sh"

# A campaign with two differences, of programs whose names, sources and output are hostile; once for all tests. In `out`;
# the versions are old/prog and new/prog.
campaign() {
	if ! [ -e "$SCRATCH/made" ]; then
		mkdir -p "$SCRATCH/made/old" "$SCRATCH/made/new"
		cd "$SCRATCH/made"
		cat >old/prog.c <<'END'
#include <stdio.h>
#include <stdlib.h>
static int show(const char *text) /* <script>alert("x")</script> ``` @all */
{
	if (*text != '<')
		return 0;
#ifdef NEW
	puts("<script>alert(2)</script> ``` @all");
	return 0;
#else
	puts("<b>old</b>");
	return 3;
#endif
}
static void check(const char *text)
{
	if (*text == '!')
#ifdef NEW
		abort();
#else
		puts("checked");
#endif
}
int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	check(argv[1]);
	return show(argv[1]);
}
END
		cp old/prog.c new/prog.c
		(cd old && veer-cc -g -w prog.c -o prog)
		(cd new && veer-cc -g -w -DNEW prog.c -o prog)
		status veer diff -q -j1 -o out --runs 100 --budget 60s --markdown comment.md old/prog new/prog -- a \
			</dev/null >said 2>&1
		contains "$(cat said)" "D2 "
		cd "$SCRATCH/t"
	fi
	cp -r "$SCRATCH/made/." .
}

# silently COMMAND...: its exit status; what it prints goes to said and err
silently() {
	if "$@" >said 2>err </dev/null; then echo 0; else echo $?; fi
}

text() {
	campaign
	veer report -o out >said
	contains "$(cat said)" "2 differences between old/prog and new/prog"
	contains "$(cat said)" "D1 confirmed, crash in check, prog.c:"
	contains "$(cat said)" '    argument 1: "!'
	contains "$(cat said)" "  old: exit status 0"
	contains "$(cat said)" "  new: signal 6"
	contains "$(cat said)" "  old: exit status 3
    <b>old</b>"
	contains "$(cat said)" "  different  show  prog.c:3: D2:"
	same "$(sed 's/, "seconds.*//' out/results.json | head -n 1)" "$(veer report -o out --format json | sed 's/, "seconds.*//' | head -n 1)"
}

comment() {
	campaign
	same "$(cat comment.md)" "$(veer report -o out --format markdown)"
	contains "$(cat comment.md)" '### veer: 2 differences between `old/prog` and `new/prog`'
	contains "$(cat comment.md)" '````text
<script>alert(2)</script> ``` @all
````'
	# Without a difference in code there is a comment, too.
	status veer diff -q --markdown none.md old/prog old/prog -- a >said
	contains "$(cat none.md)" '### veer: no difference in code between `old/prog` and `old/prog`'
	same 2 "$(silently veer diff -q --markdown no/such/folder old/prog new/prog)"
	contains "$(cat err)" "no/such/folder"
	# What the baseline accepts is counted only.
	status veer diff -q -j1 -o out --runs 100 --write-baseline known old/prog new/prog -- a >said
	status veer diff -q -j1 -o out --runs 100 --baseline known --markdown comment.md old/prog new/prog -- a >said
	contains "$(cat comment.md)" '### veer: no difference found between'
	contains "$(cat comment.md)" '2 more accepted by the baseline'
}

sarif() {
	campaign
	same out/report.sarif "$(veer report -o out --format sarif --root .)"
	python3 - out/report.sarif <<'END'
import json, sys
run, = json.load(open(sys.argv[1]))["runs"]
rules = [r["id"] for r in run["tool"]["driver"]["rules"]]
first, second = run["results"]
assert rules == ["crash", "exit-status"], rules
assert [rules[r["ruleIndex"]] for r in (first, second)] == [r["ruleId"] for r in (first, second)] == rules
assert (first["level"], second["level"]) == ("error", "warning")
place = first["locations"][0]
assert place["physicalLocation"]["artifactLocation"] == {"uri": "prog.c", "uriBaseId": "SRCROOT"}, place
assert place["physicalLocation"]["region"]["startLine"] > 3
assert place["logicalLocations"][0]["name"] == "check"
assert first["properties"]["newEnd"] == "signal 6" and first["properties"]["oldEnd"] == "exit status 0"
assert second["properties"]["oldOutput"] == "<b>old</b>\n"
assert first["properties"]["reproduce"] == "differences/D1/reproduce.sh"
prints = {r["partialFingerprints"]["primaryLocationLineHash"] for r in (first, second)}
assert len(prints) == 2
END
}

page() {
	campaign
	same out/report.html "$(veer report -o out --format html)"
	contains "$(cat out/report.html)" "&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;"
	contains "$(cat out/report.html)" "&lt;b&gt;old&lt;/b&gt;"
	lacks "$(cat out/report.html)" "<script>alert"
	lacks "$(cat out/report.html)" "<b>old"
	lacks "$(cat out/report.html)" "http:"
	lacks "$(cat out/report.html)" "https:"
	lacks "$(cat out/report.html)" "src="
	contains "$(cat out/report.html)" '<span class="row was"><span class="no">'
	contains "$(cat out/report.html)" '<span class="row now"><span class="no">'
	same 1 "$(grep -c 'static int show' out/report.html | grep -x 2 >/dev/null && echo 1)"
	command -v xmllint >/dev/null || return 0
	xmllint --html --noout out/report.html 2>errors || true
	lacks "$(cat errors)" "mismatch"
}

# A test passes with the old version, and fails with the new one.
exported() {
	campaign
	contains "$(veer export -o out --as sh)" "2 tests in out/tests"
	same 1 "$(silently sh out/tests/all.sh)"
	contains "$(cat said)" "FAIL D1: exit status 134, not 0"
	contains "$(cat said)" "FAIL D2: exit status 0, not 3"
	same 0 "$(silently sh out/tests/all.sh old/prog)"
	same "ok D1
ok D2" "$(cat said)"
	contains "$(veer export -o out --as c --to c d2)" "1 tests in c"
	"$CLANG" -Wall -Wextra -Werror c/D2.c -o D2
	same "FAIL D2: exit status 0, not 3
1" "$(status ./D2)"
	same "ok D2
0" "$(status ./D2 old/prog)"
	same 125 "$(silently ./D2 no/such)"
	same 1 "$(silently veer export -o out --as c D7)"
	contains "$(cat err)" "there is no D7: the campaign has 2 differences"
	mv "$SCRATCH/made/old/prog" "$SCRATCH/made/old/away"
	same 1 "$(silently veer export -o out --as c)"
	mv "$SCRATCH/made/old/away" "$SCRATCH/made/old/prog"
	contains "$(cat err)" "old/prog is gone"
}

# Files and standard input are a part of tests; so is the output alone.
exported_input() {
	mkdir old new
	cat >old/prog.c <<'END'
#include <stdio.h>
int main(int argc, char **argv)
{
	FILE *f = argc > 1 ? fopen(argv[1], "r") : NULL;
	int a = f ? getc(f) : EOF, b = getchar();
	fprintf(stderr, "%d\n", a == '#' && b == '?' ? VALUE : b);
	return 0;
}
END
	cp old/prog.c new/prog.c
	(cd old && veer-cc -g -w -DVALUE=1 prog.c -o prog)
	(cd new && veer-cc -g -w -DVALUE=2 prog.c -o prog)
	status veer diff -q -j1 -o out --runs 200 --budget 60s old/prog new/prog -- @@ --sym-stdin 3 </dev/null >said 2>&1
	contains "$(cat said)" "D1 output"
	veer export -o out --as sh >said
	veer export -o out --as c >>said
	"$CLANG" -Wall -Wextra -Werror out/tests/D1.c -o D1
	contains "$(status ./D1)" "FAIL D1: another output than that of the old version"
	same "ok D1" "$(./D1 old/prog)"
	same 1 "$(silently sh out/tests/D1.sh)"
	same "ok D1" "$(sh out/tests/D1.sh old/prog)"
}

wrong() {
	campaign
	same 1 "$(silently veer report -o out --format junit)"
	one_line "$(cat err)"
	contains "$(cat err)" "junit is not for campaigns of veer diff; there are text, markdown, sarif, html, json"
	sqlite3 out/veer.db "UPDATE campaign SET value = x'ff01' WHERE key = 'shown'" 2>/dev/null ||
		sqlite3 out/veer.db "UPDATE settings SET value = x'ff01' WHERE name = 'shown'"
	same 1 "$(silently veer report -o out)"
	one_line "$(cat err)"
	contains "$(cat err)" "damaged"
}

try "text" text
try "comment on a merge request" comment
try "SARIF" sarif
try "page" page
try "tests of differences" exported
try "tests of files and standard input" exported_input
try "bad input" wrong
finish
