#!/bin/sh
# What is told of a campaign: veer explain, report, watch.
# shellcheck disable=SC2016
. "$(dirname "$0")/lib.sh"

# A campaign with three errors, once for all tests; its folder is `out`.
campaign() {
	if ! [ -e "$SCRATCH/made" ]; then
		mkdir "$SCRATCH/src"
		cp "$VEER_SOURCE/tests/programs/three.c" "$SCRATCH/src/three.c"
		(cd "$SCRATCH/src" && veer-cc -g -O1 three.c -o three &&
			printf 'x1?a9 hello world\n' >seed &&
			veer explore -q -j1 -o made --runs 200 --budget 60s -- ./three abc <seed >log 2>&1) ||
			die "$(cat "$SCRATCH/src/log")"
		mv "$SCRATCH/src/made" "$SCRATCH/made"
	fi
	cp -r "$SCRATCH/made" out
}

# id KIND: of the finding
id() { sqlite3 out/veer.db "SELECT 'F' || id FROM findings WHERE kind = '$1'"; }

explaining() {
	campaign
	veer explain -o out "$(id global-buffer-overflow)" >said
	contains "$(cat said)" "writes 4 bytes"
	contains "$(cat said)" "the global variable table of 40 bytes"
	contains "$(cat said)" ">    26 |"
	contains "$(cat said)" "! index 10, in an array of 10 elements"
	contains "$(cat said)" '! index `i` = stdin[1] - '"'0' = 10"
	contains "$(cat said)" "! must hold, and does not: stdin[1] in '0'..'9'"
	contains "$(cat said)" "(in the test: '1')"
	contains "$(cat said)" "    - x1?a9 hello world\\n"
	contains "$(cat said)" "three.c:23 main: if (copy[0] == 'a' && line[0] == 'x') {
      argv[1][0] == 'a'"
	contains "$(cat said)" "FAILS: index 10"
	veer explain -o out "$(id division-by-zero)" >said
	contains "$(cat said)" '! divisor `(line[4]'
	contains "$(cat said)" "! must hold, and does not: stdin[4] != '0'"
	veer explain -o out "$(id global-buffer-overflow)" >said
	contains "$(cat said)" "bytes relevant"
	lacks "$(cat said)" "$(printf '\033')"
	veer explain -o out --colour always "$(id global-buffer-overflow)" >said
	contains "$(cat said)" "$(printf '\033')[1;32m"
	# No condition stands there: it is the path.
	veer explain -o out "$(id heap-buffer-overflow)" >said
	contains "$(cat said)" "none is known, but strlen(argv[1]) decides the address of an access"
	contains "$(cat said)" "      stdin[2] == '!'"
}

# The number of relevant bytes is the sum over the parts, also of files that are as in the test.
relevant_in_all_parts() {
	cat >p.c <<-'END'
		#include <stdio.h>
		static int table[10];
		int main(int argc, char **argv)
		{
			FILE *f = argc > 2 ? fopen(argv[1], "r") : NULL;
			for (int i = 0; i < 30; i++)
				if (!f || getc(f) != 'a' + i % 26)
					return 1;
			table[argv[2][0] - '0']++;
			return 0;
		}
	END
	printf abcdefghijklmnopqrstuvwxyzabcd >file
	veer-cc -g -O1 p.c -o p
	veer test -j1 --max-distance 0 --budget 30s -- sh -c './p file 3' >log 2>&1 || die "$(cat log)"
	veer explain F1 >said
	contains "$(cat said)" "file: 30 bytes, as in the test; 30 relevant"
	contains "$(cat said)" "; 35 of 35 bytes relevant"
	same 35 "$(sed -n 's/.*; \([0-9]*\) relevant$/\1/p' said | awk '{ n += $1 } END { print n }')"
	contains "$(cat veer-out/results.json)" '"care_bytes": 35,'
}

# Don't-care bytes may have any values: the finding stays. With another value of a relevant byte it is gone.
relevant_bytes() {
	printf '%s\n' '#include <unistd.h>' 'static int table[10];' 'int main(void)' '{' '	char b[12] = {0};' \
		'	long n = read(0, b, 9);' '	if (n == 9 && b[2] == 120 && b[5] > 47)' '		table[b[5] - 48]++;' '	return 0;' '}' >p.c
	printf abxde1ghi >seed
	veer-cc -g -O1 p.c -o p
	veer test -j1 --max-distance 0 --budget 30s -- sh -c './p <seed' >log 2>&1 || die "$(cat log)"
	veer explain F1 >said
	contains "$(cat said)" "9 bytes, 1 changed; 2 relevant"
	contains "$(cat said)" "      ..*..^..."
	contains "$(cat veer-out/results.json)" '"care_bytes": 2,'
	sed 's/[^x]/Q/g; s/./Q/2' veer-out/findings/F1/input/stdin | head -c 5 >other
	tail -c +6 veer-out/findings/F1/input/stdin | head -c 1 >>other
	printf QQQ >>other
	same 9 "$(wc -c <other)"
	contains "$(veer run -- ./p <other 2>&1 || true)" "p.c:8"
	sed 's/x/y/' other >none
	lacks "$(veer run -- ./p <none 2>&1 || true)" "p.c:8"
}

without_runs() {
	campaign
	veer explain -o out --quick F1 >said
	contains "$(cat said)" "it was not run again"
	mv "$SCRATCH/src/three" "$SCRATCH/src/gone"
	veer explain -o out F1 >said 2>&1 || die "$(cat said)"
	veer report -o out --format html >/dev/null 2>log || die "$(cat log)"
	mv "$SCRATCH/src/gone" "$SCRATCH/src/three"
	contains "$(cat said)" "no run explains it: "
	contains "$(cat out/report.html)" "Coverage is not known"
}

wrong_words() {
	campaign
	same 1 "$(status veer explain -o out F99 2>err)"
	one_line "$(cat err)"
	same 2 "$(status veer explain -o out nonsense 2>err)"
	one_line "$(cat err)"
	same 1 "$(status veer explain -o nowhere F1 2>err)"
	one_line "$(cat err)"
	same 2 "$(status veer report -o out --format nonsense 2>err)"
	contains "$(cat err)" "there are text, json, sarif"
	same 1 "$(status veer watch -o nowhere --once 2>err)"
	one_line "$(cat err)"
}

# is_json FILE
is_json() { perl -MJSON::PP -e 'local $/; decode_json(<>)' "$1" || die "$1 is no JSON"; }

# is_xml FILE
is_xml() { if command -v xmllint >/dev/null; then xmllint --noout "$1"; fi; }

# What cannot be written is an error, and devices stay devices.
full() {
	campaign
	for command in "explain -o out F1" "report -o out" "report -o out --format html --to /dev/full" "coverage out" "watch -o out --once" \
		--help "help --man explain" "help report" "explain --help" doctor --version; do
		# shellcheck disable=SC2086
		same 1 "$(veer $command >/dev/full 2>err || echo $?)"
		one_line "$(cat err)"
	done
	[ -c /dev/full ] || die "it is no device any more"
}

formats() {
	campaign
	contains "$(veer report -o out)" "3 errors, 0 warnings"
	veer report -o out --format json >told.json
	cmp told.json out/results.json
	veer report -o out --format sarif --root "$SCRATCH/src" >/dev/null
	is_json out/report.sarif
	perl -MJSON::PP -e 'local $/; my $r = decode_json(<>)->{runs}[0];
		for my $x (@{$r->{results}}) {
			my $l = $x->{locations}[0]{physicalLocation};
			die "uri" unless $l->{artifactLocation}{uri} eq "three.c" && $l->{region}{startLine} > 0;
			die "rule" unless $r->{tool}{driver}{rules}[$x->{ruleIndex}]{id} eq $x->{ruleId};
			die "flow" unless @{$x->{codeFlows}[0]{threadFlows}[0]{locations}} > 1;
			die "fingerprint" unless $x->{partialFingerprints}{primaryLocationLineHash} =~ /^[0-9a-f]{16}:1$/;
		}
		die "results" unless @{$r->{results}} == 3' out/report.sarif || die "$(cat out/report.sarif)"
	veer report -o out --format junit >/dev/null
	is_xml out/report.xml
	contains "$(cat out/report.xml)" 'tests="3" failures="3"'
	printf '%s\n' 'global-buffer-overflow three.c main' >known
	veer report -o out --format junit --baseline known --to - >told.xml
	contains "$(cat told.xml)" 'tests="2" failures="2"'
}

# Fingerprints stay when lines come and go before them.
fingerprints() {
	campaign
	hashes() { veer report -o out --quick --format sarif --to - | grep -o '"[0-9a-f]*:[0-9]*"' | sort; }
	hashes >before
	cp "$SCRATCH/src/three.c" three.c
	{ echo '// one line more'; cat three.c; } >"$SCRATCH/src/three.c"
	sqlite3 out/veer.db "UPDATE findings SET line = line + 1"
	hashes >after
	cp three.c "$SCRATCH/src/three.c"
	cmp before after
}

coverage() {
	campaign
	veer report -o out --format lcov >/dev/null
	veer report -o out --format lcov-before >/dev/null
	contains "$(cat out/coverage.info)" "TN:after
SF:$SCRATCH/src/three.c"
	contains "$(cat out/coverage.info)" "BRF:14
BRH:14"
	contains "$(cat out/coverage-before.info)" "BRF:14
BRH:7"
	contains "$(cat out/coverage-before.info)" "DA:28,0"
	contains "$(cat out/coverage.info)" "DA:28,1"
	contains "$(cat out/coverage-before.info)" "BRDA:27,7,1,0"
}

page() {
	campaign
	veer report -o out --format html --root "$SCRATCH/src" >/dev/null
	contains "$(cat out/report.html)" "three.c:26"
	contains "$(cat out/report.html)" "must hold, and does not: stdin[1] in &#39;0&#39;..&#39;9&#39;"
	contains "$(cat out/report.html)" '<span class="row new">'
	contains "$(cat out/report.html)" "Coverage over time"
	lacks "$(grep -o '[a-z]*="http[^"]*"' out/report.html || true)" "http"
	sqlite3 out/veer.db 'DELETE FROM findings'
	veer report -o out --format html >/dev/null
	contains "$(cat out/report.html)" "Nothing was found."
}

# Names and texts that are anybody's.
hostile() {
	campaign
	sqlite3 out/veer.db "UPDATE findings SET function = '<script>alert(1)</script>', kind = '\"><b>', program = '/x/' || char(27) || '[31m',
		file = '/src/a''b&c:' || char(10) || 'd.c', stack = '<i> /x<y:3', report = ']]></failure><script>' WHERE id = 1;
		UPDATE findings SET file = cast(x'2f7372632ffffe3c2e63' as text) WHERE id = 2"
	veer report -o out --format html >/dev/null 2>&1
	lacks "$(cat out/report.html)" "<script>alert"
	lacks "$(cat out/report.html)" "<b>"
	lacks "$(cat out/report.html)" "$(printf '\033')"
	same 1 "$(grep -c '^<script>' out/report.html)"
	veer report -o out --format sarif >/dev/null 2>&1
	is_json out/report.sarif
	veer report -o out --format junit >/dev/null
	is_xml out/report.xml
	lacks "$(veer report -o out; veer explain -o out F1 2>&1; veer watch -o out --once)" "$(printf '\033')"
}

# findings N: makes it N, the second and all that come after it with names and texts that are anybody's.
findings() {
	sqlite3 out/veer.db "DELETE FROM findings WHERE id > 1 OR $1 = 0;
		WITH RECURSIVE k(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM k WHERE i < $1)
		INSERT INTO findings SELECT i, key + i, CASE i % 3 WHEN 0 THEN kind ELSE '\"><b>kind' || i END,
			CASE i % 5 WHEN 0 THEN 'warning' WHEN 1 THEN 'resource' ELSE level END, program,
			CASE i % 2 WHEN 0 THEN file ELSE '/src/<script>alert(1)</script>''&\"' || char(10) || i || '.c' END,
			line, CASE i % 2 WHEN 0 THEN function ELSE '</script><img src=x onerror=alert(2)>' || i END, stack,
			'</div><script>alert(3)</script>' || char(27) || '[31m' || report, i % 9, i, changed, care, input,
			seed, 0 FROM findings, k WHERE findings.id = 1 AND $1 > 1"
}

# With node, chromium and packages of npm that are in $VEER_NODE_MODULES; see docs/results/REPORTS.md.
browser() {
	[ -n "${VEER_NODE_MODULES-}" ] || skip "VEER_NODE_MODULES is not set"
	for n in 3 40 1 0; do
		rm -rf out
		campaign
		[ $n = 3 ] || findings $n
		veer report -o out --format html >/dev/null 2>&1
		same $n "$(grep -c '<details class="finding"' out/report.html || true)"
		NODE_PATH=$VEER_NODE_MODULES node "$VEER_SOURCE/tests/drivers/page.js" out/report.html || die "$n findings"
	done
}

schema() {
	[ -n "${VEER_NODE_MODULES-}" ] || skip "VEER_NODE_MODULES is not set"
	[ -n "${VEER_SARIF_SCHEMA-}" ] || skip "VEER_SARIF_SCHEMA is not set"
	campaign
	veer report -o out --format sarif >/dev/null
	NODE_PATH=$VEER_NODE_MODULES node "$VEER_SOURCE/tests/drivers/sarif.js" "$VEER_SARIF_SCHEMA" out/report.sarif
}

# A recorded test: distance, its files, coverage of all its programs.
suite() {
	cp "$VEER_SOURCE/examples/test-veer/weekday.c" "$VEER_SOURCE/examples/test-veer/tests.sh" .
	veer-cc -g -O1 weekday.c -o weekday
	veer test -j1 --max-distance 1 --budget 30s -- sh tests.sh >log 2>&1 || die "$(cat log)"
	veer explain F1 >said
	contains "$(cat said)" 'when argument 1 is "7" instead of "0"'
	contains "$(cat said)" "The path: the same as the test's"
	contains "$(cat said)" "from test S1 (weekday 0), on the test's own path (distance 0, depth "
	contains "$(veer coverage | tail -n 1)" "all"
	veer report --format html >/dev/null
	contains "$(cat veer-out/report.html)" "Findings by distance"
}

# Tests find their libraries by LD_LIBRARY_PATH, as libtool's do; reports do not have it and know them all the same.
libraries() {
	mkdir lib
	printf '%s\n' 'int twice(int x)' '{' '	if (x > 100)' '		return 0;' '	return 2 * x;' '}' >twice.c
	printf '%s\n' 'int twice(int);' 'int main(int argc, char **argv)' '{' '	return argc > 1 ? twice(argv[1][0]) : 0;' '}' >p.c
	veer-cc -g -O1 -shared -fPIC twice.c -o lib/libtwice.so
	veer-cc -g -O1 p.c -Llib -ltwice -o p
	veer test -j1 --budget 20s --search none -- sh -c 'LD_LIBRARY_PATH=lib ./p a >/dev/null || :' >log 2>&1 || die "$(cat log)"
	contains "$(veer coverage)" " $PWD/twice.c"
	veer report --format lcov-before --to before >/dev/null
	veer report --format lcov --to after >/dev/null
	same "DA:4,0" "$(sed -n '/twice.c/,/end_of/p' before | grep '^DA:4,')"
	same "DA:4,1" "$(sed -n '/twice.c/,/end_of/p' after | grep '^DA:4,')"
	veer report --format html >/dev/null
	contains "$(cat veer-out/report.html)" "<h1>$(basename "$PWD")</h1>"
	contains "$(cat veer-out/report.html)" "</code> found in p, campaign <code>veer-out</code>"
	contains "$(cat veer-out/report.html)" '<span class="place">twice.c</span>'
}

# A run that violates a check may not have it, and of two that fail the one about what was changed says more. Sizes and
# addresses that are taken as they are matter, too.
conditions() {
	for program in cut rle; do
		cp "$VEER_SOURCE/tests/programs/amplify/$program.c" "$VEER_SOURCE/tests/programs/amplify/$program.sh" .
		veer-cc -g -O1 -w $program.c -o $program
		veer test -j1 -o $program.out --max-distance 0 --budget 60s -- sh $program.sh >log 2>&1 || die "$(cat log)"
		veer explain -o $program.out F1 >$program.said
	done
	contains "$(cat cut.said)" "! 1 byte at offset 1, where the object has 1 byte"
	contains "$(cat cut.said)" "- '0') / 8 <= (argv[1]["
	contains "$(cat cut.said)" "] = '8'  (in the test: '"
	contains "$(cat cut.said)" "The path: the same as the test's"
	contains "$(cat rle.said)" "! 173 bytes, where there is room for 172"
	contains "$(cat rle.said)" "! must hold, and does not: stdin[2] <= 0xac"
	contains "$(cat rle.said)" "standard input: 4 bytes, 1 changed; 2 relevant"
}

watching() {
	campaign
	contains "$(veer watch -o out --once)" "not running; "
	contains "$(veer watch -o out --once)" "3 errors, 0 warnings, 0 others"
	veer explore -q -j1 -o running --budget 20s -- "$SCRATCH/src/three" abc <"$SCRATCH/src/seed" >/dev/null 2>&1 &
	campaign=$!
	until veer watch -o running --once >said 2>/dev/null; do sleep 0.1; done
	lacks "$(cat said)" "not running"
	veer watch -o running --interval 1 >said &
	watcher=$!
	sleep 1.5
	kill -INT $watcher
	wait $watcher
	kill -INT $campaign
	wait $campaign || true
	[ "$(grep -c ' runs' said)" -ge 1 ] || die "$(cat said)"
}

# On a terminal: no more rows than there are, no wider than it is; q ends it and leaves the terminal as it was.
watching_on_a_terminal() {
	command -v script >/dev/null || skip "there is no script(1)"
	campaign
	{ sleep 1; printf q; } | script -qec "stty rows 4 cols 24; veer watch -o out; stty cols 80; stty -a" /dev/null >said
	same 3 "$(sed -n '/veer  three/,/q ends/p' said | grep -vc 'q ends')"
	contains "$(cat said)" "q ends the view, not the$(printf '\033')[0m"
	contains "$(cat said)" "$(printf '\033')[?1049l"
	contains "$(cat said)" " icanon"
	contains "$(cat said)" " echo "
}

try "a finding is explained" explaining
try "relevant and don't-care bytes" relevant_bytes
try "relevant bytes in files that are as in the test" relevant_in_all_parts
try "without runs, without the program" without_runs
try "wrong words" wrong_words
try "output that cannot be written" full
try "text, JSON, SARIF, JUnit" formats
try "fingerprints stay" fingerprints
try "lcov, before and after" coverage
try "the page" page
try "hostile names and texts" hostile
try "the page in a browser, by axe-core" browser
try "SARIF against its schema" schema
try "a recorded suite" suite
try "libraries that only the tests find" libraries
try "conditions that failed" conditions
try "watching" watching
try "watching on a terminal" watching_on_a_terminal
finish
