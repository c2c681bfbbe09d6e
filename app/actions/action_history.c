/* The images of a trial first, since each change then finds what it did in them. */
#include "actions/action_history.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/visible.h"
#include "base/timestamp.h"

enum side { BEFORE, AFTER, UNDONE, SIDES };

static const char *const sides[SIDES] = {"before", "after", "undone"};

/* What one change did to the trial: each side as a text, and its design; empty where there is none. */
struct entry {
    int change;
    struct app_text side[SIDES], design[SIDES];
};

struct history {
    int json;
    int count, capacity;
    struct entry *entries;
    struct app_text *out;
    struct app_message *message;
};

/* --- images --- */

static void write_object(const struct app_trial *r, struct app_text *out)
{
    app_json_open(out, NULL, '{');
    app_json_add_string(out, "state", app_state_name(r->state));
    app_json_member(out, "parameters");
    app_text_print(out, "%s", r->parameters);
    app_json_member(out, "values");
    app_text_print(out, "%s", r->outcomes ? r->outcomes : "{}");
    app_json_add_string(out, "why", r->why);
    app_json_add_string(out, "notes", r->notes);
    app_json_close(out, '}');
}

/* complete {"yield": 55} */
static void write_words(const struct app_trial *r, struct app_text *out)
{
    app_text_print(out, "%s", app_state_name(r->state));
    if (r->outcomes)
        app_text_print(out, " %s", r->outcomes);
    if (r->why) {
        app_text_add(out, " (", 2);
        app_text_add_line(out, r->why);
        app_text_add(out, ")", 1);
    }
}

/* The entry of the change that the image belongs to; images come by changes in their order. */
static struct entry *entry_of(struct history *h, int change)
{
    if (h->count && h->entries[h->count - 1].change == change)
        return &h->entries[h->count - 1];
    if (h->count == h->capacity) {
        const int capacity = 2 * h->capacity + 8;
        struct entry *grown = realloc(h->entries, (size_t)capacity * sizeof *grown);
        if (!grown)
            return NULL;
        h->entries = grown;
        h->capacity = capacity;
    }
    h->entries[h->count] = (struct entry){.change = change};
    return &h->entries[h->count++];
}

static int take_image(void *context, const struct app_image *image)
{
    struct history *h = context;
    struct entry *entry = entry_of(h, image->change);

    if (!entry)
        return app_no_memory(h->message);
    for (int side = 0; side < SIDES; side++)
        if (!strcmp(image->side, sides[side])) {
            (h->json ? write_object : write_words)(&image->record, &entry->side[side]);
            app_text_print(&entry->design[side], "%s", image->record.parameters);
        }
    return CKG_OK;
}

/* --- changes --- */

static void add_object(struct history *h, const struct app_change *c, const struct entry *e)
{
    char timestamp[32];

    app_json_print(h->out, "{change:%d kind:%s command:%s who:%s made:%s", c->number, c->kind, c->command,
                   c->who, app_timestamp_utc(c->made, timestamp));
    app_json_print(h->out, "undone:%s undone_by:%s", app_timestamp_utc(c->undone, timestamp), c->undone_by);
    for (int side = 0; side < SIDES; side++) {
        app_json_member(h->out, side == UNDONE ? "put_aside" : sides[side]);
        app_text_print(h->out, "%s", e->side[side].data ? e->side[side].data : "null");
    }
    app_json_close(h->out, '}');
}

/* 1 when the change gave the trial another design. */
static int has_moved(const struct entry *e)
{
    return e->design[BEFORE].data && e->design[AFTER].data &&
           strcmp(e->design[BEFORE].data, e->design[AFTER].data) != 0;
}

static void add_lines(struct history *h, const struct app_change *c, const struct entry *e)
{
    static const char *const words[SIDES] = {"was", "became", "put aside"};
    char timestamp[32];

    app_text_print(h->out, "%s  %s: ckg ", app_timestamp(c->made, timestamp) ? timestamp : "some time",
                   c->who);
    app_text_add_line(h->out, c->command);
    app_text_add(h->out, "\n", 1);
    for (int side = 0; side < SIDES; side++)
        if (e->side[side].data)
            app_text_print(h->out, "    %-9s %s%s%s\n", words[side], e->side[side].data,
                           has_moved(e) ? " at " : "", has_moved(e) ? e->design[side].data : "");
    if (app_timestamp(c->undone, timestamp))
        app_text_print(h->out, "    undone    %s by %s\n", timestamp,
                       c->undone_by ? c->undone_by : "somebody");
}

static int take_change(void *context, const struct app_change *change)
{
    struct history *h = context;

    for (int i = 0; i < h->count; i++)
        if (h->entries[i].change == change->number)
            (h->json ? add_object : add_lines)(h, change, &h->entries[i]);
    return CKG_OK;
}

int app_history_write(struct app_study *n, int trial, int json, struct app_text *out)
{
    struct history h = {.json = json, .out = out, .message = n->message};
    int status = n->store ? app_store_images(n->store, n->id, trial, take_image, &h, n->message) : CKG_OK;

    if (json)
        app_json_open(out, "history", '[');
    if (!status && n->store && h.count)
        status = app_store_changes(n->store, n->id, take_change, &h, n->message);
    if (json)
        app_json_close(out, ']');

    for (int i = 0; i < h.count; i++)
        for (int side = 0; side < SIDES; side++) {
            app_text_free(&h.entries[i].side[side]);
            app_text_free(&h.entries[i].design[side]);
        }
    free(h.entries);
    return status;
}
