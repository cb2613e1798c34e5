#!/bin/sh
# How campaigns end: statuses, signals, what is counted; that nothing is lost.
. "$(dirname "$0")/lib.sh"

cp "$VEER_SOURCE/tests/programs/over.c" "$SCRATCH"
# Ways that never end: a campaign goes on until it is stopped.
cat >"$SCRATCH/endless.c" <<'END'
#include <unistd.h>
int main(void)
{
	char c;
	unsigned hash = 0;
	while (read(0, &c, 1) == 1)
		hash = c > 'm' ? hash * 31 + (unsigned char)c : hash ^ 5;
	return hash == 12345678;
}
END
cat >"$SCRATCH/aborts.c" <<'END'
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
	if (argc > 1 && argv[1][0] == 'x')
		puts("x");
	abort();
}
END
# Takes its time, so that a signal comes between the run and what is made of it.
cat >"$SCRATCH/slow.c" <<'END'
#include <stdlib.h>
int main(int argc, char **argv)
{
	if (argc > 1 && argv[1][0] == 'x')
		return 1;
	for (volatile int i = 0; i < 500000000; i++)
		;
	abort();
}
END
# Six bugs on one path, in runs that take long enough for a signal to come between them.
cat >"$SCRATCH/checks.c" <<'END'
int main(int argc, char **argv)
{
	int a[8] = {0}, b[9] = {0}, c[10] = {0}, d[11] = {0}, e[12] = {0}, f[13] = {0};
	if (argc < 2)
		return 1;
	for (volatile int i = 0; i < 100000000; i++)
		;
	const char *s = argv[1];
	a[s[0] - '0'] = 1;
	b[s[1] - '0'] = 1;
	c[s[2] - '0'] = 1;
	d[s[3] - '0'] = 1;
	e[s[4] - '0'] = 1;
	f[s[5] - '0'] = 1;
	return a[1] + b[1] + c[1] + d[1] + e[1] + f[1];
}
END
# A bug for each letter: findings come one after the other.
cat >"$SCRATCH/many.c" <<'END'
int zero(int x) { return 1 / x; }
int one(int x) { return 2 / x; }
int two(int x) { return 3 / x; }
int three(int x) { return 4 / x; }
int four(int x) { return 5 / x; }
int main(int argc, char **argv)
{
	if (argc < 2)
		return 0;
	switch (argv[1][0]) {
	case 'a': return zero(argv[1][1] - 'a');
	case 'b': return one(argv[1][1] - 'b');
	case 'c': return two(argv[1][1] - 'c');
	case 'd': return three(argv[1][1] - 'd');
	case 'e': return four(argv[1][1] - 'e');
	}
	return 0;
}
END
for name in over endless aborts slow checks many; do veer-cc -g -o "$SCRATCH/$name" "$SCRATCH/$name.c" || exit 1; done

# ends_with STATUS PID
ends_with() {
	code=0
	wait "$2" || code=$?
	same "$1" $code
}

# until_there COMMAND...: waits for it, a minute at most
until_there() {
	for _ in $(seq 600); do
		if "$@"; then return 0; fi
		sleep 0.1
	done
	die "did not come: $*"
}

bounds() {
	for command in explore amplify test; do
		same 2 "$(status veer $command -j 257 -- true 2>said)"
		same "veer: --jobs wants a number from 1 to 256, not '257'; see veer $command --help" "$(cat said)"
		same 2 "$(status veer $command -j 0 -- true 2>said)"
		for code in 0 256 -1; do
			same 2 "$(status veer $command --error-exitcode $code -- true 2>said)"
			one_line "$(cat said)"
		done
		for budget in nan inf -nan 1e400 1e300h 0 -5s; do
			same 2 "$(status veer $command --budget $budget -- true 2>said)"
			contains "$(cat said)" "--budget wants a time such as 30s, 5m or 2h"
			one_line "$(cat said)"
		done
	done
	same 2 "$(status veer replay --error-exitcode 256 F1 2>said)"
	contains "$(cat said)" "from 1 to 255"
}

# A campaign that goes on counts what its earlier sessions found, as `veer test` does.
counts_all() {
	code=0
	veer explore -q -j1 --runs 30 --error-exitcode 9 -- "$SCRATCH/over" oabcdefghij >first || code=$?
	same 9 $code
	contains "$(cat first)" "; 1 error, "
	code=0
	veer explore -q -j1 --runs 30 --error-exitcode 9 -- "$SCRATCH/over" oabcdefghij >second || code=$?
	same 9 $code
	contains "$(cat second)" "; 1 error (found before), "
	veer explore -q -j1 --runs 30 -- "$SCRATCH/over" oabcdefghij >third
}

explores() { [ -s "$1" ] && grep -q 'veer:.*runs' "$1"; }

interrupted() {
	for signal in INT:130 TERM:143; do
		rm -rf veer-out
		veer explore -j1 --error-exitcode 9 -- "$SCRATCH/endless" <"$SCRATCH/endless.c" >out 2>progress &
		pid=$!
		until_there test -e veer-out/veer.db
		sleep 1
		kill "-${signal%:*}" $pid
		ends_with "${signal#*:}" $pid
		contains "$(cat out)" "stopped after"
		same explore "$(sed -n 's/.*"command": *"\([a-z]*\)".*/\1/p' veer-out/results.json | head -n 1)"
	done
}

# Workers are not all started first when there is a signal.
while_workers_start() {
	boxes() { find "$VEER_CACHE_DIR/runs" -mindepth 2 -maxdepth 2 -name '[0-9]*-[0-9]*' 2>/dev/null | wc -l; }
	some() { [ "$(boxes)" -gt 1 ]; }
	veer explore -q -j 256 --budget 60s -- "$SCRATCH/endless" <"$SCRATCH/endless.c" >out 2>&1 &
	pid=$!
	until_there some
	kill -INT $pid
	most=0
	while kill -0 $pid 2>/dev/null; do
		now=$(boxes)
		if [ "$now" -gt "$most" ]; then most=$now; fi
		sleep 0.05
	done
	ends_with 130 $pid
	[ "$most" -lt 200 ] || die "$most workers were started after the signal"
}

# Ctrl-C while the tests run: what was recorded is safe, and not analysed. Who sends the signal to veer alone means the
# tests, too, wherever they are.
while_recording() {
	cat >suite <<END
echo 1 | "$SCRATCH/endless"
setsid -f sh -c 'echo \$\$ >other; exec sleep 300'
touch recorded
sleep 300
END
	veer test -j1 --budget 60s -- sh suite >out 2>&1 &
	pid=$!
	until_there test -e recorded
	until_there test -s other
	kill -INT $pid
	ends_with 130 $pid
	contains "$(cat out)" "1 execution recorded, 1 seed in veer-out"
	contains "$(cat out)" "veer: interrupted while recording; \`veer amplify -o veer-out\` analyses what was recorded"
	lacks "$(cat out)" "distance"
	is_gone() { ! kill -0 "$(cat other)" 2>/dev/null; }
	until_there is_gone
	veer amplify -q -j1 --budget 20s --max-distance 0 >again 2>&1
	contains "$(cat again)" "1 test of 1 program,"
}

# A suite that ends well in spite of the signal: it was an interruption all the same.
suite_goes_on() {
	cat >suite <<END
trap '' TERM
"$SCRATCH/endless" <suite
touch recorded
sleep 2
exit 0
END
	veer test -j1 --budget 60s -- sh suite >out 2>&1 &
	pid=$!
	until_there test -e recorded
	kill -TERM $pid
	ends_with 143 $pid
	contains "$(cat out)" "1 seed in veer-out"
	lacks "$(cat out)" "distance"
}

while_amplifying() {
	head -c 3000 "$SCRATCH/endless.c" >input
	echo "\"$SCRATCH/endless\" <input; \"$SCRATCH/endless\" <suite" >suite
	veer test -j1 --budget 300s --error-exitcode 9 -- sh suite >out 2>&1 &
	pid=$!
	until_there grep -q distance out
	kill -TERM $pid
	ends_with 143 $pid
	contains "$(cat out)" "veer: stopped after"
	grep -q '"command": *"test"' veer-out/results.json
}

# A seed that aborts by itself is a finding, however few runs there are.
few_runs() {
	for runs in 1 2 2 2 3 20 20; do
		rm -rf veer-out
		veer explore -q -j2 --runs $runs -- "$SCRATCH/aborts" abc >out 2>&1
		contains "$(cat out)" "F1 error: abort"
		lacks "$(cat out)" "to be confirmed"
	done
}

# What the oracle had no time for is counted, and comes first the next time.
unconfirmed() {
	crashed() { [ "$(sqlite3 veer-out/veer.db "select value from counters where name = 'crashes'" 2>/dev/null)" = 1 ]; }
	veer explore -q -j1 --timeout 60000 -- "$SCRATCH/slow" abc >out 2>&1 &
	pid=$!
	until_there crashed
	kill -INT $pid
	ends_with 130 $pid
	contains "$(cat out)" "veer: 1 input is still to be confirmed by a sanitized run; the same command begins with it"
	veer explore -q -j1 --timeout 60000 --runs 1 -- "$SCRATCH/slow" abc >out 2>&1
	contains "$(head -n 1 out)" "F1 error: abort"
	same 0 "$(sqlite3 veer-out/veer.db "select length(value) from settings where name = 'waiting'")"
}

# The same for a suite whose campaign is killed.
killed() {
	waiting() { sqlite3 veer-out/veer.db "select coalesce(max(length(value)), 0) / 16 from settings where name = 'waiting'" 2>/dev/null; }
	some_wait() { [ "$(waiting)" -ge 2 ] 2>/dev/null; }
	veer test -q -j1 --timeout 60000 -- "$SCRATCH/checks" 222222 >out 2>&1 &
	pid=$!
	until_there some_wait
	kill -KILL $pid
	wait $pid || true
	some_wait
	[ "$(waiting)" -le 6 ] || die "$(waiting) inputs wait of 6"
	# The list is a commit older than the verdict that came last: what has one is not confirmed again.
	missing=$(sqlite3 veer-out/veer.db "select count(*) from inputs where state = 0")
	[ "$missing" -ge 1 ] || die "nothing waits"
	# Nothing is analysed before.
	counted() { [ "$(sqlite3 veer-out/veer.db "select count(distinct line) from findings")" -ge "$missing" ]; }
	sqlite3 veer-out/veer.db "delete from findings; update counters set value = 0"
	veer test -q -j1 --timeout 60000 -- "$SCRATCH/checks" 222222 >out 2>&1 &
	pid=$!
	until_there counted
	same 0 "$(sqlite3 veer-out/veer.db "select coalesce(sum(value), 0) from counters where name in ('runs', 'queries')")"
	kill -INT $pid
	ends_with 130 $pid
	same 0 "$(waiting)"
}

# A finding is in the store, under its number, before it is announced.
announced() {
	for n in 1 2 3 1 2; do
		rm -rf veer-out
		mkfifo pipe
		veer explore -q -j2 -- "$SCRATCH/many" zzzz >pipe 2>/dev/null &
		pid=$!
		head -n $n <pipe >said
		kill -KILL $pid
		wait $pid || true
		rm pipe
		sed 's/^\(F[0-9]*\) .* in \([a-z]*\)$/\1 \2/' said >first
		sqlite3 -separator ' ' veer-out/veer.db "select 'F' || id, function from findings where id <= $n order by id" >second
		same "$(cat first)" "$(cat second)"
		veer explore -q -j2 -- "$SCRATCH/many" zzzz >rest 2>&1
		sqlite3 -separator ' ' veer-out/veer.db "select 'F' || id, function from findings where id <= $n order by id" >third
		same "$(cat first)" "$(cat third)"
		same 5 "$(sqlite3 veer-out/veer.db "select count(*) from findings where level = 'error'")"
	done
}

# A campaign with 60,000 inputs goes on at once: what is new does not wait until all have run again.
large() {
	veer explore -q -j1 --runs 20 -- "$SCRATCH/endless" <"$SCRATCH/over.c" >/dev/null
	sqlite3 veer-out/veer.db "UPDATE inputs SET state = 1;
		WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60000)
		INSERT INTO inputs (parent, state, event, changed, care, in_corpus, hash, digest, has_bytes)
		SELECT 1, 1, 1, 1, -1, 0, i * 7919, randomblob(16), 1 FROM n;
		INSERT INTO bytes SELECT id, (SELECT data FROM bytes WHERE input = 1) FROM inputs
		WHERE id NOT IN (SELECT input FROM bytes)"
	veer explore -q -j1 --runs 5 --stats -- "$SCRATCH/endless" <"$SCRATCH/over.c" >said
	again=$(sed -n 's/.* runs (.* a second), \([0-9]*\) again.*/\1/p' said)
	[ "$again" -lt 1000 ] || die "$again inputs ran again before 5 new ones"
}

# interrupt SIGNAL SECONDS COMMAND...: it ends as that signal says, unless it was done before; "cut" lists those that were not
interrupt() {
	case $1 in INT) expected=130 ;; TERM) expected=143 ;; KILL) expected=137 ;; esac
	sent=$1 at=$2 code=0
	shift 2
	timeout --preserve-status -s "$sent" "$at" "$@" >said 2>&1 || code=$?
	[ $code -eq 0 ] || echo "$1 $2" >>cut
	[ $code -eq 0 ] || [ $code -eq $expected ] || die "$1 $2 ended with $code after SIG$sent: $(cat said)"
}

# seconds COMMAND...: how long it takes when nothing ends it
seconds() {
	started=$(date +%s%N)
	"$@" >said 2>&1 || die "$1 $2 ended with $?: $(cat said)"
	echo "$(($(date +%s%N) - started))" | awk '{ print $1 / 1e9 }'
}

# part SECONDS PERCENT: a delay after which a command that takes that long is at work
part() { echo "$1 $2" | awk '{ print $1 * $2 / 100 }'; }

# Commands that write from a campaign, ended at any time of their work: what has its final name is whole, the campaign too,
# and the same command then does it all.
writers() {
	veer explore -q -j1 --runs 40 -o a -- "$SCRATCH/many" azzz >/dev/null
	veer explore -q -j1 --runs 40 -o b -- "$SCRATCH/many" bzzz >/dev/null
	cp -R a warm
	veer merge warm b >/dev/null # what the first merge has to build, no later one does
	merging=$(seconds veer merge a b)
	cp -R a whole
	reporting=$(seconds veer report -o whole --format html --to page.html)
	exporting=$(seconds veer export -o whole --as sh --to tests)
	all=$(sqlite3 -cmd ".timeout 20000" whole/veer.db "select count(*) from inputs where has_bytes")
	findings=$(ls whole/findings)
	rm -rf a
	veer explore -q -j1 --runs 40 -o a -- "$SCRATCH/many" azzz >/dev/null
	had=$(sqlite3 -cmd ".timeout 20000" a/veer.db "select count(*) from findings")
	cp -R a before
	for percent in 1 10 30 50 70 90; do # at 1, each is at work, however much slower the machine was while it was measured
		for signal in KILL INT TERM; do
			rm -rf a
			cp -R before a
			interrupt $signal "$(part "$merging" $percent)" veer merge a b
			same ok "$(sqlite3 -cmd ".timeout 20000" a/veer.db "pragma integrity_check")"
			now=$(sqlite3 -cmd ".timeout 20000" a/veer.db "select count(*) from findings")
			[ "$now" -ge "$had" ] || die "$now findings, before $had"
			for finding in a/findings/F*; do
				case $finding in *.part) continue ;; esac
				[ -s "$finding/reproduce.sh" ] || die "$finding is not whole"
			done
			rm -f page.html
			interrupt $signal "$(part "$reporting" $percent)" veer report -o whole --format html --to page.html
			[ ! -e page.html ] || same "</html>" "$(tail -n 1 page.html | sed 's/.*<.html>/<\/html>/')"
			rm -rf tests
			interrupt $signal "$(part "$exporting" $percent)" veer export -o whole --as sh --to tests
			for made in tests/*.sh; do [ ! -e "$made" ] || sh -n "$made" || die "$made is not whole"; done
			same ok "$(sqlite3 -cmd ".timeout 20000" whole/veer.db "pragma integrity_check")"
		done
	done
	same "veer export veer merge veer report" "$(sort -u cut | tr '\n' ' ' | sed 's/ $//')" # each was cut at least once
	veer merge a b >/dev/null
	same "$findings" "$(ls a/findings)"
	veer report -o whole --format html --to page.html
	contains "$(tail -c 200 page.html)" "</html>"
	same "$all" "$(sqlite3 -cmd ".timeout 20000" whole/veer.db "select count(*) from inputs where has_bytes")"
}

try "numbers and times out of bounds are refused" bounds
try "explore counts all errors of a campaign" counts_all
try "an interrupted campaign writes its results, and ends with 130 or 143" interrupted
try "signals while workers start" while_workers_start
try "an interrupted recording is safe, and not analysed" while_recording
try "a suite that survives the signal is not analysed either" suite_goes_on
try "an interrupted amplification writes its results" while_amplifying
try "a seed that aborts is found in however few runs" few_runs
try "what is not confirmed in time is counted, and first the next time" unconfirmed
try "what a killed campaign had not confirmed is first the next time" killed
try "a finding that was announced survives SIGKILL, with its number" announced
try "merge, report and export are ended at any time" writers
try "a large campaign goes on at once" large
finish
