// SPDX-License-Identifier: MIT
#include <json.h>
#include <stdio.h>
#include <string.h>

#include "base/config_parse.h"

/* A cufile.json nests three deep. */
#define DEPTH_MAX 16
#define KEY_MAX   256

struct walk {
    hf_config_value *value;
    void *context;
    const char *text;
    const char *cursor; /* the key that was visited last, */
    unsigned line;      /* and its line */
    char key[KEY_MAX];
};

/* Overwrites // and block comments with blanks; newlines stay, for the line numbers. */
static void blank_comments(char *text)
{
    char quote = '\0'; /* json-c takes both kinds */

    for (char *c = text; *c; c++) {
        const char *end;

        if (quote && *c == '\\' && c[1]) {
            c++;
        } else if (quote ? *c == quote : (*c == '"' || *c == '\'')) {
            quote = quote ? '\0' : *c;
        } else if (!quote && c[0] == '/' && (c[1] == '/' || c[1] == '*')) {
            end = c[1] == '/' ? strchr(c, '\n') : strstr(c + 2, "*/");
            if (end && c[1] == '*')
                end += 2;
            for (; *c && c != end; c++)
                if (*c != '\n')
                    *c = ' ';
            c--;
        }
    }
}

static unsigned count_newlines(const char *text, const char *end)
{
    unsigned count = 0;

    for (; text < end; text++)
        count += *text == '\n';
    return count;
}

/*
 * json-c keeps no positions but keeps the order, so each key is found behind the one before it. A
 * key that is written with escapes is not found, and takes the line of the one before.
 */
static void advance(struct walk *walk, const char *name)
{
    const size_t length = strlen(name);
    const char *found = walk->cursor;

    /* An empty name is found at the end, too. */
    while ((found = strstr(found, name)) != NULL && *found) {
        const char *behind = found + length;

        if (found > walk->text && found[-1] == '"' && *behind == '"' &&
            behind[1 + strspn(behind + 1, " \t\r\n")] == ':') {
            walk->line += count_newlines(walk->cursor, behind);
            walk->cursor = behind;
            return;
        }
        found++;
    }
}

static void give(struct walk *walk, const char *text)
{
    walk->value(walk->context, walk->key, text, walk->line);
}

static void visit(struct walk *walk, struct json_object *object);

static void visit_members(struct walk *walk, struct json_object *object)
{
    const size_t length = strlen(walk->key);

    json_object_object_foreach(object, name, member)
    {
        advance(walk, name);
        snprintf(walk->key + length, KEY_MAX - length, "%s%s", length ? "." : "", name);
        visit(walk, member);
        walk->key[length] = '\0';
    }
}

static void visit_elements(struct walk *walk, struct json_object *array)
{
    for (size_t i = 0; i < json_object_array_length(array); i++) {
        struct json_object *element = json_object_array_get_idx(array, i);

        if (json_object_is_type(element, json_type_object))
            give(walk, NULL);
        visit(walk, element);
    }
}

static void visit(struct walk *walk, struct json_object *object)
{
    switch (json_object_get_type(object)) {
    case json_type_object:
        visit_members(walk, object);
        break;
    case json_type_array:
        visit_elements(walk, object);
        break;
    case json_type_null:
        give(walk, "null");
        break;
    default:
        give(walk, json_object_get_string(object));
    }
}

/* The one object that the text must hold; NULL with *error set. */
static struct json_object *parse(struct json_tokener *tokener, const char *text, size_t length,
                                 struct hf_config_error *error)
{
    struct json_object *root = json_tokener_parse_ex(tokener, text, (int)length);
    enum json_tokener_error failure = json_tokener_get_error(tokener);
    size_t end = json_tokener_get_parse_end(tokener);
    const char *why = NULL;

    if (failure == json_tokener_continue)
        why = "the text ends too early";
    else if (failure != json_tokener_success)
        why = json_tokener_error_desc(failure);
    else if (!json_object_is_type(root, json_type_object))
        why = "a JSON object is expected";
    else if (text[end += strspn(text + end, " \t\r\n")] != '\0')
        why = "more text after the object";
    if (!why)
        return root;
    json_object_put(root);
    error->line = 1 + count_newlines(text, text + end);
    snprintf(error->why, sizeof(error->why), "%s", why);
    return NULL;
}

bool hf_config_parse(char *text, size_t length, hf_config_value *value, void *context,
                     struct hf_config_error *error)
{
    struct walk walk = {
        .value = value, .context = context, .text = text, .cursor = text, .line = 1};
    struct json_tokener *tokener = json_tokener_new_ex(DEPTH_MAX);
    struct json_object *root;

    if (!tokener) {
        *error = (struct hf_config_error){0, "out of memory"};
        return false;
    }
    blank_comments(text);
    root = parse(tokener, text, length, error);
    if (root)
        visit(&walk, root);
    json_object_put(root);
    json_tokener_free(tokener);
    return root != NULL;
}
