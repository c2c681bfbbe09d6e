/* Every key of a problem file, as Markdown and for man. */
#include "commands/key_page.h"

#include <stdio.h>
#include <string.h>

#include "base/visible.h"

void app_settings_each(void (*print)(const struct app_key *key))
{
    const ckg_options usual = CKG_OPTIONS_INIT;
    ckg_option_info info;

    for (int i = 0; !ckg_option_at(i, &info); i++) {
        char values[256];
        char now[64];
        ckg_options_get(&usual, info.name, now, sizeof now);
        print(&(struct app_key){.name = info.name,
                                .values = ckg_option_values_text(&info, values, sizeof values),
                                .standard = *now ? now : "empty",
                                .meaning = info.help});
    }
}

/* Calls print for every key of the part; those of the models are the library's options. */
static void each_key(const struct app_schema *part, void (*print)(const struct app_key *key))
{
    for (int k = 0; k < part->count; k++)
        print(&part->keys[k]);
    if (!part->keys)
        app_settings_each(print);
}

/* --- Markdown --- */

static void print_row(const struct app_key *k)
{
    app_say("| `%s` | %s | %s | %s |\n", k->name, k->values, k->standard, k->meaning);
}

void app_problem_page_markdown(void)
{
    for (int i = 0; app_schemas[i]; i++) {
        const struct app_schema *part = app_schemas[i];

        app_say("%s## %s\n\n", i ? "\n" : "", part->title);
        if (*part->where)
            app_say("`%s`\n\n", part->where);
        app_say("| key | what it may be | without it | meaning |\n|---|---|---|---|\n");
        each_key(part, print_row);
    }
}

/* --- man --- */

void app_print_roff(const char *text)
{
    int bold = 0;

    for (int start = 1; *text; start = *text++ == '\n') {
        if (start && (*text == '.' || *text == '\''))
            app_say("\\&");
        if (*text == '\\')
            app_say("\\e");
        else if (*text == '-')
            app_say("\\-");
        else if (*text == '`')
            app_say("%s", (bold = !bold) ? "\\fB" : "\\fR");
        else
            putchar(*text);
    }
}

static void print_entry(const struct app_key *k)
{
    app_say(".TP\n\\fB%s\\fR: ", k->name);
    app_print_roff(k->values);
    app_say("\n");
    app_print_roff(k->meaning);
    app_say(".\n");

    if (!strncmp(k->standard, "needed", strlen("needed")))
        app_say("It is ");
    else
        app_say("Without it: ");
    app_print_roff(k->standard);
    app_say(".\n");
}

void app_settings_roff(void)
{
    app_settings_each(print_entry);
}

void app_problem_page_roff(void)
{
    for (int i = 0; app_schemas[i]; i++) {
        const struct app_schema *part = app_schemas[i];

        app_say(".SH \"%s\"\n", part->title);
        if (*part->where) {
            app_say("\\fB");
            app_print_roff(part->where);
            app_say("\\fR\n");
        }
        each_key(part, print_entry);
    }
}
