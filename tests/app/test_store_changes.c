/* What people change in a store, and taking it back: one suite over each kind of store. */
#include "app/store_scene.h"

/* The number of the last change that holds, 0: none does; and how many there are. */
struct changes {
    int last, count;
    char who[32], command[32], undone_by[32];
};

static int see_change(void *context, const struct app_change *change)
{
    struct changes *seen = context;

    seen->count++;
    assert_int_equal(change->number, seen->count);
    assert_true(change->made > 1e9);
    snprintf(seen->who, 32, "%s", change->who);
    snprintf(seen->command, 32, "%s", change->command);
    snprintf(seen->undone_by, 32, "%s", change->undone_by ? change->undone_by : "");
    assert_int_equal(isnan(change->undone), !change->undone_by);
    if (isnan(change->undone))
        seen->last = change->number;
    return CKG_OK;
}

static struct changes look_at_changes(struct scene *s)
{
    struct changes seen = {0};
    assert_int_equal(app_store_changes(s->store, s->study.id, see_change, &seen, &s->message), CKG_OK);
    return seen;
}

/* Every image of a trial in a word: its change, its side, its state and its values. */
static int see_image(void *context, const struct app_image *image)
{
    char *words = context;
    const size_t length = strlen(words);

    snprintf(words + length, 500 - length, "%d %s %s %s; ", image->change, image->side,
             app_state_name(image->record.state), image->record.outcomes ? image->record.outcomes : "-");
    return CKG_OK;
}

static int change_trial(struct scene *s, int number, int64_t revision, const char *state,
                        const char *outcomes)
{
    const struct app_change change = {.kind = "replace", .command = "tell s 1", .who = "ana@lab"};
    const struct app_trial record = {.number = number,
                                     .revision = revision,
                                     .state = app_state_named(state),
                                     .origin = "user",
                                     .parameters = revision ? NULL : "{\"x\": 0.5}",
                                     .outcomes = outcomes,
                                     .why = !strcmp(state, "failed") ? "spilt" : NULL,
                                     .seconds = NAN};
    return app_store_change(s->store, s->study.id, &change, 1, &record, &s->message);
}

static int undo(struct scene *s, int number, int give_up, int *moved)
{
    return app_store_undo(s->store, s->study.id, number, "bob@lab", give_up, moved, &s->message);
}

static void check_changes(struct scene *s)
{
    char images[500] = "";
    struct app_study_state standing;
    int moved;

    /* A change is on top of what was read. */
    assert_int_equal(add_state(s, 1, 2, "pending", 0, 0), CKG_OK);
    const int64_t first = look(s, 0).records[0].revision;
    assert_int_equal(change_trial(s, 1, first, "complete", "{\"f\": 550}"), CKG_OK);
    assert_int_equal(change_trial(s, 1, first, "complete", "{\"f\": 1}"), CKG_ERR_STATE);
    assert_int_equal(change_trial(s, 1, look(s, 0).records[0].revision, "complete", "{\"f\": 55}"), CKG_OK);
    assert_string_equal(look(s, 0).outcomes[0], "{\"f\": 55}");
    assert_string_equal(look(s, 0).parameters[0], "{\"x\": 0.1}");
    assert_int_equal(look_at_changes(s).count, 2);
    assert_string_equal(look_at_changes(s).who, "ana@lab");

    /* All or nothing: a state without what belongs to it leaves no trace. */
    assert_int_not_equal(change_trial(s, 2, look(s, 0).records[1].revision, "complete", NULL), CKG_OK);
    assert_int_equal(look_at_changes(s).count, 2);

    /* A discarded trial keeps its values, and comes back with them. */
    assert_int_equal(change_trial(s, 1, look(s, 0).records[0].revision, "discarded", "{\"f\": 55}"), CKG_OK);
    assert_string_equal(look(s, 0).state[0], "discarded");
    assert_int_equal(undo(s, 2, 0, &moved), CKG_ERR_STATE); /* not the last */
    assert_int_equal(undo(s, 3, 0, &moved), CKG_OK);
    assert_int_equal(undo(s, 3, 0, &moved), CKG_ERR_STATE); /* once */
    assert_int_equal(undo(s, 2, 0, &moved), CKG_OK);
    assert_string_equal(look(s, 0).outcomes[0], "{\"f\": 550}");
    assert_int_equal(look_at_changes(s).last, 1);
    assert_string_equal(look_at_changes(s).undone_by, "bob@lab");

    /* What was said is all there. */
    assert_int_equal(app_store_images(s->store, s->study.id, 1, see_image, images, &s->message), CKG_OK);
    assert_string_equal(images, "1 before pending -; 1 after complete {\"f\": 550}; "
                                "2 before complete {\"f\": 550}; 2 after complete {\"f\": 55}; "
                                "3 before complete {\"f\": 55}; 3 after discarded {\"f\": 55}; ");

    /* A trial that was added goes again, unless others have followed. */
    assert_int_equal(change_trial(s, 4, 0, "complete", "{\"f\": 1}"), CKG_ERR_STATE); /* a gap */
    assert_int_equal(change_trial(s, 3, 0, "complete", "{\"f\": 1}"), CKG_OK);
    assert_int_equal(undo(s, 4, 0, &moved), CKG_OK);
    assert_int_equal(app_store_study_state(s->store, s->study.id, &standing, &s->message), CKG_OK);
    assert_int_equal(standing.last, 2);
    assert_int_equal(change_trial(s, 3, 0, "complete", "{\"f\": 1}"), CKG_OK);
    assert_int_equal(add_state(s, 4, 1, "pending", 0, 0), CKG_OK);
    assert_int_equal(undo(s, 5, 1, &moved), CKG_ERR_STATE);
    assert_int_equal(look(s, 0).count, 4);
}

/* A result that came after the change is not lost by undoing it. */
static void check_results_since(struct scene *s)
{
    const struct app_worker worker = make_worker(s, "here", 60);
    char images[500] = "";
    int moved;

    assert_int_equal(add_state(s, 1, 1, "pending", 1, 0), CKG_OK);
    finish(s, 1, "complete", "{\"f\": 1}", NULL, 0, 1);
    struct app_trial again = {.number = 1,
                              .revision = look(s, 0).records[0].revision,
                              .state = APP_PENDING,
                              .queued = 1,
                              .seconds = NAN};
    const struct app_change retry = {.kind = "retry", .command = "retry s 1", .who = "ana@lab"};
    assert_int_equal(app_store_change(s->store, s->study.id, &retry, 1, &again, &s->message), CKG_OK);
    assert_int_equal(claim(s, &worker).number, 1);
    assert_int_equal(undo(s, 1, 1, &moved), CKG_ERR_STATE); /* it runs */
    again.revision = look(s, 0).records[0].revision;
    assert_int_equal(app_store_change(s->store, s->study.id, &retry, 1, &again, &s->message), CKG_ERR_STATE);
    finish(s, 1, "complete", "{\"f\": 2}", NULL, worker.id, 1);

    /* Said first, done when asked again. */
    assert_int_equal(undo(s, 1, 0, &moved), CKG_OK);
    assert_int_equal(moved, 1);
    assert_string_equal(look(s, 0).outcomes[0], "{\"f\": 2}");
    assert_int_equal(undo(s, 1, 1, &moved), CKG_OK);
    assert_string_equal(look(s, 0).outcomes[0], "{\"f\": 1}");
    assert_int_equal(app_store_images(s->store, s->study.id, 1, see_image, images, &s->message), CKG_OK);
    assert_non_null(strstr(images, "1 undone complete {\"f\": 2}; "));
}

/* A changed problem: who read the old one cannot write. */
static void check_redefining(struct scene *s)
{
    struct app_study_record found;
    struct app_change change = {.kind = "problem",
                                .command = "change s",
                                .who = "ana@lab",
                                .definition_after = "{\"name\": \"other\"}"};
    int moved;

    assert_int_equal(app_store_change(s->store, s->study.id, &change, 0, NULL, &s->message), CKG_OK);
    assert_int_equal(app_store_study_find(s->store, "spring", &found, &s->message), CKG_OK);
    assert_string_equal(found.definition, "{\"name\": \"other\"}");
    assert_true(found.redefined > 0);
    assert_int_equal(app_store_change(s->store, s->study.id, &change, 0, NULL, &s->message), CKG_ERR_STATE);
    assert_int_equal(app_store_study_update(s->store, &s->study, &s->message), CKG_OK);
    app_study_record_free(&found);

    /* Back to what it was, which is another change of the problem. */
    assert_int_equal(undo(s, 1, 0, &moved), CKG_OK);
    assert_int_equal(app_store_study_find(s->store, "spring", &found, &s->message), CKG_OK);
    assert_string_equal(found.definition, some_study.definition);
    change.redefined = found.redefined;
    assert_int_equal(app_store_change(s->store, s->study.id, &change, 0, NULL, &s->message), CKG_OK);
    app_study_record_free(&found);
}

/* What people want of whoever evaluates: who holds it, what is to end, and the budget, which trials never
 * touch. */
static void check_holding(struct scene *s)
{
    struct app_study_state before;
    struct app_study_state after;

    assert_int_equal(add_state(s, 1, 1, "pending", 1, 0), CKG_OK);
    assert_int_equal(app_store_study_state(s->store, s->study.id, &before, &s->message), CKG_OK);
    assert_int_equal(before.pause.paused, APP_NOT_PAUSED);
    assert_true(!before.pause.stopped && !before.budget && !before.pause.by[0]);

    /* Held: runs go on living. */
    assert_int_equal(app_store_pause(s->store, s->study.id, APP_PAUSED_BY_USER, "ana@lab", &s->message),
                     CKG_OK);
    assert_int_equal(app_store_study_state(s->store, s->study.id, &after, &s->message), CKG_OK);
    assert_int_equal(after.pause.paused, APP_PAUSED_BY_USER);
    assert_string_equal(after.pause.by, "ana@lab");
    assert_true(after.pause.since > 1e9 && !after.pause.stopped);

    /* Stopped: whoever began before that revision ends; going on does not forget it. */
    assert_int_equal(app_store_pause(s->store, s->study.id, APP_STOPPED, "bob@lab", &s->message), CKG_OK);
    assert_int_equal(app_store_study_state(s->store, s->study.id, &before, &s->message), CKG_OK);
    assert_int_equal(before.pause.paused, APP_STOPPED);
    assert_true(before.pause.stopped > 0);
    assert_int_equal(app_store_pause(s->store, s->study.id, APP_NOT_PAUSED, "ana@lab", &s->message), CKG_OK);
    assert_int_equal(app_store_study_state(s->store, s->study.id, &after, &s->message), CKG_OK);
    assert_true(after.pause.paused == APP_NOT_PAUSED && after.pause.stopped == before.pause.stopped);

    /* A budget, and none. */
    assert_int_equal(app_store_set_budget(s->store, s->study.id, 80, &s->message), CKG_OK);
    assert_int_equal(app_store_study_state(s->store, s->study.id, &after, &s->message), CKG_OK);
    assert_int_equal(after.budget, 80);
    assert_int_equal(app_store_set_budget(s->store, s->study.id, 0, &s->message), CKG_OK);
    assert_int_equal(app_store_study_state(s->store, s->study.id, &after, &s->message), CKG_OK);
    assert_true(!after.budget && after.last == 1 && look(s, 0).count == 1);
    assert_int_equal(app_store_pause(s->store, s->study.id + 99, APP_PAUSED_BY_USER, "ana@lab", &s->message),
                     CKG_ERR_NOT_FOUND);
}

TEST(changes)
TEST(results_since)
TEST(redefining)
TEST(holding)

int main(void)
{
    return RUN_TESTS(test_changes, test_results_since, test_redefining, test_holding);
}
