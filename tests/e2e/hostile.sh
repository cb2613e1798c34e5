#!/bin/sh
# Hostile programs (tests/programs/hostile) in both kinds of sandbox, as root and as another user: what they try to reach outside
# stays as it was, nothing of them is left, and veer ends with its results. Canaries are in scratch folders; without
# them, and without a sandbox, no program attacks.
. "$(dirname "$0")/lib.sh"
HOSTILE=$VEER_SOURCE/tests/programs/hostile
WORK=$SCRATCH/hostile
SOMEBODY=12345
mkdir "$WORK" && cd "$WORK" || exit 1
chmod 755 "$SCRATCH" # what mktemp made is for its owner alone
WAYS=$(mktemp -d /var/tmp/veer-test-XXXXXX) || exit 1
chmod 755 "$WAYS"
trap 'rm -rf "$SCRATCH" "$WAYS"' EXIT

# All attacks: class_name, how it may end, where it is known to get through.
sed -n 's/^LINE(\([a-z0-9]*\), \([a-z0-9_]*\), "\([a-z ]*\)", "\([a-z -]*\)")$/\1_\2\t\3\t\4/p' "$HOSTILE/attacks.def" >attacks
cut -f 1 attacks >names
grep -v "	.*timeout" attacks | cut -f 1 >fast # the others take a second or more, and are run once
# A campaign has all of those that attack veer itself, and some of each class.
awk -F _ '$1 ~ /^(processes|descriptors|reports|traces)$/ || n[$1]++ < 4' fast >campaign
CLASSES=$(sed 's/_.*//' names | uniq)
sed -n 's/^BEFORE(\(.*\))$/\1/p' "$HOSTILE"/before*.c >before
cat names before >canaries

# Programs, and their variants.
build() {
	cd "$WORK"
	same "$(grep -c '^LINE(' "$HOSTILE/attacks.def")" "$(wc -l <attacks)"
	[ "$(wc -l <attacks)" -ge 60 ]
	"$CLANG" -O1 -D_GNU_SOURCE "$HOSTILE/warden.c" -o warden
	printf '%s\n' "$HOSTILE"/*.c | grep -vE '/(warden|before[a-z_]*)\.c$' |
		xargs -n 3 -P 2 veer-cc -g -w -O1 -std=gnu17 -D_GNU_SOURCE -c
	veer-cc ./*.o -o hostile -lpthread
	tree="-DTREE=\"$PWD/place/tree\" -DWAY=\"$WAYS/tree\""
	# shellcheck disable=SC2086
	{
		"$CLANG" $tree -shared -fPIC "$HOSTILE/before_library.c" -o libbefore.so
		veer-cc $tree -w -O1 "$HOSTILE/before.c" ./libbefore.so -Wl,-rpath,"$PWD" -Wl,-init,own_init -o early
	}
	for variant in explored sanitized; do
		test-execute -v $variant ./hostile </dev/null
		test-execute -v $variant ./early </dev/null
	done
	mkdir seeds
	while read -r name; do echo "$name" >"seeds/$name"; done <campaign
}

# Without a sandbox a program does nothing, whether the markers are there or not.
refuses() {
	cd "$WORK"

	mkdir place
	same 3 "$(status ./hostile files_write)"
	./warden "$PWD/place/tree" "$WAYS/tree" canaries sh -c './hostile files_write; echo "status $?"
		printf "arg ./hostile\narg files_write\nrun\n" | test-execute -v explored ./hostile
		./early' >said
	same "status 3 exited 3 $(sed 's/^/outside /' before | tr '\n' ' ')" "$(tr '\n' ' ' <said)"
}

# Runs all attacks, as a script that the warden starts: MODE. Each variant's runs one after the other in the executor,
# with what each did; then a campaign, which starts from all of them.
cat >battle.sh <<'S'
cd work || exit 1
HOSTILE_MODE=$1 HOSTILE_OUT=$PWD/../out
HOME=$PWD/../user
export HOSTILE_MODE HOSTILE_OUT HOME
attack() { # variant, file of names
	while read -r name; do printf 'clear\narg hostile\narg %s\nrun\n' "$name"; done <"$2" |
		timeout 120 test-execute -b "$HOSTILE_MODE" -v "$1" -t 700 "$WORK/hostile" >"../said-$1" 2>&1
}
for variant in explored sanitized; do
	printf 'arg early\nrun\n' | timeout 60 test-execute -b "$HOSTILE_MODE" -v $variant "$WORK/early" >"../early-$variant" 2>&1
done
attack explored "$WORK/names"
attack sanitized "$WORK/fast"
timeout 120 veer explore -q --sandbox "$HOSTILE_MODE" -o "$HOSTILE_OUT" -j1 --timeout 700 --budget 60s \
	--runs "$(wc -l <"$WORK/campaign")" --seeds "$WORK/seeds" -- "$WORK/hostile" </dev/null >../said-campaign 2>&1
echo "status $?" >>../said-campaign
S

# is_inside: the sandbox works, and is in force; else nothing is attacked
is_inside() {
	# shellcheck disable=SC2086
	said=$(printf 'arg hostile\narg nothing\nrun\n' | HOSTILE_TREE=$PWD/../probe HOSTILE_MODE=$MODE \
		$as test-execute -b "$MODE" -v explored "$WORK/hostile" 2>&1) || skip "$said"
	same "exited 2" "$said"
}

battle() {
	cd "$WORK"
	rm -rf place "$WAYS/tree"
	mkdir -p place/work/sub place/probe place/user/.ssh place/user/.gnupg place/user/.aws place/user/.config/gh
	cd place
	echo mine >work/mine
	echo "veer's hostile tests" >probe/magic
	for secret in .ssh/id_test .gnupg/secret .aws/credentials .netrc .config/gh/hosts.yml; do
		echo hostile-secret >"user/$secret"
	done
	GITHUB_TOKEN=hostile-secret AWS_SECRET_ACCESS_KEY=hostile-secret NPM_TOKEN=hostile-secret
	export GITHUB_TOKEN AWS_SECRET_ACCESS_KEY NPM_TOKEN WORK
	as=
	if [ "$WHO" = user ] && [ "$(id -u)" = 0 ]; then
		as="setpriv --reuid $SOMEBODY --regid $SOMEBODY --clear-groups"
		cp -a "$VEER_CACHE_DIR" cache
		VEER_CACHE_DIR=$PWD/cache
		chown -R "$SOMEBODY:$SOMEBODY" .
		# shellcheck disable=SC2086
		$as veer --version >/dev/null 2>&1 || skip "another user cannot run veer here"
	elif [ "$WHO" = root ] && [ "$(id -u)" != 0 ]; then
		skip "only root can be root"
	fi
	(cd work && is_inside)
	# shellcheck disable=SC2046
	"$WORK/warden" $([ -z "$as" ] || echo "-u $SOMEBODY") "$PWD/tree" "$WAYS/tree" "$WORK/canaries" \
		sh "$WORK/battle.sh" "$MODE" >harm
	[ "$(wc -l <said-campaign)" -gt 0 ]
	evaluate
}

# What is wrong, a line per attack: class, name, what. Each must have run, and ended as it may, and reached nothing.
evaluate() {
	awk -F '\t' -v config="$MODE-$WHO" -v nodes="$([ "$(id -u)" != 0 ] || echo 1)" '
	FILENAME ~ /attacks$/ { n++; name[n] = $1; ends[$1] = $2; known[$1] = " " $3 " "; next }
	FILENAME ~ /fast$/ { fast[++f] = $1; next }
	FNR == 1 { variant = FILENAME; sub(/.*-/, "", variant); i = 0; at = "" }
	FILENAME ~ /said-/ && /^(exited|signal|timeout|memory|output)/ {
		i++
		at = variant == "explored" ? name[i] : fast[i]
		ended[variant, at] = $1
		if ($1 ~ /^exited 1/) got[at] = got[at] " " variant ": exit status 1;"
		if ($1 ~ /^exited [2-9]/) wrong[at] = wrong[at] " " variant ": " $1 ";"
	}
	FILENAME ~ /said-/ && /^\| tried / { tried[variant, at] = 1 }
	FILENAME ~ /said-/ && /^\| through/ { got[at] = got[at] " " $1 ";" }
	FILENAME ~ /said-/ && /^error/ { died[variant] = $1 }
	FILENAME ~ /harm$/ && /^harmed/ { split($1, word, /[ :]+/); got[word[2]] = got[word[2]] " " substr($1, 1, 300) ";" }
	FILENAME ~ /harm$/ && /^left/ { left = left " " $1 ";" }
	function judge(variant, at,  how) {
		how = ended[variant, at]
		sub(/ .*/, "", how)
		sub(/,/, "", how)
		if (how == "")
			wrong[at] = wrong[at] " " variant ": did not run (" died[variant] ");"
		else if (index(" " ends[at] " ", " " how " ") == 0)
			wrong[at] = wrong[at] " " variant ": ended with " ended[variant, at] ";"
		else if (!((variant, at) in tried) && ends[at] !~ /quiet/)
			wrong[at] = wrong[at] " " variant ": did nothing;"
	}
	END {
		for (i = 1; i <= n; i++) judge("explored", name[i])
		for (i = 1; i <= f; i++) judge("sanitized", fast[i])
		for (i = 1; i <= n; i++) {
			at = name[i]
			is_known = index(known[at], " " config " ")
			if (!nodes && at ~ /^devices_(block_)?read$/) is_known = 0 # only root makes device nodes
			class = at
			sub(/_.*/, "", class)
			if (is_known && !(at in got)) wrong[at] = wrong[at] " is known to get through, and does not;"
			if (!is_known && (at in got)) wrong[at] = wrong[at] got[at]
			if (at in wrong) print class "\t" at ":" wrong[at]
			delete got[at]
		}
		for (at in got) print "others\t" at ":" got[at]
		if (left) print "others\t" left
	}' "$WORK/attacks" "$WORK/fast" said-explored said-sanitized harm >wrong
}

class_holds() {
	cd "$WORK/place"
	same "" "$(grep "^$CLASS	" wrong | cut -f 2)"
}

# Code that the loader calls; what it harmed is told with the class `others`.
before_holds() {
	cd "$WORK/place"
	for variant in explored sanitized; do
		same "exited 0
$(sed 's/^/| tried /' "$WORK/before")" "$(cat early-$variant)"
	done
}

# veer itself: the campaign has all of these inputs, and ends as any other.
campaign_ends() {
	cd "$WORK/place"
	contains "$(cat said-campaign)" "status 0"
	[ -s out/results.json ]
	same "$(wc -l <"$WORK/campaign")" "$(sqlite3 out/veer.db 'SELECT count(*) FROM inputs WHERE parent = 0 AND state = 1')"
	veer coverage --lcov covered.info out >/dev/null
	grep -v '^traces_' "$WORK/campaign" | while read -r name; do
		grep -qE "^FNDA:[1-9][0-9]*,$name\$" covered.info || echo "$name"
	done >missing
	same "" "$(cat missing)"
	same "" "$(grep -rl zeisig-stieglitz out || true)"
}

try "programs and their variants" build
try "no attack without a sandbox" refuses
for place in ${HOSTILE_PLACES:-namespaces-root namespaces-user landlock-root landlock-user}; do
	MODE=${place%-*} WHO=${place#*-}
	try "$MODE as $WHO: attacks" battle
	[ $code -eq 0 ] || continue
	for CLASS in $CLASSES others; do try "$MODE as $WHO: $CLASS" class_holds; done
	try "$MODE as $WHO: before main" before_holds
	try "$MODE as $WHO: the campaign ends" campaign_ends
done
finish
