#!/bin/sh
# Campaigns on disk: merging them, and a disk that is full.
# shellcheck disable=SC2016
. "$(dirname "$0")/lib.sh"
tool=$VEER_BUILD/tests/unit/store_tool
export tool

campaigns() { # a and b: of one program
	"$tool" some a alpha /x/prog
	"$tool" some b beta /y/prog
	mkdir -p b/findings/F1/files
	printf '#!/bin/sh\necho beta\n' >b/findings/F1/reproduce.sh
	chmod +x b/findings/F1/reproduce.sh
	echo text >b/findings/F1/files/input
}

merging() {
	campaigns
	same "b: 1 new inputs, 1 findings" "$(veer merge a b)"
	same beta "$(a/findings/F2/reproduce.sh)"
	same text "$(cat a/findings/F2/files/input)"
	contains "$(cat a/results.json)" '"seeds": 1, "runs": 20,'
	contains "$(cat a/results.json)" '"id": "F2", "kind": "abort"'
	same "b: 0 new inputs, 1 findings" "$(veer merge a b)"
	contains "$(cat a/results.json)" '"runs": 20,'
	[ ! -e a/findings/F3 ] || die "a finding came twice"
	same "F1" "$(ls b/findings)"
	[ ! -e b/results.json ] || die "the other campaign was written to"
	"$tool" some c gamma prog
	veer merge a b c >out
	same 2 "$(grep -c . out)"
}

merge_errors() {
	campaigns
	same 2 "$(status veer merge a 2>err)"
	one_line "$(cat err)"
	same 1 "$(status veer merge nowhere b 2>err)"
	one_line "$(cat err)"
	contains "$(cat err)" "there is no campaign in nowhere"
	[ ! -e nowhere ] || die "it was created"
	same 1 "$(status veer merge a nowhere 2>err)"
	one_line "$(cat err)"
	same 1 "$(status veer merge a ./a 2>err)"
	contains "$(cat err)" "the same campaign"
	"$tool" some d delta /x/other
	same 1 "$(status veer merge a d 2>err)"
	contains "$(cat err)" "only campaigns of one program"
	echo nonsense nonsense nonsense nonsense >d/veer.db
	cp d/veer.db before
	same 1 "$(status veer merge a d 2>err)"
	one_line "$(cat err)"
	contains "$(cat err)" "d/veer.db is damaged"
	same 1 "$(status veer merge d a 2>err)"
	contains "$(cat err)" "d/veer.db is damaged"
	cmp before d/veer.db
	contains "$(veer merge --help)" "usage: veer merge DIR OTHER..."
}

in_use() {
	campaigns
	"$tool" write c 10 2>/dev/null &
	writer=$!
	i=0
	until [ -s c/veer.db ] || [ $i -gt 100 ]; do sleep 0.05; i=$((i + 1)); done
	same 1 "$(status veer merge c a 2>err)"
	veer merge a c >meanwhile # reading it is allowed
	kill -9 $writer
	wait $writer || true
	veer merge b c >after # its log is still there
	one_line "$(cat err)"
	contains "$(cat err)" "the campaign c is in use by process $writer (store_tool)"
	same "c: $("$tool" verify c) new inputs" "$(sed 's/,.*//' after)"
	contains "$(cat meanwhile)" "new inputs"
}

disk_full() {
	unshare -Urm true || skip "user namespaces are not allowed here"
	for inputs in 5 500; do
		unshare -Urm sh -ec 'mkdir -p full && mount -t tmpfs -o size=8m none full
			"$tool" write full/c $0 2>err || true
			"$tool" verify full/c >first 2>resumed || true   # the disk is still full
			cp -r full/c copy
			mount -o remount,size=16m full
			"$tool" verify full/c >again
			"$tool" write full/c $0 2>more || true
			"$tool" verify full/c >last || true
			mount -o remount,size=32m full
			"$tool" verify full/c >last' $inputs
		one_line "$(cat err)"
		contains "$(cat err)" "the disk is full; what was committed is safe"
		[ "$(cat again)" -gt 500 ] || die "hardly anything was kept: $(cat again)"
		[ ! -s first ] || same "$(cat again)" "$(cat first)"
		[ -s first ] || contains "$(cat resumed)" "the disk is full"
		same "$(cat again)" "$("$tool" verify copy)"
		contains "$(cat more)" "the disk is full"
		[ "$(cat last)" -gt "$(cat again)" ] || die "it could not go on: $(cat again), then $(cat last)"
		rm -rf copy
	done
}

try "merging" merging
try "merge: errors" merge_errors
try "a campaign in use" in_use
try "disk full" disk_full
finish
