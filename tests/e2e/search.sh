#!/bin/sh
# Strategies that walk: each finds all there is in small programs, does the same every time when it is told to, and is
# told wrongly in one line. tests/e2e/explore.sh says what stands at the head of these programs.
. "$(dirname "$0")/lib.sh"
PROGRAMS=$VEER_SOURCE/tests/programs/explore
WEIGHTS=$PROGRAMS/weights

build() { [ -e "$SCRATCH/$1" ] || veer-cc -g -O1 -w "$PROGRAMS/$1.c" -o "$SCRATCH/$1"; }

# explore NAME OPTION...
explore() {
	program=$1
	shift
	# shellcheck disable=SC2046
	veer explore -q --stats -o out "$@" -- "$SCRATCH/$program" $(sed -n 's,^// run: ,,p' "$PROGRAMS/$program.c") \
		</dev/null >said 2>&1 || die "$(cat said)"
}

# complete STRATEGY
complete() {
	for name in words loops nested switches tables; do
		build $name
		jobs=1
		[ $name != words ] || jobs=2
		rm -rf out
		explore $name --search "$1" -j$jobs --weights "$WEIGHTS" --tune runs=50,pool=10
		contains "$(cat said)" "complete after"
		paths=$(sed -n 's,^// paths: ,,p' "$PROGRAMS/$name.c")
		[ -z "$paths" ] || same "$paths paths" "$(grep -o '^[0-9]* paths' said)"
	done
}

# What came of a campaign, without times.
outcome() { sqlite3 out/veer.db 'SELECT path, answer, input FROM flips ORDER BY id; SELECT hex(data) FROM bytes ORDER BY input'; }

# The same seed, one worker and no clock: the same questions in the same order, and the same inputs.
deterministic() {
	build calculator
	for search in generational random cfds cgs param round-robin chameleon; do
		for try in first second; do
			rm -rf out
			explore calculator --search $search -j1 --deterministic --runs 150 --random-seed 7 \
				--weights "$WEIGHTS" --tune pool=5
			outcome >$try
		done
		same "$(cksum <first)" "$(cksum <second)"
		[ "$(grep -c . <first)" -gt 150 ] || die "$search: nothing was done"
	done
	rm -rf out
	explore calculator --search chameleon -j1 --deterministic --runs 150 --random-seed 8 --tune pool=5
	outcome >other
	[ "$(cksum <second)" != "$(cksum <other)" ] || die "chance decides nothing"
}

# The default is chameleon; what it gives to generational is told of, and can be nothing.
mixes() {
	build calculator
	rm -rf out
	explore calculator -j1 --runs 150
	contains "$(cat said)" "generations"
	contains "$(cat said)" "of the frontier"
	rm -rf out
	explore calculator --search chameleon -j1 --runs 150 --tune pool=5,frontier=0
	case $(cat said) in *"of the frontier"*) die "something was" ;; esac
}

# However busy the machine is, it ends when it has used that much of it.
by_processor() {
	cat >endless.c <<-'END'
		int main(int argc, char **argv)
		{
			int n = 0;
			for (const char *p = argv[argc - 1]; *p; p++)
				n += *p > 'm' ? 1 : 3;
			return n & 1;
		}
	END
	veer-cc -g -O1 -w endless.c -o endless
	endless() { veer explore -q -o out -j1 "$@" -- ./endless abcdefghijklmnopqrstuvwxyz </dev/null; }
	endless --runs 1 # which builds what it needs
	rm -rf out
	(endless --cpu-time --budget 2s >said && times >times)
	contains "$(cat said)" "ended after 2."
	used=$(awk -F '[ms ]+' 'NR == 2 { print int($1 * 60 + $2 + $3 * 60 + $4) }' times)
	[ "$used" -ge 2 ] && [ "$used" -le 4 ] || die "2 s were $used"
}

# Killed, it goes on, with whatever strategy.
goes_on() {
	build words
	explore words --search chameleon -j1 --runs 20
	explore words --search cfds -j1 --runs 20
	explore words --search cgs -j1
	contains "$(cat said)" "complete after"
	same 0 "$(sqlite3 out/veer.db 'SELECT count(*) FROM inputs WHERE event > 1000000')" # of which event they come
}

learns() {
	build words
	explore words --search param --learn out/learned -j1 --runs 60 # a folder that is not there yet
	mv out/learned .
	same 40 "$(grep -c '^ *-\{0,1\}[0-9]' learned)"
	rm -rf out
	explore words --search param --weights learned -j1
	contains "$(cat said)" "complete after"
	rm -rf out
	explore words --search chameleon --learn best -j1 --runs 3
	contains "$(cat said)" "best was not written"
	[ ! -e best ] || die "it was"
	rm -rf out
	explore words --search chameleon --learn best -j1 --runs 60 --tune frontier=0
	same 40 "$(grep -c '^ *-\{0,1\}[0-9]' best)"
	contains "$(cat said)" "of 8 heuristics"
}

# bad TEXT OPTION...
bad() {
	text=$1
	shift
	same 2 "$(status veer explore "$@" -- "$SCRATCH/words" 2>refused </dev/null)"
	contains "$(cat refused)" "$text"
}

wrong() {
	build words
	bad "there is no such strategy; there are generational, dfs" --search best
	bad "wants --weights FILE" --search param
	bad "is for --search param" --search cfds --learn x
	bad "cannot write nowhere/x, in folder nowhere: No such file" --learn nowhere/x
	bad "cannot write .: it is a folder" --learn .
	bad "exploit=PERCENT" --search chameleon --tune exploit=101
	bad "exploit=PERCENT" --search chameleon --tune runs
	bad "frontier=PERCENT" --search chameleon --tune frontier=-1
	echo 1 >short
	bad "there are 1 weights, not 40" --search param --weights short
	bad "nowhere" --search param --weights nowhere
}

# What the instrumenter says of conditions: loops, nesting, constants, pointers, variables, calls, switches.
cat >"$SCRATCH/graph.c" <<'END'
#include <string.h>
#include <stdlib.h>
int global;
static int helper(int x)
{
	if (global)
		x++;
	return x;
}
int main(int argc, char **argv)
{
	int n = 0, length = (int)strlen(argv[0]);
	for (int i = 0; i < argc; i++) {
		if (argv[i][0] == 'a')
			n++;
		if (n > 1000)
			if (n)
				n--;
	}
	while (1) {
		if (length > 100000)
			break;
		length *= 2;
	}
	do
		n += 2;
	while (n < 10);
	if (helper(n))
		n = 3;
	switch (n) {
	case 5: return 1;
	case 'x': return 2;
	default: break;
	}
	return atoi("3") == n;
}
END

described() {
	veer-cc -g -O1 -w "$SCRATCH/graph.c" -o graph
	same "helper branch
main branch loop stays local
main branch nested integer character pointer local body
main branch nested integer local body
main branch nested local body
main branch loop integer local external
main branch loop stays integer character local
main branch
main switch integer character local" "$(test-graph ./graph | sort -s -k1,1)"
}

for search in cfds cgs param round-robin chameleon; do
	finds() { complete $search; }
	try "$search finds everything" finds
done
try "the same every time" deterministic
try "chameleon and generational" mixes
try "a budget of processor time" by_processor
try "a campaign goes on with another strategy" goes_on
try "weights are learned" learns
try "options that are wrong" wrong
try "what the graph says of conditions" described
finish
