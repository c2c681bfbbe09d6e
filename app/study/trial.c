/* Trials between the shape that stores keep, texts, and the one that a study works with: designs and values.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "study/record.h"

/* --- reading --- */

static int read_object(const char *text, json_t **out, struct app_message *why)
{
    json_error_t error;

    *out = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    if (json_is_object(*out))
        return CKG_OK;
    app_fail(why, CKG_ERR_SYSTEM, "%s", *out ? "not an object" : error.text);
    json_decref(*out);
    *out = NULL;
    return CKG_ERR_SYSTEM;
}

static int read_design(const struct app_definition *d, struct app_trial *t, double *x,
                       struct app_message *why)
{
    json_t *object;
    int status = read_object(t->parameters, &object, why);

    /* One that was set aside may lie outside ranges that were changed since. */
    if (!status)
        status = (t->state == APP_DISCARDED ? app_design_read_any : app_design_read)(d, object, x, why);
    app_wants_read(d, object, &t->wants);
    json_decref(object);
    return status;
}

static int read_outcomes(const struct app_definition *d, struct app_trial *t, ckg_measurement *measured,
                         struct app_message *why)
{
    json_t *object = NULL;
    int *count = t->state == APP_DISCARDED ? &t->stored : &t->count;
    int status = t->outcomes ? read_object(t->outcomes, &object, why) : CKG_OK;

    if (!status && object)
        status = app_outcomes_read(d, object, measured, count, why);
    json_decref(object);

    /* A complete trial has a value: nothing else is ever stored, and the engine would refuse it. */
    if (!status && t->state == APP_COMPLETE && !t->count)
        status = app_fail(why, CKG_ERR_SYSTEM, "it is complete without a value");
    return status;
}

/* Of the machine's name people know the first word; into `buffer`. */
static const char *short_name(const char *evaluator, char buffer[128])
{
    const char *process = evaluator ? strrchr(evaluator, ' ') : NULL;

    if (!process)
        return NULL;
    snprintf(buffer, 128, "%.*s%s", (int)strcspn(evaluator, " "), evaluator, process);
    return buffer;
}

/* --- what it owns --- */

/* Bytes into the block; where they went. */
static void *move(char **at, const void *from, size_t size)
{
    void *to = *at;

    if (size)
        memcpy(to, from, size);
    *at += size;
    return to;
}

/* All that it points to is copied into one block; 0 without memory. */
static int own(struct app_trial *t, int d)
{
    const char **const texts[] = {&t->origin,    &t->parameters, &t->outcomes, &t->why,
                                  &t->log,       &t->answer,     &t->extra,    &t->notes,
                                  &t->chosen_by, &t->reason,     &t->evaluator};
    const size_t designs = (size_t)d * sizeof *t->x;
    const size_t values = (size_t)app_trial_values(t) * sizeof *t->measured;
    size_t size = designs + values;

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        size += *texts[i] ? strlen(*texts[i]) + 1 : 0;
    char *at = t->block = malloc(size);
    if (!at)
        return 0;
    t->x = move(&at, t->x, designs);
    t->measured = move(&at, t->measured, values);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        *texts[i] = *texts[i] ? move(&at, *texts[i], strlen(*texts[i]) + 1) : NULL;
    return 1;
}

int app_trial_decode(const struct app_definition *d, const struct app_trial *stored, struct app_trial *out,
                     struct app_message *why)
{
    double x[CKG_MAX_PARAMETERS];
    ckg_measurement measured[CKG_MAX_CONSTRAINTS + 1];
    char evaluator[128];
    struct app_trial t = *stored;

    *out = (struct app_trial){0};
    t.x = x;
    t.measured = measured;
    t.count = 0;
    t.stored = 0;
    t.evaluator = short_name(t.evaluator, evaluator);
    int status = t.state == APP_STATES ? app_fail(why, CKG_ERR_SYSTEM, "it is in no state") : CKG_OK;
    if (!status)
        status = read_design(d, &t, x, why);
    if (!status)
        status = read_outcomes(d, &t, measured, why);
    if (status)
        return CKG_ERR_SYSTEM;
    t.feasible = t.outcomes ? app_feasible(d, x, t.count, measured) : -1;
    if (!own(&t, app_dimension(d)))
        return app_no_memory(why);
    *out = t;
    return CKG_OK;
}

void app_trial_free(struct app_trial *t)
{
    free(t->block);
    *t = (struct app_trial){0};
}

/* --- writing --- */

/* The text in the pool; NULL without memory. */
static const char *keep(struct app_pool *pool, struct app_text *text)
{
    const char *stored = text->failed ? NULL : app_pool_copy(pool, text->data);

    app_text_free(text);
    return stored;
}

int app_trial_encode(const struct app_definition *d, struct app_trial *t, struct app_pool *pool)
{
    const int values = app_trial_values(t);
    struct app_text design = {0};
    struct app_text outcomes = {0};

    app_task_write(d, t->x, &t->wants, &design);
    t->parameters = keep(pool, &design);
    if (values)
        app_outcomes_write(d, values, t->measured, &outcomes);
    t->outcomes = values ? keep(pool, &outcomes) : NULL;
    return t->parameters && (t->outcomes || !values);
}
