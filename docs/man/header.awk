# SPDX-License-Identifier: MIT
# Pages of section 3 from the comments of the public headers: one for each function, and one for each
# type. usage: awk -f roff.awk -f header.awk -v out=DIR -v date=DATE -v source=NAME HEADER ...
#
# What gets a page is a function or a typedef with a comment before it that begins with "/**". Its
# first sentence names the page; @param and @return are as elsewhere; the lists in @return are the
# errors; the paragraph that says since when there is this call becomes the notes.

# ---- reading the headers ------------------------------------------------------------------------

FNR == 1 {
    header = FILENAME
    sub(/.*\//, "", header)
    section = comment = ""
}

at_title { section = header $0; at_title = 0 }
/^\/\* -----/ { at_title = 1; next }

/^\/\*\*/ { comment = ""; in_comment = 1 }
in_comment {
    in_comment = $0 !~ /\*\/$/
    sub(/ *\*\/$/, "")
    sub(/^(\/\*\*| \*) ?/, "")
    comment = comment $0 "\n"
    next
}

/^HIPFILE_API/ { declaration = ""; in_function = 1 }
/^typedef/ { declaration = ""; in_type = 1 }
in_function || in_type { declaration = declaration $0 "\n" }
in_function && /;$/ { in_function = 0; add("function") }
in_type && (/^}.*;$/ || /^typedef [^{]*;$/) { in_type = 0; add("type") }
!in_type && /^($|#)/ { comment = "" }

function fail(message)
{
    print FILENAME ": " message >"/dev/stderr"
    failed = 1
    exit 1
}

function add(kind,   name)
{
    name = declaration
    if (kind == "function")
        sub(/\(.*/, "", name)
    sub(/;\n$/, "", name)
    sub(/.*[ *}]/, "", name)
    if (comment == "")
        fail(name " has no comment")
    names[++count] = name
    kinds[name] = kind
    declarations[name] = declaration
    comments[name] = comment
    sections[name] = section
    headers[name] = header
}

# ---- lists and paragraphs of a comment -----------------------------------------------------------

# Like a sentence: a large letter first, unless it is a parameter that comes first, and a full stop.
function sentence(text)
{
    gsub(/^[ \n]+|[ \n]+$/, "", text)
    match(text, /^[a-z]*/)
    if (!(substr(text, 1, RLENGTH) in arguments) && substr(text, RLENGTH + 1) ~ /^([ ,\n]|$)/)
        text = toupper(substr(text, 1, 1)) substr(text, 2)
    return text (text ~ /[.:]$|\.\)$/ ? "" : ".")
}

# "- NAME: text" lines under a paragraph, as a list of errors or of plain items.
function list(text, is_errors,   items, n, i, colon)
{
    n = split(text, items, /(^|\n) *- /)
    for (i = 2; i <= n; i++) {
        colon = match(items[i], /: /)
        if (is_errors && colon) {
            gap(".TP")
            print ".B " substr(items[i], 1, colon - 1) >file
            fill(sentence(substr(items[i], colon + 2)))
        } else {
            gap(".IP * 2")
            fill(items[i])
        }
    }
}

# Sets lead, items and rest: what is before the first "- " of a paragraph, the list, and what follows
# it without an indentation.
function cut_list(paragraph,   lines, n, i)
{
    lead = items = rest = ""
    n = split(paragraph, lines, "\n")
    for (i = 1; i <= n; i++) {
        if (rest == "" && (lines[i] ~ /^ *- / || (items != "" && lines[i] ~ /^ /)))
            items = items lines[i] "\n"
        else if (items != "")
            rest = rest lines[i] "\n"
        else
            lead = lead lines[i] "\n"
    }
}

function paragraph(text)
{
    if (text ~ /[^ \n]/) {
        gap(".PP")
        fill(text)
    }
}

function prose(text,   paragraphs, n, i)
{
    n = split(text, paragraphs, /\n\n+/)
    for (i = 1; i <= n; i++) {
        cut_list(paragraphs[i])
        paragraph(lead)
        list(items, 0)
        paragraph(rest)
    }
}

# ---- the parts of a comment ---------------------------------------------------------------------

# Sets summary, body, parameters (each with its "@param "), result and notes.
function take_apart(comment,   paragraphs, n, i, lines, m, j, part)
{
    body = parameters = result = notes = ""
    n = split(comment, paragraphs, /\n\n+/)
    for (i = 1; i <= n; i++) {
        if (match(paragraphs[i], /Since[ \n]0\.[0-9]/)) {
            if (i > 1)
                RSTART = 1
            notes = substr(paragraphs[i], RSTART)
            paragraphs[i] = substr(paragraphs[i], 1, RSTART - 1)
        }
        if (part != "result")
            part = "body"
        m = split(paragraphs[i] "\n", lines, "\n")
        for (j = 1; j <= m; j++) {
            if (lines[j] ~ /^@param /)
                part = "param"
            else if (sub(/^@return /, "", lines[j]))
                part = "result"
            if (part == "body")
                body = body lines[j] "\n"
            else if (part == "param")
                parameters = parameters lines[j] "\n"
            else
                result = result lines[j] "\n"
        }
    }
    summary = body
    sub(/^\n+/, "", summary)
    sub(/\n\n.*/, "", summary)
    gsub(/\n/, " ", summary)
    sub(/(: .*|\. .*|\. *)$/, "", summary)
}

# The function that this one's text refers to for what it does not say itself.
function model(   text)
{
    text = result == "" ? body : result
    gsub(/\n/, " ", text)
    if (!match(text, /as (for )?hip[A-Za-z0-9]+/))
        return ""
    text = substr(text, RSTART, RLENGTH)
    sub(/.* /, "", text)
    return text != page && text in kinds ? text : ""
}

# ---- sections of a page -------------------------------------------------------------------------

# Bold, but for the names of the parameters.
function put_prototype(text,   parts, n, i, line, indent)
{
    sub(/^HIPFILE_API /, "", text)
    gsub(/\n */, " ", text)
    print ".nf" >file
    match(text, /\(/)
    line = "\\fB" substr(text, 1, RSTART)
    indent = sprintf("%*s", RSTART < 40 ? RSTART : 8, "")
    n = split(substr(text, RSTART + 1), parts, ", ")
    for (i = 1; i <= n; i++) {
        sub(/\); $/, "", parts[i])
        if (parts[i] != "void" && match(parts[i], /[a-z_0-9]+$/)) {
            arguments[substr(parts[i], RSTART)] = 1
            sub(/[a-z_0-9]+$/, "\\fI&\\fB", parts[i])
        }
        parts[i] = parts[i] (i < n ? "," : ");\\fP")
        if (i > 1 && length(line parts[i]) > 88) {
            print line >file
            line = indent parts[i]
        } else {
            line = line (i > 1 ? " " : "") parts[i]
        }
    }
    print line >file
    print ".fi" >file
}

function put_parameters(   parts, n, i, name)
{
    n = split(parameters, parts, /(^|\n)@param +/)
    for (i = 2; i <= n; i++) {
        name = parts[i]
        sub(/[ \n].*/, "", name)
        if (!(name in arguments))
            fail(page " has no parameter " name)
        arguments[name] = 2
        gap(".TP")
        print ".I " name >file
        sub(/^[^ ]+ +/, "", parts[i])
        fill(sentence(parts[i]))
    }
    if (model() == "")
        for (name in arguments)
            if (arguments[name] < 2)
                fail("parameter " name " of " page " is not explained")
}

function put_result(   paragraphs, n, i)
{
    heading("RETURN VALUE")
    if (result == "")
        paragraph(model() == "" ? "None." : "As for " model() ".")
    n = split(result, paragraphs, /\n\n+/)
    for (i = 1; i <= n; i++) {
        cut_list(paragraphs[i])
        if (items != "") {
            gsub(/[ \n]+/, " ", lead)
            sub(/( Among others|, with) $/, "", lead)
            sub(/(or|,) $/, "& one of the codes under ERRORS", lead)
            sub(/these codes/, "the codes under ERRORS", lead)
        }
        if (lead != "")
            paragraph(sentence(lead))
    }
}

function put_errors(   paragraphs, n, i, any)
{
    heading("ERRORS")
    if (model() != "") {
        paragraph("As for " model() "." (result ~ /\n *- / ? " Here also:" : ""))
        any = 1
    }
    n = split(result, paragraphs, /\n\n+/)
    for (i = 1; i <= n; i++) {
        cut_list(paragraphs[i])
        if (items == "")
            continue
        if (lead ~ /^-1:/)
            paragraph("In errno, with the result -1:")
        else if (lead ~ /^Below -1:/)
            paragraph("Negated, as the result:")
        list(items, 1)
        any = 1
    }
    if (!any)
        paragraph("None.")
}

# What the text mentions, what stands beside it in the header, and its types or their users.
function put_related(   i, j, other, sorted, n)
{
    heading("SEE ALSO")
    for (i = 1; i <= count; i++) {
        other = names[i]
        if (other != page && (other in related || uses(other, page) || uses(page, other) ||
            (kinds[page] == "function" && kinds[other] == "function" && sections[other] == sections[page]))) {
            for (j = ++n; j > 1 && sorted[j - 1] > other; j--)
                sorted[j] = sorted[j - 1]
            sorted[j] = other
        }
    }
    for (i = 1; i <= n; i++)
        print ".BR " sorted[i] " (3)," >file
    print ".BR hipfile (7)" >file
}

# Whether a declaration names a type that has a page.
function uses(name, type)
{
    return kinds[type] == "type" && index(declarations[name], type " ")
}

function put_page(name)
{
    page = name
    split("", related)
    split("", arguments)
    gsub(/the top of (this file|hipfile\.h)/, "hipfile(7)", comments[name])
    take_apart(comments[name])

    start_page(out "/" name ".3", name, 3, "the comments of " headers[name])
    heading("NAME")
    if (summary ~ /^[A-Z][a-z]* /)
        summary = tolower(substr(summary, 1, 1)) substr(summary, 2)
    print name " \\- " escape(summary) >file

    heading("SYNOPSIS")
    print ".B #include <" headers[name] ">" >file
    print ".PP" >file
    if (kinds[name] == "function")
        put_prototype(declarations[name])
    else
        code(declarations[name])

    heading("DESCRIPTION")
    prose(body)
    if (kinds[name] == "function") {
        put_parameters()
        put_result()
        put_errors()
    }
    if (notes != "") {
        heading("NOTES")
        prose(notes)
    }
    put_related()
    close(file)
}

END {
    if (failed)
        exit 1
    for (each = 1; each <= count; each++)
        put_page(names[each])
}
