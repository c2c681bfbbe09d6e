/*
 * When a run ends before its budget: `stop: {gain: 0.1}` or `stop: {gain: 1%, patience: 5}`.
 */
#include "definition/file_schema.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"

static const double largest_gain = 1e150;
static const double most_percent = 100;

enum { MOST_PATIENCE = 1000 };

/* A number above 0, or one followed by %. */
static int read_gain(struct app_reader *r, const yaml_node_t *node)
{
    struct app_stop_rule *out = &r->out->stop;
    static const char expected[] = "a gain above 0, such as 0.1 in the objective's units or 1%";
    const char *text = app_node_is_text(node) ? app_node_text(node) : "";
    const size_t length = strlen(text);
    char digits[64];
    yaml_node_t bare = *node;

    /* What stands before the percent sign, as a node of its own. */
    out->percent = length > 1 && length < sizeof digits && text[length - 1] == '%';
    if (out->percent) {
        snprintf(digits, sizeof digits, "%.*s", (int)length - 1, text);
        bare.data.scalar.value = (yaml_char_t *)digits;
        bare.data.scalar.length = length - 1;
        bare.data.scalar.style = YAML_PLAIN_SCALAR_STYLE; /* a definition is written with quotes */
    }

    const double most = out->percent ? most_percent : largest_gain;
    if (!app_node_is_number(&bare, 0, most, &out->gain) || !(out->gain > 0))
        return app_node_expect(r, node, expected);
    return CKG_OK;
}

static void write_gain(const struct app_definition *d, const char *name, struct app_text *out)
{
    char number[32];

    if (d->stop.percent) {
        app_json_member(out, name);
        app_text_print(out, "\"%s%%\"", app_number(d->stop.gain, number));
    } else
        app_json_add_number(out, name, d->stop.gain);
}

static const struct app_key stop_keys[] = {
    {"gain", "a number, or a share such as `1%`", "needed",
     "the run ends when the rest of the budget is expected to gain less: in the objective's units, or as a "
     "share of the objective of what is recommended",
     .read = read_gain, .write = write_gain},
    {"patience", "an integer", "5", "after so many evaluations in a row of which that was said",
     .kind = APP_KEY_WHOLE, .at = offsetof(struct app_stop_rule, patience), .low = 1, .high = MOST_PATIENCE},
};

static int check_stop(struct app_reader *r, const yaml_node_t *node)
{
    return app_reader_find(r, node, "gain") ? CKG_OK : app_node_complain(r, node, "`stop` needs a `gain`");
}

const struct app_schema app_schema_stop = {"`stop`", "When to stop", "stop: {…}", APP_KEYS(stop_keys),
                                           check_stop};
