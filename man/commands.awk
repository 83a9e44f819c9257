# SPDX-License-Identifier: GPL-2.0-or-later
# Fills @COMMANDS@ of a manual page from ui/commands.def: awk -f commands.awk commands.def vmtop.8.in
function keys_text(keys,    n, i, list, key, out) {
	n = split(keys, list, " ")
	out = ""
	for (i = 1; i <= n; i++) {
		key = list[i]
		if (length(key) > 1 && index(substr(key, 2), "="))
			key = substr(key, 1, index(substr(key, 2), "="))
		gsub(/\\/, "\\e", key)
		gsub(/\^/, "\\(ha", key)
		gsub(/-/, "\\-", key)
		if (key ~ /^[.,:;()?!|]$/ || key == "[" || key == "]")
			key = "\\&" key
		out = out (i > 1 ? " ,\n.Ql " : ".Ql ") key
	}
	return out
}
FNR == NR {
	if ($0 ~ /^COMMAND\(/) {
		split($0, field, "\"")
		entry = ".It Cm " field[2]
		if (field[4] != "") {
			args = field[4]
			gsub(/ \| /, "|", args)
			entry = entry " Ar \"" args "\""
		}
		help = field[10]
		sub(/^./, toupper(substr(help, 1, 1)), help)
		entry = entry "\n" help "."
		if (field[6] != "")
			entry = entry "\nKeys:\n" keys_text(field[6]) " ."
		commands = commands entry "\n"
	}
	next
}
/^@COMMANDS@$/ { printf "%s", commands; next }
{ print }
