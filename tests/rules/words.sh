#!/bin/sh
# One thing has one name, that of docs/GLOSSARY.md. Words that veer once had for these things are banned where people
# read: sources (comments, help texts, messages, names), documents. The table below is of extended regular expressions,
# without regard to case, for whole words.
cd "$(dirname "$0")/../.." || exit 1

# banned PLACES WORDS TERM: the words, and what the thing is called. PLACES: everywhere, or the rooms of src in which an
# ordinary word meant something of its own.
rules() {
	cat <<-'END'
		everywhere | questions? | query
		everywhere | sce?ner(y|ies)|scenes? | snapshot
		everywhere | judge[sd]?|judging | oracle, verdict
		everywhere | moulds?|askers?|astray|dull( runs?)? | template, adapter; client; diverges; run without new coverage
		everywhere | made small|makes small | minimised
		everywhere | mak(e|es|ing) concrete|made concrete|turned round | concretised; flipped
		everywhere | lets? go( of)?|let_go | evicted
		everywhere | (bytes|bits|fields|values?|what|all|nothing|something|byte) (that )?matters?|mattering | relevant
		everywhere | sensitive places?|runs? without end|known runs|runs of others|wide= | sensitive operation; hang; cached run; frontier=
		everywhere | (is|are|was|were|be|been) (not |only |never )?(told|said) | reported, printed
		everywhere | sides? of (a |the )?branch(es)?|goes the other way|ways? off | branch edge, branch flip, alternative
		everywhere | amplification visits?|worker'?s? boxes | amplification task, worker directories
		search explore path worker | walks?|walked|dull | search episode
		search explore path worker | ways( that (were|go))?|turns? off | alternative, branch flip, path
		search explore path coverage store | sides? | branch edge
		cli session explore report | parts? of (a|the) campaign|several parts | session
	END
}

# Where an older name is the subject: what databases of older versions hold, the glossary's column of them.
others='^src/store/upgrade\.c:|^docs/GLOSSARY\.md:|^docs/results/'
# Words of other tongues: of scripts for the shell, of XML.
others="$others|sosy-lab"

places() { # rooms -> folders
	case $1 in
	everywhere) echo src include docs README.md ;;
	*) for room in $1; do echo "src/$room"; done ;;
	esac
}

# uses PLACES WORDS: lines that have one of these, as FILE:LINE:TEXT
uses() {
	# shellcheck disable=SC2046
	grep -rniwE --include='*.[ch]' --include='*.def' --include='*.md' --include='*.css' --include='*.js' -- "$2" $(places "$1") |
		grep -vE "$others"
}

# trim TEXT
trim() { printf '%s\n' "$1" | sed 's/^[[:blank:]]*//; s/[[:blank:]]*$//'; }

rules | {
	bad=
	while IFS= read -r rule; do
		# The regular expressions have bars, but none between blanks.
		where=$(trim "${rule%% | *}") rest=${rule#* | }
		words=$(trim "${rest% | *}") term=$(trim "${rest##* | }")
		found=$(uses "$where" "$words" | cut -c 1-160)
		[ -z "$found" ] || bad="$bad
    in place of \"$term\":
$found"
	done
	if [ -n "$bad" ]; then
		echo "FAIL words: retired words (docs/GLOSSARY.md)$bad"
	else
		echo "ok words: no retired words"
	fi
}

# A term stands in the glossary once.
twice=$(sed -n 's/^| \([^|]*[^ |]\) *|.*/\1/p' docs/GLOSSARY.md | grep -vx 'term\|-*' | sort | uniq -d)
if [ -n "$twice" ]; then
	echo "FAIL words: more than once in docs/GLOSSARY.md:" "$twice"
else
	echo "ok words: every term is in docs/GLOSSARY.md once"
fi
