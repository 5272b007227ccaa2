// SPDX-License-Identifier: MIT
/* Prints the settings as a program that starts here and now would get them. */
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/settings.h"
#include "hipfile.h"

#define TEXT_(x) #x
#define TEXT(x)  TEXT_(x)

/* Visible, so that argp finds it. */
HIPFILE_API const char *argp_program_version = "hipfile-config " TEXT(
    HIPFILE_VERSION_MAJOR) "." TEXT(HIPFILE_VERSION_MINOR) "." TEXT(HIPFILE_VERSION_PATCH);

enum format { FORMAT_LIST, FORMAT_JSON, FORMAT_MARKDOWN };

struct request {
    enum format format;
    bool wanted[HF_SETTINGS];
    bool any_wanted;
};

static const struct argp_option options[] = {
    {"json", 'j', NULL, 0, "Print a JSON array", 0},
    {"markdown", 'm', NULL, 0, "Print the table of the reference page (defaults only)", 0},
    {0},
};

static error_t take_option(int key, char *argument, struct argp_state *state)
{
    struct request *request = state->input;
    enum hf_setting id;

    switch (key) {
    case 'j':
        request->format = FORMAT_JSON;
        return 0;
    case 'm':
        request->format = FORMAT_MARKDOWN;
        return 0;
    case ARGP_KEY_ARG:
        id = hf_setting_find(argument);
        if (id == HF_SETTINGS)
            argp_failure(state, 1, 0, "no such setting: %s", argument);
        else
            request->wanted[id] = request->any_wanted = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp parser = {
    .options = options,
    .parser = take_option,
    .args_doc = "[SETTING...]",
    .doc =
        "Print hipFile's settings: value, source, range and help.\v"
        "A SETTING may be given by its name, its variable, its key in the configuration file, or "
        "its parameter in hipfile.h. The values are those that a program started in this "
        "environment would get; what a program sets by itself is not seen here.",
};

/* ---- for people ------------------------------------------------------------------------- */

static void print_short(const struct hf_setting_info *info)
{
    char value[80];

    snprintf(value, sizeof(value), "%.60s%s%s", info->value[0] ? info->value : "-",
             info->unit[0] ? " " : "", info->unit);
    printf("%-29s  %-16s  %-11s  %s\n    %s\n", info->name, value, hf_source_name(info->source),
           info->range, info->help);
}

static void print_long(const struct hf_setting_info *info)
{
    printf("%s\n    %s\n", info->name, info->help);
    printf("    value        %s%s%s\n", info->value[0] ? info->value : "-",
           info->unit[0] ? " " : "", info->unit);
    printf("    source       %s%s%s\n", hf_source_name(info->source), info->origin[0] ? ": " : "",
           info->origin);
    printf("    default      %s\n", info->initial_text[0] ? info->initial_text : "-");
    printf("    range        %s\n", info->range);
    printf("    environment  %s\n", info->environment);
    if (info->keys[0])
        printf("    key          %s\n", info->keys);
    if (info->parameter[0])
        printf("    parameter    hipFileParam%s\n", info->parameter);
}

/* ---- JSON ------------------------------------------------------------------------------- */

static void print_string(const char *text)
{
    putchar('"');
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            printf("\\%c", *text);
        else if ((unsigned char)*text < ' ')
            printf("\\u%04x", (unsigned)*text);
        else
            putchar(*text);
    }
    putchar('"');
}

static void print_pair(const char *name, const char *text)
{
    printf(", \"%s\": ", name);
    print_string(text);
}

/* Numbers and booleans as such. */
static void print_value(const char *name, const char *text, enum hf_setting_type type)
{
    if (type == HF_TYPE_SIZE || type == HF_TYPE_BOOL)
        printf(", \"%s\": %s", name, text);
    else
        print_pair(name, text);
}

static void print_words(const char *name, const char *words)
{
    const char *separator = "";
    size_t length;

    printf(", \"%s\": [", name);
    for (; *words; words += length + (words[length] == ' ')) {
        length = strcspn(words, " ");
        printf("%s\"%.*s\"", separator, (int)length, words);
        separator = ", ";
    }
    putchar(']');
}

static void print_json(const struct hf_setting_info *info)
{
    static const char *const types[] = {"size", "bool", "level", "path"};

    printf("  {\"name\": \"%s\", \"type\": \"%s\"", info->name, types[info->type]);
    print_value("value", info->value, info->type);
    print_pair("unit", info->unit);
    print_pair("source", hf_source_name(info->source));
    print_pair("origin", info->origin);
    print_value("default", info->initial_text, info->type);
    if (info->type == HF_TYPE_SIZE)
        printf(", \"minimum\": %zu, \"maximum\": %zu, \"multiple\": %zu", info->minimum,
               info->maximum, info->multiple);
    print_pair("range", info->range);
    print_words("environment", info->environment);
    print_words("keys", info->keys);
    printf(", \"parameter\": \"%s%s\"", info->parameter[0] ? "hipFileParam" : "", info->parameter);
    print_pair("help", info->help);
    putchar('}');
}

/* ---- the reference page ----------------------------------------------------------------- */

static void print_code(const char *words)
{
    const char *separator = "";
    size_t length;

    for (; *words; words += length + (words[length] == ' ')) {
        length = strcspn(words, " ");
        printf("%s`%.*s`", separator, (int)length, words);
        separator = ", ";
    }
}

static void print_markdown(const struct hf_setting_info *info)
{
    printf("### %s\n\n%s\n\n- default: ", info->name, info->help);
    if (info->initial_text[0])
        printf("`%s`%s%s", info->initial_text, info->unit[0] ? " " : "", info->unit);
    else
        printf("empty");
    printf("\n- range: %s\n- environment: ", info->range);
    print_code(info->environment);
    if (info->keys[0]) {
        printf("\n- configuration file: ");
        print_code(info->keys);
    }
    if (info->parameter[0])
        printf("\n- parameter: `hipFileParam%s`", info->parameter);
    printf("\n\n");
}

/* ----------------------------------------------------------------------------------------- */

static void print_settings(const struct request *request)
{
    static struct hf_setting_info info;
    const char *separator = "";

    if (request->format == FORMAT_JSON)
        printf("[\n");
    for (enum hf_setting id = 0; id < HF_SETTINGS; id++) {
        if (request->any_wanted && !request->wanted[id])
            continue;
        hf_setting_describe(id, &info);
        if (request->format == FORMAT_JSON) {
            fputs(separator, stdout);
            separator = ",\n";
            print_json(&info);
        } else if (request->format == FORMAT_MARKDOWN) {
            print_markdown(&info);
        } else if (request->any_wanted) {
            print_long(&info);
        } else {
            print_short(&info);
        }
    }
    if (request->format == FORMAT_JSON)
        printf("\n]\n");
}

int main(int argc, char **argv)
{
    struct request request = {0};

    argp_err_exit_status = EXIT_FAILURE;
    if (argp_parse(&parser, argc, argv, 0, NULL, &request) != 0)
        return EXIT_FAILURE;
    print_settings(&request);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "hipfile-config: %s\n", strerror(errno));
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
