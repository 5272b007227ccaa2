# SPDX-License-Identifier: MIT
# A page of section 7 from a document in Markdown: headings, paragraphs, code, lists, tables.
# usage: awk -f roff.awk -f markdown.awk -v name=NAME -v summary=TEXT -v out=DIR ... DOCUMENT

BEGIN {
    origin = ARGV[1]
    sub(/.*\.\.\//, "", origin)
    start_page(out "/" name ".7", name, 7, origin)
    heading("NAME")
    put(escape(name) " \\- " escape(summary))
    heading("DESCRIPTION")
}

# What is marked in a line: code and stress are bold, of a link the text stays.
function inline(text,   result, token, before)
{
    gsub(/\*\*/, "`", text)
    while (match(text, /`[^`]*`|\[[^\]]*\]\([^)]*\)/)) {
        before = substr(text, 1, RSTART - 1)
        token = substr(text, RSTART, RLENGTH)
        text = substr(text, RSTART + RLENGTH)
        result = result plain(before)
        if (token ~ /^`/)
            result = result "\\fB" escape(substr(token, 2, length(token) - 2)) "\\fP"
        else
            result = result inline(substr(token, 2, index(token, "](") - 2))
    }
    return result plain(text)
}

function plain(text,   words, n, i, result)
{
    n = split(text, words, " ")
    result = text ~ /^ / ? " " : ""
    for (i = 1; i <= n; i++)
        result = result (i > 1 ? " " : "") markup(words[i])
    return result (n > 0 && text ~ / $/ ? " " : "")
}

function begin_code(kind)
{
    gap(".PP")
    print ".EX" >file
    return kind
}

function end_code()
{
    print ".EE" >file
    return ""
}

function text_line(text)
{
    put(inline(text))
}

/^<!--/ { next }
/^# / { next }
/^## / { heading(toupper(substr($0, 4))); state = ""; next }
/^### / { print ".SS " inline(substr($0, 5)) >file; at_heading = 1; state = ""; next }

/^```/ { state = state == "fence" ? end_code() : begin_code("fence"); next }
state == "fence" { put(escape("    " $0)); next }
/^    / && state == "" { state = begin_code("code") }
/^    / && state == "code" { put(escape($0)); next }
state == "code" { state = end_code() }

/^$/ { state = ""; next }

/^- / { gap(".IP * 2"); text_line(substr($0, 3)); state = "item"; next }

# A row: its first cell, and below it the others, the middle ones with the names of their columns.
/^\|/ {
    n = split($0, cells, / *\| */)
    if (state != "table") {
        split($0, columns, / *\| */)
    } else if ($0 !~ /^\| *-/) {
        gap(".TP")
        text_line(cells[2])
        for (i = 3; i < n; i++)
            text_line((i < n - 1 ? columns[i] ": " : "") cells[i] (i < n - 1 ? ";" : ""))
    }
    state = "table"
    next
}

{
    if (state == "")
        gap(".PP")
    sub(/^ +/, "")
    text_line($0)
    state = "text"
}

END {
    heading("SEE ALSO")
    print ".BR hipfile\\-config (1)," >file
    print ".BR hipfile (7)" >file
}
