/*
 * The clerk looks at every study twice a second: the store is asked for what has a higher revision than the
 * last that was seen, in one short reading, and what changed is pinned up. Errands that need no models are
 * its own too.
 */
#include "serve/clerk.h"

#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "api/shapes.h"
#include "serve/desk.h"
#include "serve/pages.h"

static const double interval = 0.4;

/* A definition that was changed has no revision, and a study that was in trouble may be well again. */
enum { LOOKS_BETWEEN_CHECKS = 5 };

/* A store of the command line. */
struct shelf {
    const char *url;
    struct app_store *store; /* NULL: it could not be opened */
};

/* What the clerk has of one study. */
struct folder {
    struct app_desk desk;
    struct shelf *shelf; /* where it is, or NULL: the notebook has its own store */
    int64_t revision;    /* that were pinned up, with how many trials */
    int count;
    struct app_hold hold;
    int budget;
    int pinned;        /* 1: something is */
    char trouble[256]; /* that was pinned up; empty: none */
};

struct office {
    struct app_board *board;
    int files; /* of the command line */
    int stores;
    struct shelf *shelves;
    int count;
    struct folder *folders[APP_STUDIES_MOST];
    unsigned looks;
};

/* --- pinning up --- */

static void free_finding(struct app_finding *f)
{
    for (int i = 0; i < f->changed; i++)
        free(f->lines[i].text);
    free(f->lines);
    free(f->at);
    free(f->name);
    free(f->summary);
    free(f->row);
    free(f->head);
}

/* The trials that are newer than the revision, as lines. */
static int write_lines(const struct app_notebook *n, int64_t since, int first, struct app_finding *f)
{
    f->lines = calloc((size_t)n->count + 1, sizeof *f->lines);
    f->at = calloc((size_t)n->count + 1, sizeof *f->at);
    if (!f->lines || !f->at)
        return 0;
    for (int i = 0; i < n->count; i++) {
        struct app_text line = {0};
        if (i < first && n->trials[i].revision <= since)
            continue;
        app_trial_write(&n->definition, &n->trials[i], &line);
        app_text_print(&line, "\n");
        if (line.failed) {
            app_text_free(&line);
            return 0;
        }
        f->at[f->changed] = i;
        f->lines[f->changed++] = (struct app_line){n->trials[i].revision, line.data};
    }
    return 1;
}

/* What a study is called that cannot be read. */
static const char *name_of(const struct app_study_place *place)
{
    return place->name ? place->name : place->file ? place->file : "a study";
}

/* The texts of the finding; 0 without memory. */
static int write_texts(const struct office *office, const struct folder *o, const char *trouble,
                       struct app_finding *f)
{
    const struct app_study_place *place = &office->board->studies[o->desk.study]->place;
    const struct app_notebook *n = o->desk.open ? &o->desk.notebook : NULL;
    const int id = office->board->studies[o->desk.study]->id;
    struct app_text summary = {0};
    struct app_text row = {0};
    struct app_text head = {0};

    if (n) {
        app_summary_write(n, id, trouble, &summary);
        app_row_write(n, id, trouble, &row);
        app_head_write(n, trouble, &head);
    } else {
        app_summary_lost(name_of(place), id, trouble, &summary);
        app_row_lost(name_of(place), id, trouble, &row);
        app_head_lost(name_of(place), trouble, &head);
    }
    f->name = app_copy(n ? n->definition.name : name_of(place));
    f->summary = summary.data;
    f->row = row.data;
    f->head = head.data;
    return f->name && !summary.failed && !row.failed && !head.failed;
}

/* Pins up how the study stands. Without memory it is tried again at the next look. */
static void pin(struct office *office, struct folder *o, int anew, const char *trouble)
{
    const struct app_notebook *n = o->desk.open ? &o->desk.notebook : NULL;
    struct app_finding f = {.anew = anew};
    int good = write_texts(office, o, trouble, &f);

    if (n && good)
        good = write_lines(n, anew ? -1 : o->revision, anew ? 0 : o->count, &f);
    f.revision = n ? n->revision : o->revision;
    f.count = n ? n->count : o->count;
    good = good && !app_board_pin(office->board, o->desk.study, &f);
    if (good) {
        o->pinned = 1;
        o->revision = f.revision;
        o->count = f.count;
        o->hold = n ? n->hold : o->hold;
        o->budget = n ? n->definition.budget : o->budget;
        snprintf(o->trouble, sizeof o->trouble, "%.255s", trouble ? trouble : "");
    }
    free_finding(&f);
}

/* --- looking --- */

static void close_folder(struct folder *o)
{
    app_desk_clear(&o->desk);
}

/* Opens the study anew; what was open stays where that fails. */
static int open_folder(struct office *office, struct folder *o)
{
    const struct app_study_place *place = &office->board->studies[o->desk.study]->place;
    struct app_notebook fresh;
    int status;

    if (o->shelf && !o->shelf->store)
        return app_fail(&o->desk.message, CKG_ERR_SYSTEM, "the store cannot be read at the moment");
    status = o->shelf
                 ? app_notebook_look(&fresh, o->shelf->store, o->shelf->url, place->name, &o->desk.message)
                 : app_notebook_open(&fresh, place, APP_STORED, &o->desk.message);
    if (status)
        return status;
    close_folder(o);
    o->desk.notebook = fresh;
    o->desk.open = 1;
    return CKG_OK;
}

/* *changed: whether the store has another definition than what is open, or the study at last. */
static int check_definition(const struct folder *o, int *changed)
{
    const struct app_notebook *n = &o->desk.notebook;
    struct app_study_record record = {0};

    *changed = !n->study;
    if (!n->study)
        return CKG_OK;
    const int status = n->store->table->study_find(n->store, n->definition.name, &record, n->message);
    if (!status)
        *changed = !n->kept || strcmp(n->kept, record.definition) != 0;
    app_study_record_free(&record);
    return status;
}

/* Brings what is open up to date; CKG_ERR_STATE: it is to be opened anew. */
static int follow(const struct office *office, struct folder *o)
{
    int changed = 0;
    int status = app_notebook_sync(&o->desk.notebook);

    if (!status && office->looks % LOOKS_BETWEEN_CHECKS == 0)
        status = check_definition(o, &changed);
    return status ? status : changed ? CKG_ERR_STATE : CKG_OK;
}

/* 1 when the study is not as it was pinned up. */
static int has_moved(const struct folder *o, const struct app_notebook *n)
{
    return n->revision != o->revision || n->count != o->count || n->definition.budget != o->budget ||
           n->hold.held != o->hold.held || n->hold.stopped != o->hold.stopped ||
           strcmp(n->hold.by, o->hold.by) != 0;
}

static void look_at(struct office *office, struct folder *o)
{
    const int due = office->looks % LOOKS_BETWEEN_CHECKS == 0;
    const int64_t before = o->desk.open ? o->desk.notebook.study : -1;
    int status = o->desk.open ? follow(office, o) : CKG_ERR_SYSTEM;
    int anew = 0;

    /* Another problem, or a store that comes and goes: from the beginning, but not at every look. */
    if (status == CKG_ERR_STATE || (status && (due || !o->pinned))) {
        status = open_folder(office, o);
        anew = !status && (before || o->desk.notebook.study);
    } else if (status && !o->desk.open)
        return;

    /* Whatever differs from what is pinned up. */
    const char *trouble = status ? o->desk.message.text : "";
    const struct app_notebook *n = o->desk.open ? &o->desk.notebook : NULL;
    const int moved = n && has_moved(o, n);
    if (!o->pinned || anew || moved || strncmp(trouble, o->trouble, sizeof o->trouble - 1) != 0)
        pin(office, o, anew, *trouble ? trouble : NULL);
}

/* --- studies --- */

/* A folder for each study of the board that has none yet. */
static int add_folders(struct office *office, struct shelf *shelf)
{
    while (office->count < office->board->count) {
        struct folder *o = calloc(1, sizeof *o);
        if (!o)
            return CKG_ERR_NOMEM;
        o->desk.study = office->count;
        o->desk.id = office->board->studies[office->count]->id;
        o->shelf = shelf;
        office->folders[office->count++] = o;
    }
    return CKG_OK;
}

/* A name that a shelf has. */
struct naming {
    struct office *office;
    struct shelf *shelf;
    struct app_message *message;
};

/*
 * The number of a study that is not on the board yet, which is the same whenever the server is started in the
 * same way: by its id in the store, and the store's place on the command line. 0: any.
 */
static int number_of(const struct naming *naming, const char *name)
{
    const struct office *office = naming->office;
    struct app_study_record record = {0};
    struct app_message unheard;
    const int found = !naming->shelf->store->table->study_find(naming->shelf->store, name, &record, &unheard);
    const int64_t words = office->files + office->stores;
    const int64_t number = (record.id - 1) * words + office->files + (naming->shelf - office->shelves) + 1;

    app_study_record_free(&record);
    return found && number > 0 && number < 1000000000 ? (int)number : 0;
}

static int take_name(void *context, const char *name)
{
    const struct naming *naming = context;
    struct office *office = naming->office;
    const struct app_study_place place = {.store = naming->shelf->url, .name = name};

    for (int i = 0; i < office->count; i++)
        if (office->folders[i]->shelf == naming->shelf &&
            !strcmp(office->board->studies[i]->place.name, name))
            return CKG_OK;
    const int status = app_board_add(office->board, &place, number_of(naming, name), naming->message);
    return status ? status : add_folders(office, naming->shelf);
}

/* Nothing of it is read any more until it can be opened again. */
static void clear_shelf(struct office *office, struct shelf *shelf)
{
    for (int i = 0; i < office->count; i++)
        if (office->folders[i]->shelf == shelf)
            close_folder(office->folders[i]);
    if (shelf->store)
        shelf->store->table->close(shelf->store);
    shelf->store = NULL;
}

/* The studies of a store, new ones too. */
static void look_through(struct office *office, struct shelf *shelf)
{
    struct app_message message;
    struct naming naming = {office, shelf, &message};
    int status = shelf->store ? CKG_OK : app_store_open(&shelf->store, shelf->url, 0, &message);

    if (!status)
        status = shelf->store->table->study_names(shelf->store, take_name, &naming, &message);
    if (status)
        clear_shelf(office, shelf);
}

/* --- the thread --- */

static void free_office(struct office *office)
{
    for (int i = 0; i < office->count; i++) {
        close_folder(office->folders[i]);
        free(office->folders[i]);
    }
    for (int i = 0; i < office->stores; i++)
        if (office->shelves[i].store)
            office->shelves[i].store->table->close(office->shelves[i].store);
    free(office->shelves);
    free(office);
}

static struct office *new_office(const struct app_clerk *clerk)
{
    struct office *office = calloc(1, sizeof *office);
    struct shelf *shelves = calloc((size_t)clerk->stores + 1, sizeof *shelves);

    if (!office || !shelves) {
        free(office);
        free(shelves);
        return NULL;
    }
    *office = (struct office){
        .board = clerk->board, .files = clerk->board->count, .stores = clerk->stores, .shelves = shelves};
    for (int i = 0; i < clerk->stores; i++)
        shelves[i].url = clerk->store[i];
    return office;
}

static void do_errand(struct office *office, struct app_errand *e)
{
    struct app_desk *desk = &office->folders[e->study]->desk;

    e->status = desk->open ? e->product->make(desk, e, &e->out) : CKG_ERR_SYSTEM;
    e->message = desk->message;
    e->revision = desk->open ? desk->notebook.revision : 0;
    app_board_done(office->board, e, 0);
}

void *app_clerk_work(void *context)
{
    const struct app_clerk *clerk = context;
    struct office *office = new_office(clerk);
    double next = 0;

    /* The studies of problem files are on the board already. */
    if (!office || add_folders(office, NULL))
        app_board_stop(clerk->board);
    while (!app_board_stopping(clerk->board)) {
        const double now = app_clock();
        if (app_board_hurried(clerk->board) || now >= next) {
            for (int i = 0; office->looks % LOOKS_BETWEEN_CHECKS == 0 && i < office->stores; i++)
                look_through(office, &office->shelves[i]);
            for (int i = 0; i < office->count && !app_board_stopping(clerk->board); i++)
                look_at(office, office->folders[i]);
            if (!office->looks++)
                app_board_look(clerk->board);
            next = app_clock() + interval;
        }
        struct app_errand *e = app_board_next(clerk->board, APP_CLERKS, next > now ? next - now : 0);
        if (e)
            do_errand(office, e);
    }
    if (office)
        free_office(office);
    return NULL;
}

/* --- before the threads --- */

int app_clerk_begin(struct app_clerk *clerk, struct app_message *message)
{
    struct app_notebook notebook;
    struct app_store *store;
    int status = CKG_OK;

    /* Every file is a problem, every store is there. */
    for (int i = 0; !status && i < clerk->board->count; i++) {
        status = app_notebook_open(&notebook, &clerk->board->studies[i]->place, APP_STORED, message);
        if (!status)
            app_notebook_close(&notebook);
    }
    for (int i = 0; !status && i < clerk->stores; i++) {
        status = app_store_open(&store, clerk->store[i], 0, message);
        if (!status)
            store->table->close(store);
    }
    return status == CKG_ERR_NOT_FOUND ? CKG_ERR_INVALID : status;
}
