/*
 * When a run ends before its budget: `stop: {gain: 0.1}` or `stop: {gain: 1%, patience: 5}`.
 */
#include "definition/reader.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double largest_gain = 1e150;
static const double most_percent = 100;

enum { MOST_PATIENCE = 1000 };

struct stop {
    const yaml_node_t *gain, *patience;
};

static const struct app_node_key stop_keys[] = {
    {"gain", offsetof(struct stop, gain)},
    {"patience", offsetof(struct stop, patience)},
};

/* A number above 0, or one followed by %. */
static int read_gain(struct app_reader *r, const yaml_node_t *node, struct app_stop_rule *out)
{
    static const char expected[] = "a gain above 0, such as 0.1 in the objective's units or 1%";
    struct app_message unused;
    struct app_document quiet = {.path = "", .message = &unused};
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
    if (app_node_number(&quiet, &bare, 0, most, &out->gain) || !(out->gain > 0))
        return app_node_expect(&r->document, node, expected);
    return CKG_OK;
}

int app_read_stop(struct app_reader *r, const yaml_node_t *node)
{
    struct app_stop_rule *out = &r->out->stop;
    struct stop from = {0};
    int status = app_node_mapping(&r->document, node, "`stop`", APP_KEYS(stop_keys), &from);

    out->patience = APP_PATIENCE;
    if (!status)
        status = from.gain ? read_gain(r, from.gain, out)
                           : app_node_complain(&r->document, node, "`stop` needs a `gain`");
    if (!status && from.patience)
        status = app_node_whole(&r->document, from.patience, 1, MOST_PATIENCE, &out->patience);
    return status;
}
