/* The images of a trial first, since each change then finds what it did in them. */
#include "actions/action_history.h"

#include <string.h>

struct search {
    struct app_trial_history *out;
    int capacity;
    struct app_message *message;
};

/* The place of the change that the image belongs to; images come by changes in their order. */
static struct app_touched *touched_by(struct search *s, int change)
{
    struct app_trial_history *h = s->out;

    if (h->count && h->touched[h->count - 1].change.number == change)
        return &h->touched[h->count - 1];
    if (h->count == s->capacity) {
        const int capacity = 2 * s->capacity + 8;
        struct app_touched *grown = app_pool_new(&h->pool, (size_t)capacity, sizeof *grown);
        if (!grown)
            return NULL;
        if (h->count)
            memcpy(grown, h->touched, (size_t)h->count * sizeof *grown);
        h->touched = grown;
        s->capacity = capacity;
    }
    h->touched[h->count] = (struct app_touched){.change.number = change};
    return &h->touched[h->count++];
}

/* NULL: no memory. */
static const struct app_trial *copy_trial(struct app_pool *pool, const struct app_trial *from)
{
    struct app_trial *to = app_pool_new(pool, 1, sizeof *to);

    if (!to)
        return NULL;
    *to = (struct app_trial){.state = from->state,
                             .parameters = from->parameters,
                             .outcomes = from->outcomes,
                             .why = from->why,
                             .notes = from->notes};
    const int kept = app_pool_keep(pool, &to->parameters) && app_pool_keep(pool, &to->outcomes) &&
                     app_pool_keep(pool, &to->why) && app_pool_keep(pool, &to->notes);
    return kept ? to : NULL;
}

static int take_image(void *context, const struct app_image *image)
{
    static const char *const sides[APP_SIDES] = {"before", "after", "undone"};
    struct search *s = context;
    struct app_touched *touched = touched_by(s, image->change);
    int good = touched != NULL;

    for (int side = 0; good && side < APP_SIDES; side++)
        if (!strcmp(image->side, sides[side])) {
            touched->side[side] = copy_trial(&s->out->pool, &image->record);
            good = touched->side[side] != NULL;
        }
    return good ? CKG_OK : app_no_memory(s->message);
}

static int take_change(void *context, const struct app_change *from)
{
    struct search *s = context;
    struct app_pool *pool = &s->out->pool;
    int good = 1;

    for (int i = 0; good && i < s->out->count; i++) {
        struct app_change *to = &s->out->touched[i].change;
        if (to->number != from->number)
            continue;
        *to = *from;
        to->definition_before = to->definition_after = NULL;
        good = app_pool_keep(pool, &to->kind) && app_pool_keep(pool, &to->command) &&
               app_pool_keep(pool, &to->who) && app_pool_keep(pool, &to->undone_by);
    }
    return good ? CKG_OK : app_no_memory(s->message);
}

int app_trial_history_find(struct app_study *n, int trial, struct app_trial_history *out)
{
    struct search s = {.out = out, .message = n->message};

    *out = (struct app_trial_history){0};
    int status = n->store ? app_store_images(n->store, n->id, trial, take_image, &s, n->message) : CKG_OK;
    if (!status && out->count)
        status = app_store_changes(n->store, n->id, take_change, &s, n->message);

    /* What belongs to no change that is known says nothing. */
    int known = 0;
    for (int i = 0; i < out->count; i++)
        if (out->touched[i].change.kind)
            out->touched[known++] = out->touched[i];
    out->count = known;
    return status;
}

void app_trial_history_free(struct app_trial_history *history)
{
    app_pool_free(&history->pool);
}
