# SPDX-License-Identifier: MIT
# A page of section 1 from what a tool's --help prints, in argp's form: "Usage:" lines, what it does,
# options, more text. usage: TOOL --help | awk -f roff.awk -f tool.awk -v name=TOOL -v out=DIR ...

/^Usage: |^  or:  / {
    sub(/^(Usage:|  or: ) +[^ ]+ */, "")
    usage[++usages] = $0
    next
}
/^ [^ -].*:$/ { next } # the heading of a group of options
/^Mandatory or optional arguments/ { skipping = 1 }
skipping { skipping = $0 != ""; next }

# An option: its names, two blanks or more (or a line's end), its text.
/^ +-/ {
    flags[++options] = $0
    sub(/^ +/, "", flags[options])
    text[options] = ""
    if (match(flags[options], /   *[^ ]/)) {
        text[options] = substr(flags[options], RSTART)
        flags[options] = substr(flags[options], 1, RSTART - 1)
    }
    after = ""
    next
}
options && /^        / { text[options] = text[options] " " $0; next }
!options { before = before $0 "\n"; next }
{ after = after $0 "\n" }

# Paragraphs, and lines that are indented as they are.
function paragraphs(text,   parts, n, i)
{
    n = split(text, parts, /\n\n+/)
    for (i = 1; i <= n; i++) {
        if (parts[i] !~ /[^ \n]/)
            continue
        gap(".PP")
        if (parts[i] ~ /^\n*  /)
            code(parts[i])
        else
            fill(parts[i])
    }
}

END {
    if (!usages || !options) {
        print name ": --help is not in argp's form" >"/dev/stderr"
        exit 1
    }
    summary = before
    gsub(/\n/, " ", summary)
    sub(/^ */, "", summary)
    sub(/(: .*|\. .*|\. *)$/, "", summary)

    start_page(out "/" name ".1", name, 1, name " --help")
    heading("NAME")
    put(name " \\- " tolower(substr(summary, 1, 1)) escape(substr(summary, 2)))
    heading("SYNOPSIS")
    for (i = 1; i <= usages; i++) {
        print ".B " escape(name) >file
        put(escape(usage[i]))
        if (i < usages)
            print ".br" >file
    }
    heading("DESCRIPTION")
    paragraphs(before)
    heading("OPTIONS")
    for (i = 1; i <= options; i++) {
        gap(".TP")
        print ".B " escape(flags[i]) >file
        fill(text[i])
    }
    if (after ~ /[^ \n]/) {
        heading("NOTES")
        paragraphs(after)
    }
    heading("SEE ALSO")
    print ".BR hipfile (7)," >file
    print ".BR hipfile\\-settings (7)" >file
}
