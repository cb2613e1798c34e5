# Another name for each function that a test of models calls: the same test, with aliases.
# usage: awk -v pass=K -f aliases.awk SYMBOLS MODELS.DEF TEST.C
# SYMBOLS has the names that libc defines, MODELS.DEF is src/abi/models.def. Prints TEST.C
# with every function replaced by its K-th alias, nothing when it calls none that has so many.
# Left out are those that tests declare themselves; stat, which is a structure as well; and
# __memcmpeq, whose result is only compared with 0.
FILENAME == ARGV[1] { defined[$1] = 1; next }
FILENAME == ARGV[2] && match($0, /^ALIAS\([^)]*\)/) {
	split(substr($0, 7, RLENGTH - 7), part, /, */)
	if (part[1] in defined && part[1] != "__memcmpeq" && part[2] !~ /^__|^stat$/ && ++count[part[2]] == pass)
		alias[part[2]] = part[1]
	next
}
FILENAME == ARGV[2] { next }
{
	line[++n] = $0
	if (/^#include/)
		last = n
	text = $0
	gsub(/"([^"\\]|\\.)*"|\/\/.*/, "", text)
	words = split(text, word, /[^A-Za-z0-9_]+/)
	for (i = 1; i <= words; i++)
		used[word[i]] = 1
}
END {
	for (name in alias)
		if (!(name in used))
			delete alias[name]
		else
			any = 1
	for (i = 1; any && i <= n; i++) {
		print line[i]
		if (i == last) {
			for (name in alias)
				printf "#undef %s\nextern __typeof__(%s) alias_%s __asm__(\"%s\");\n",
					name, name, alias[name], alias[name]
			for (name in alias)
				printf "#define %s alias_%s\n", name, alias[name]
		}
	}
}
