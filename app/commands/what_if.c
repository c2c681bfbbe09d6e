/* Words of the line become limits, and the study has these for as long as the command lasts. */
#include "commands/what_if.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "actions/limits.h"
#include "base/visible.h"

/* Which limit a word is about. */
struct limit {
    int constraint;   /* 0: none */
    const char *side; /* "min", "max", "equal", "tolerance", or NULL: the one that there is */
    const char *text; /* of the value */
};

/* What follows the name says which side; the longest name that fits is meant. */
static struct limit find_limit(const struct app_definition *d, const char *word)
{
    static const struct {
        const char *ending, *side;
    } endings[] = {
        {"=", NULL}, {".min=", "min"}, {".max=", "max"}, {".equal=", "equal"}, {".tolerance=", "tolerance"}};
    struct limit found = {0};
    size_t longest = 0;

    for (int j = 1; j <= app_constraints(d); j++) {
        const char *name = app_outcome_name(d, j);
        const size_t length = strlen(name);

        for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
            if (!strncmp(word, name, length) && length >= longest &&
                !strncmp(word + length, endings[i].ending, strlen(endings[i].ending))) {
                found = (struct limit){j, endings[i].side, word + length + strlen(endings[i].ending)};
                longest = length;
            }
    }
    return found;
}

/* Sets it in the object of limits. */
static int set_limit(const struct app_arguments *a, const struct app_definition *d, const char *word,
                     json_t *limits)
{
    struct limit limit = find_limit(d, word);

    if (!limit.constraint)
        return app_wrong(a, "--limit: '%s' is not NAME=VALUE with the name of a constraint", word);
    const struct app_outcome o = app_outcome_at(d, limit.constraint);
    if (o.yesno)
        return app_wrong(a, "--limit: '%s' answers yes or no and has no limit", o.name);
    if (!limit.side && o.tolerance > 0)
        limit.side = "equal";
    if (!limit.side && !isinf(o.min) && !isinf(o.max))
        return app_wrong(a, "--limit: '%s' has two limits; write %s.min=VALUE or %s.max=VALUE", o.name,
                         o.name, o.name);
    if (!limit.side)
        limit.side = isinf(o.min) ? "max" : "min";

    json_t *value = json_loads(limit.text, JSON_DECODE_ANY, NULL);
    if (!json_is_number(value)) {
        json_decref(value);
        return app_wrong(a, "--limit: the limit of '%s' must be a number, not '%s'", o.name, limit.text);
    }
    if (!json_object_get(limits, o.name))
        json_object_set_new(limits, o.name, json_object());
    return json_object_set_new(json_object_get(limits, o.name), limit.side, value) ? app_no_memory(a->message)
                                                                                   : CKG_OK;
}

/* The definition with the limits of the list. */
static int redefine(const struct app_arguments *a, const struct app_study *n, struct app_definition *out)
{
    json_t *limits = json_object();
    struct app_message why;
    int status = limits ? CKG_OK : app_no_memory(n->message);

    for (int i = 0; !status && i < a->listed; i++)
        status = set_limit(a, &n->definition, a->list[i], limits);
    const int refused = status ? CKG_OK : app_limits_apply(n, limits, out, &why);
    json_decref(limits);
    if (refused == CKG_ERR_NOMEM)
        return app_fail(n->message, refused, "out of memory");
    if (!refused)
        return status;
    const char *what = strstr(why.text, ": "); /* behind a place in a text that nobody sees */
    return app_wrong(a, "--limit: %s", what ? what + 2 : why.text);
}

static void print_limits(const struct app_arguments *a)
{
    app_say("what if");
    for (int i = 0; i < a->listed; i++)
        app_say("%s %s", i ? "," : "", a->list[i]);
    app_say(" (the study stays as it is):\n");
}

int app_what_if(const struct app_arguments *a, struct app_study *n)
{
    struct app_definition changed;

    if (!a->listed)
        return CKG_OK;
    assert(!n->engine);
    const int status = redefine(a, n, &changed);
    if (status)
        return status;

    /* What is feasible follows from the limits. */
    app_definition_free(&n->definition);
    n->definition = changed;
    for (int i = 0; i < n->count; i++) {
        struct app_trial *t = &n->trials[i];
        t->feasible = app_feasible(&n->definition, t->x, t->count, t->measured);
    }
    if (!a->json && !a->quiet)
        print_limits(a);
    return CKG_OK;
}
