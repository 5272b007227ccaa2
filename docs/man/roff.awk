# SPDX-License-Identifier: MIT
# Text as roff, for the other programs here: they set file, and date and source for the title.

function start_page(path, name, section, origin)
{
    file = path
    print ".\\\" SPDX-License-Identifier: MIT" >file
    print ".\\\" Made from " origin " by docs/man/generate." >file
    print ".TH " name " " section " " date " \"" source "\" \"hipFile manual\"" >file
}

function heading(title)
{
    print ".SH " title >file
    at_heading = 1
}

# Between paragraphs; right behind a heading there need be nothing.
function gap(macro)
{
    if (!at_heading || macro != ".PP")
        print macro >file
    at_heading = 0
}

function escape(text)
{
    gsub(/\\/, "\\e", text)
    gsub(/-/, "\\-", text)
    gsub(/\^/, "\\(ha", text)
    gsub(/~/, "\\(ti", text)
    return text
}

# A line of text, which roff must not take for a request.
function put(line)
{
    print (line ~ /^[.']/ ? "\\&" : "") line >file
}

# A word of prose: names of ours (in the program's kinds: with a page) and other pages' stand out, and
# a sign is no hyphen.
function markup(word,   before, name)
{
    if (match(word, /[a-z_-]+\([1-8]\)/)) {
        name = escape(substr(word, RSTART, RLENGTH))
        sub(/\(/, "\\fP(", name)
        return escape(substr(word, 1, RSTART - 1)) "\\fB" name substr(word, RSTART + RLENGTH)
    }
    if (match(word, /hip[A-Z][A-Za-z0-9]*(_t)?|(IS_)?HIPFILE_[A-Z0-9_]+/)) {
        before = escape(substr(word, 1, RSTART - 1))
        name = substr(word, RSTART, RLENGTH)
        word = markup(substr(word, RSTART + RLENGTH))
        if (!(name in kinds) || name == page)
            return before "\\fB" name "\\fP" word
        related[name] = 1
        return before "\\fB" name "\\fP(3)" word
    }
    return word ~ /^[A-Za-z]+(-[a-z]+)+[.,:;)]*$/ ? word : escape(word)
}

# A paragraph's text, in lines of moderate length.
function fill(text,   words, n, i, line, word)
{
    n = split(text, words, /[ \n]+/)
    line = ""
    for (i = 1; i <= n; i++) {
        if (words[i] == "")
            continue
        word = markup(words[i])
        if (line != "" && length(line word) > 76) {
            put(line)
            line = ""
        }
        line = line (line == "" ? "" : " ") word
    }
    if (line != "")
        put(line)
}

# Lines as they are.
function code(text,   lines, n, i)
{
    sub(/\n$/, "", text)
    n = split(text, lines, "\n")
    print ".EX" >file
    for (i = 1; i <= n; i++)
        put(escape(lines[i]))
    print ".EE" >file
}
