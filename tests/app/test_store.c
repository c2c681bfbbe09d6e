/*
 * What every store must do: one suite over each row of `stores`. Fault points and whole programs are in
 * test_kill.py and its neighbours.
 */
#include <poll.h>

#include "app/store_scene.h"

/* --- studies --- */

static int collect(void *context, const char *name)
{
    strcat(context, name);
    return CKG_OK;
}

static void check_studies(struct scene *s)
{
    struct app_study_record found, again;
    const struct app_study_record other = {
        .name = "'); DROP TABLE study; --", .definition = "{}", .folder = "/", .seed = 0};
    struct app_study_record changed = {
        .id = s->study.id, .definition = "{\"budget\": 9}", .folder = "/var", .seed = 7};
    const struct app_study_record same_name = {
        .name = "spring", .definition = "another's", .folder = "/", .seed = 5};
    char names[200] = "";
    assert_int_equal(app_store_study_find(s->store, "spring", &found, &s->message), CKG_OK);
    assert_int_equal(found.id, s->study.id);
    assert_string_equal(found.definition, some_study.definition);
    assert_string_equal(found.folder, "/tmp");
    assert_true(found.seed == some_study.seed);
    app_study_record_free(&found);
    assert_int_equal(app_store_study_find(s->store, "sprin", &found, &s->message), CKG_ERR_NOT_FOUND);

    /* the first stays */
    assert_int_equal(app_store_study_create(s->store, &same_name, &again, &s->message), CKG_OK);
    assert_int_equal(again.id, s->study.id);
    assert_string_equal(again.definition, some_study.definition);
    app_study_record_free(&again);

    assert_int_equal(app_store_study_create(s->store, &other, &again, &s->message), CKG_OK);
    assert_int_not_equal(again.id, s->study.id);
    app_study_record_free(&again);
    assert_int_equal(app_store_study_names(s->store, collect, names, &s->message), CKG_OK);
    assert_string_equal(names, "'); DROP TABLE study; --spring");

    assert_int_equal(app_store_study_update(s->store, &changed, &s->message), CKG_OK);
    assert_int_equal(app_store_study_find(s->store, "spring", &found, &s->message), CKG_OK);
    assert_string_equal(found.definition, "{\"budget\": 9}");
    assert_string_equal(found.folder, "/var");
    assert_true(found.seed == 7);
    app_study_record_free(&found);
}

/* --- trials --- */

static void check_adding(struct scene *s)
{
    assert_int_equal(add_state(s, 2, 1, "pending", 0, 0), CKG_ERR_STATE); /* not without the first */
    assert_int_equal(add_state(s, 1, 3, "pending", 0, 0), CKG_OK);
    assert_int_equal(add_state(s, 3, 1, "pending", 0, 0), CKG_ERR_STATE);
    assert_int_equal(add_state(s, 5, 1, "pending", 0, 0), CKG_ERR_STATE);
    struct seen seen = look(s, 0);
    assert_int_equal(seen.count, 3);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(seen.records[i].number, i + 1);
        assert_string_equal(seen.state[i], "pending");
        assert_string_equal(seen.parameters[i], "{\"x\": 0.1}");
        assert_true(isnan(seen.records[i].seconds));
    }
    struct app_trial half[2] = {
        {.state = APP_PENDING, .origin = "design", .parameters = "{}", .seconds = NAN},
        {.state = APP_STATES, .origin = "design", .parameters = "{}", .seconds = NAN}};
    /* all or none */
    assert_int_not_equal(app_store_add(s->store, s->study.id, 4, 2, half, 0, &s->message), CKG_OK);
    assert_int_equal(look(s, 0).count, 3);
    half[1].state = APP_COMPLETE; /* without a result */
    assert_int_not_equal(app_store_add(s->store, s->study.id, 4, 2, half, 0, &s->message), CKG_OK);
    assert_int_equal(look(s, 0).count, 3);
    /* a study that is not there */
    assert_int_not_equal(app_store_add(s->store, s->study.id + 99, 1, 1, half, 0, &s->message), CKG_OK);
}

static void check_revisions(struct scene *s)
{
    assert_int_equal(add_state(s, 1, 2, "pending", 0, 0), CKG_OK);
    struct seen first = look(s, 0);
    const int64_t revision = first.records[1].revision;
    assert_int_equal(look(s, revision).count, 0);
    finish(s, 1, "complete", "{\"f\": 1}", NULL, 0, 1);
    struct seen second = look(s, revision);
    assert_int_equal(second.count, 1);
    assert_int_equal(second.records[0].number, 1);
    assert_true(second.records[0].revision > revision);
    assert_string_equal(second.outcomes[0], "{\"f\": 1}");
    assert_true(second.records[0].seconds == 1.5);
    assert_int_equal(look(s, second.records[0].revision).count, 0);
}

static void check_finishing(struct scene *s)
{
    const struct app_worker worker = make_worker(s, "here", 10), other = make_worker(s, "here", 11);
    assert_int_equal(add_state(s, 1, 4, "pending", 1, 0), CKG_OK);
    finish(s, 1, "complete", "{\"f\": 1}", NULL, 0, 1);
    finish(s, 1, "complete", "{\"f\": 2}", NULL, 0, 0); /* the first result stays */
    finish(s, 1, "failed", NULL, "late", 0, 0);
    finish(s, 2, "failed", NULL, "it broke", 0, 1);
    finish(s, 99, "failed", NULL, "nobody", 0, 0);
    assert_int_equal(claim(s, &worker).number, 3);
    finish(s, 3, "complete", "{\"f\": 3}", NULL, other.id, 0); /* running by another */
    finish(s, 3, "complete", "{\"f\": 3}", NULL, 0, 0);
    finish(s, 3, "pending", NULL, "try again", worker.id, 1);
    finish(s, 3, "complete", "{\"f\": 3}", NULL, worker.id, 0); /* no longer its own */
    struct seen seen = look(s, 0);
    assert_string_equal(seen.outcomes[0], "{\"f\": 1}");
    assert_string_equal(seen.state[1], "failed");
    assert_string_equal(seen.why[1], "it broke");
    assert_string_equal(seen.state[2], "pending");
    assert_int_equal(seen.records[2].failures, 1);
    assert_int_equal(seen.records[2].starts, 1);
    assert_int_equal(claim(s, &worker).number, 3);
    assert_int_equal(look(s, 0).records[2].starts, 2);
    const struct app_trial wrong = {.number = 3, .state = APP_COMPLETE, .seconds = NAN}; /* without values */
    int kept;
    assert_int_not_equal(app_store_finish(s->store, s->study.id, &wrong, worker.id, &kept, &s->message),
                         CKG_OK);
    assert_int_equal(kept, 0);
    assert_string_equal(look(s, 0).state[2], "running");
}

/* What an evaluation answered is kept whole, beside what was understood of it. */
static void check_answers(struct scene *s)
{
    const struct app_trial result = {.number = 1,
                                     .state = APP_COMPLETE,
                                     .outcomes = "{\"f\": 1}",
                                     .answer = "mesh: 12000\n{\"f\": 1, \"mesh\": 12000}\n",
                                     .extra = "{\"mesh\": 12000}",
                                     .notes = "'mesh' is no outcome",
                                     .seconds = 1};
    int kept = 0;

    assert_int_equal(add_state(s, 1, 1, "pending", 0, 0), CKG_OK);
    assert_int_equal(app_store_finish(s->store, s->study.id, &result, 0, &kept, &s->message), CKG_OK);
    assert_int_equal(kept, 1);
    const struct seen seen = look(s, 0);
    assert_string_equal(seen.answer[0], result.answer);
    assert_string_equal(seen.extra[0], result.extra);
    assert_string_equal(seen.notes[0], result.notes);
}

/* --- workers --- */

static void check_claiming(struct scene *s)
{
    const struct app_worker first = make_worker(s, "here", 20), second = make_worker(s, "here", 30),
                            far = make_worker(s, "there", 20);
    process_gone = 0;
    assert_int_equal(claim(s, &first).number, 0);
    assert_int_equal(add_state(s, 1, 1, "pending", 0, 0), CKG_OK); /* somebody else's to evaluate */
    assert_int_equal(claim(s, &first).number, 0);
    assert_int_equal(add_state(s, 2, 1, "running", 1, first.id), CKG_OK);
    assert_int_equal(app_store_started(s->store, s->study.id, 2, first.id, 77, 78, &s->message), CKG_OK);
    assert_int_equal(claim(s, &second).number, 0); /* it lives */
    assert_int_equal(claim(s, &far).number, 0);    /* it was heard of a moment ago */
    process_gone = 20;
    const struct app_claim taken = claim(s, &second);
    assert_int_equal(taken.number, 2);
    assert_int_equal(taken.lost, 1);
    assert_int_equal(taken.worker_process, 20);
    assert_int_equal(taken.worker_born, 21);
    assert_int_equal(taken.process, 77);
    assert_int_equal(taken.born, 78);
    assert_int_equal(claim(s, &second).number, 0); /* once */
    finish(s, 2, "complete", "{\"f\": 1}", NULL, first.id, 0);
    finish(s, 2, "complete", "{\"f\": 2}", NULL, second.id, 1);
    assert_int_equal(claim(s, &far).number, 0);
    process_gone = 0;
}

static void check_workers(struct scene *s)
{
    const struct app_worker worker = make_worker(s, "here", 40);
    assert_int_equal(app_store_heartbeat(s->store, &worker, &s->message), CKG_OK);
    assert_int_equal(add_state(s, 1, 1, "running", 1, worker.id), CKG_OK);
    /* stays while it has a trial, so that the trial can be taken up */
    app_store_worker_remove(s->store, &worker);
    process_gone = 40;
    const struct app_worker next = make_worker(s, "here", 41);
    assert_int_equal(claim(s, &next).number, 1);
    process_gone = 0;
    app_store_worker_remove(s->store, &worker);
    finish(s, 1, "complete", "{\"f\": 1}", NULL, next.id, 1);
    app_store_worker_remove(s->store, &next);
    assert_int_not_equal(add_state(s, 2, 1, "running", 1, next.id), CKG_OK); /* a worker that is not there */
}

static int release(struct scene *s, int number, const char *machine)
{
    struct app_claim out = {.number = -1};
    assert_int_equal(app_store_release(s->store, s->study.id, number, machine, is_gone, &out, &s->message),
                     CKG_OK);
    assert_true(!out.number || (out.lost && out.worker_process == process_gone));
    assert_true(!out.number || process_gone != 50 || out.process == 77);
    return out.number;
}

static void check_releasing(struct scene *s)
{
    const struct app_worker worker = make_worker(s, "here", 50);
    assert_int_equal(add_state(s, 1, 1, "running", 1, worker.id), CKG_OK);
    assert_int_equal(add_state(s, 2, 1, "running", 1, worker.id), CKG_OK);
    assert_int_equal(app_store_started(s->store, s->study.id, 2, worker.id, 77, 78, &s->message), CKG_OK);
    process_gone = 0;
    assert_int_equal(release(s, 2, "here"), 0);
    process_gone = 50;
    assert_int_equal(release(s, 2, "there"), 0); /* heard of a moment ago */
    assert_int_equal(release(s, 2, "here"), 2);
    assert_int_equal(release(s, 2, "here"), 0);
    process_gone = 0;
    assert_string_equal(look(s, 0).state[0], "running");
    assert_string_equal(look(s, 0).state[1], "pending");
    finish(s, 2, "complete", "{\"f\": 1}", NULL, 0, 1);
}

/* --- leases --- */

/* An answer to that evaluation of the trial; what became of it. */
static int answer(struct scene *s, int number, int starts, const char *outcomes, const char *parameters,
                  int64_t worker)
{
    const struct app_trial result = {.number = number,
                                     .state = APP_COMPLETE,
                                     .parameters = parameters,
                                     .outcomes = outcomes,
                                     .seconds = 1.5,
                                     .starts = starts};
    int kept = -1;

    assert_int_equal(app_store_finish(s->store, s->study.id, &result, worker, &kept, &s->message), CKG_OK);
    return kept;
}

/* The first worker's answer comes when the trial is another's, or nobody's. */
static void check_late(struct scene *s)
{
    static const char design[] = "{\"x\": 0.1}";
    const struct app_worker first = make_worker(s, "here", 60);
    const struct app_worker second = make_worker(s, "here", 61);

    assert_int_equal(add_state(s, 1, 3, "pending", 1, 0), CKG_OK);
    for (int i = 1; i <= 3; i++) {
        const struct app_claim taken = claim(s, &first);
        assert_int_equal(taken.number, i);
        assert_int_equal(taken.starts, 1);
    }
    process_gone = 60;
    assert_int_equal(claim(s, &second).starts, 2);
    assert_int_equal(claim(s, &second).number, 2);
    assert_int_equal(release(s, 3, "here"), 3);
    process_gone = 0;

    /* Accepted where nobody has answered, then the other's is beside it; the same twice is once. */
    assert_int_equal(answer(s, 1, 1, "{\"f\": 1}", design, first.id), APP_STORED);
    assert_int_equal(answer(s, 1, 2, "{\"f\": 2}", design, second.id), APP_STORED_BESIDE);
    assert_int_equal(answer(s, 1, 1, "{\"f\": 1}", design, first.id), APP_STORED);
    assert_int_equal(answer(s, 2, 2, "{\"f\": 3}", NULL, second.id), APP_STORED);
    assert_int_equal(answer(s, 2, 1, "{\"f\": 4}", NULL, first.id), APP_STORED_BESIDE);
    assert_int_equal(answer(s, 2, 1, "{\"f\": 5}", NULL, first.id), APP_STORED_BESIDE);

    /* Not where it is no answer to this trial: of another design, of an evaluation that never was. */
    assert_int_equal(answer(s, 3, 1, "{\"f\": 6}", "{\"x\": 0.2}", first.id), APP_STORED_BESIDE);
    assert_int_equal(answer(s, 3, 2, "{\"f\": 7}", design, first.id), APP_STORED_BESIDE);
    assert_int_equal(answer(s, 3, 0, "{\"f\": 8}", design, first.id), APP_NOT_STORED);
    assert_int_equal(answer(s, 4, 1, "{\"f\": 9}", design, first.id), APP_NOT_STORED);

    const struct seen seen = look(s, 0);
    assert_string_equal(seen.outcomes[0], "{\"f\": 1}");
    assert_string_equal(seen.notes[0], "a late answer that was not used: {\"f\": 2} after 1.5 s");
    assert_string_equal(seen.outcomes[1], "{\"f\": 3}");
    assert_non_null(strstr(seen.notes[1], "{\"f\": 4} after 1.5 s\na late"));
    assert_string_equal(seen.state[2], "pending");
    assert_int_equal(answer(s, 3, 1, "{\"f\": 10}", design, first.id), APP_STORED);
}

struct crowd {
    int count;
    int64_t ids[4];
    int trials;
    double left;
};

static int see_worker(void *context, const struct app_worker_seen *seen)
{
    struct crowd *crowd = context;

    assert_true(seen->age >= -1 && seen->age < 60 && seen->silent >= -1 && seen->silent < 60);
    assert_string_equal(seen->worker.machine, "here");
    assert_int_equal(seen->worker.slots, 3);
    assert_string_equal(seen->worker.about, "{\"labels\": []}");
    crowd->ids[crowd->count++] = seen->worker.id;
    crowd->trials += seen->trials;
    return CKG_OK;
}

static int see_lease(void *context, const struct app_lease *lease)
{
    struct crowd *crowd = context;

    assert_int_equal(lease->worker.process, 70);
    assert_int_equal(lease->number, 1);
    crowd->count++;
    crowd->left = lease->left;
    return CKG_OK;
}

static double left_of_lease(struct scene *s)
{
    struct crowd crowd = {0};

    assert_int_equal(app_store_leases(s->store, s->study.id, see_lease, &crowd, &s->message), CKG_OK);
    assert_int_equal(crowd.count, 1);
    return crowd.left;
}

/* Who is there, for how long; a heartbeat makes it longer. */
static void check_leases(struct scene *s)
{
    struct app_worker worker = {
        .machine = "here", .process = 70, .born = 71, .slots = 3, .about = "{\"labels\": []}", .lease = 100};
    struct crowd crowd = {0};

    assert_int_equal(app_store_worker_add(s->store, &worker, &s->message), CKG_OK);
    assert_int_equal(add_state(s, 1, 1, "pending", 1, 0), CKG_OK);
    assert_int_equal(claim(s, &worker).number, 1);
    assert_int_equal(app_store_workers(s->store, see_worker, &crowd, &s->message), CKG_OK);
    assert_int_equal(crowd.count, 1);
    assert_true(crowd.ids[0] == worker.id && crowd.trials == 1);

    assert_true(left_of_lease(s) > 30 && left_of_lease(s) <= 101);
    worker.lease = 1000;
    assert_int_equal(app_store_heartbeat(s->store, &worker, &s->message), CKG_OK);
    assert_true(left_of_lease(s) > 900);

    finish(s, 1, "complete", "{\"f\": 1}", NULL, worker.id, 1);
    app_store_worker_remove(s->store, &worker);
    assert_int_equal(app_store_heartbeat(s->store, &worker, &s->message), CKG_ERR_NOT_FOUND);
}

/* Where all share the database's clock, a lease ends by it, unless it is renewed. */
static void check_expiry(struct scene *s)
{
    struct app_worker silent = make_worker(s, "there", 80);
    struct app_worker lively = make_worker(s, "there", 81);
    const struct app_worker here = make_worker(s, "here", 82);
    struct app_claim taken = {0};

    if (s->kind == &stores[0])
        return; /* each client has a clock of its own: tests/app/test_clocks.py */
    silent.lease = lively.lease = 1000;
    assert_int_equal(add_state(s, 1, 2, "pending", 1, 0), CKG_OK);
    assert_int_equal(claim(s, &lively).number, 1);
    assert_int_equal(claim(s, &silent).number, 2);
    assert_int_equal(claim(s, &here).number, 0);

    /* Both for another second; one of them is renewed, and nobody looks meanwhile, however long that takes.
     */
    silent.lease = lively.lease = 1;
    assert_int_equal(app_store_heartbeat(s->store, &silent, &s->message), CKG_OK);
    assert_int_equal(app_store_heartbeat(s->store, &lively, &s->message), CKG_OK);
    lively.lease = 1000;
    assert_int_equal(app_store_heartbeat(s->store, &lively, &s->message), CKG_OK);

    /* A server that has just been started gives everybody a quarter of a minute. */
    for (int wait = 0; !taken.number && wait < 6000; wait++) {
        usleep(10000);
        taken = claim(s, &here);
    }
    assert_int_equal(taken.number, 2);
    assert_int_equal(taken.starts, 2);
    assert_int_equal(taken.lost, 0);
    assert_int_equal(answer(s, 2, 1, "{\"f\": 1}", NULL, silent.id), APP_STORED);
}

/* --- several processes --- */

/*
 * The end of a child that shares its parent's memory: at once, so that no tool takes what the parent will
 * free for lost.
 */
static void leave(int answer, int result)
{
    if (write(answer, &result, sizeof result) == (ssize_t)sizeof result)
        raise(SIGKILL);
    _exit(97);
}

/* What a child with a store of its own answers, or minus the signal that ended it. */
static int in_child(struct scene *s, int (*act)(struct scene *child))
{
    int status, answer[2], result = 0;
    assert_int_equal(pipe(answer), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (!child) {
        struct scene own = {.kind = s->kind, .study = s->study};
        snprintf(own.url, sizeof own.url, "%s", s->url);
        if (app_store_open(&own.store, own.url, 0, &own.message))
            leave(answer[1], 99);
        leave(answer[1], act(&own));
    }
    close(answer[1]);
    const int told = read(answer[0], &result, sizeof result) == (ssize_t)sizeof result;
    close(answer[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    return told ? result : -WTERMSIG(status);
}

static int add_one(struct scene *s)
{
    return add_state(s, 2, 1, "pending", 1, 0);
}

/* Another process adds a trial, and who listens hears it; a file says nothing. */
static void check_listening(struct scene *s)
{
    assert_int_equal(add_state(s, 1, 1, "pending", 1, 0), CKG_OK);
    const int heard_from = app_store_listen(s->store, s->study.id);
    app_store_heard(s->store);
    assert_int_equal(app_store_heard(s->store), 0);
    assert_int_equal(in_child(s, add_one), CKG_OK);
    if (s->kind == &stores[0]) {
        assert_int_equal(heard_from, -1);
        assert_int_equal(app_store_heard(s->store), 0);
        return;
    }
    struct pollfd fd = {.fd = heard_from, .events = POLLIN};
    assert_int_equal(poll(&fd, 1, 60000), 1);
    assert_int_equal(app_store_heard(s->store), 1);
    assert_int_equal(app_store_heard(s->store), 0);
}

static int try_turn(struct scene *s)
{
    int taken;
    return app_store_lock(s->store, s->study.id, &taken, &s->message) ? 98 : taken;
}

static int die_with_turn(struct scene *s)
{
    if (try_turn(s) == 1)
        raise(SIGKILL);
    return 97;
}

static int turn_of_another_study(struct scene *s)
{
    s->study.id += 1;
    return try_turn(s);
}

static int add_ten(struct scene *s)
{
    for (int added = 0; added < 10;) {
        struct seen seen = {0};
        if (app_store_trials_since(s->store, s->study.id, 0, see, &seen, &s->message))
            return 1;
        const int status = add_state(s, seen.count + 1, 1, "pending", 1, 0);
        if (status && status != CKG_ERR_STATE)
            return 2;
        added += !status;
    }
    return 0;
}

/* A server takes a moment to see that a process has ended. */
static int wait_for_turn(struct scene *s)
{
    int taken = try_turn(s);

    for (int wait = 0; !taken && wait < 6000; wait++) {
        usleep(10000);
        taken = try_turn(s);
    }
    return taken;
}

/* Who chooses a design gives signs of life, which others see at once, and keeps the lock. */
static void check_signs_in_turn(struct scene *s)
{
    struct scene other = {.url = "", .study = s->study};
    struct app_worker worker = make_worker(s, "here", 70);

    snprintf(other.url, sizeof other.url, "%s", s->url);
    open_store(&other, 0);
    assert_int_equal(add_state(s, 1, 1, "running", 1, worker.id), CKG_OK);
    assert_int_equal(wait_for_turn(s), 1);
    assert_true(left_of_lease(&other) <= 60);

    worker.lease = 1000;
    assert_int_equal(app_store_heartbeat(s->store, &worker, &s->message), CKG_OK);
    assert_true(left_of_lease(&other) > 900);
    assert_int_equal(try_turn(&other), 0);

    /* Nothing of it is in the way of the design. */
    assert_int_equal(add_state(s, 2, 1, "pending", 1, 0), CKG_OK);
    app_store_unlock(s->store, s->study.id);
    assert_int_equal(wait_for_turn(&other), 1);
    app_store_close(other.store);
}

static void check_turn(struct scene *s)
{
    struct scene other = {.url = ""};
    assert_int_equal(in_child(s, try_turn), 1); /* given back by its end */
    assert_int_equal(wait_for_turn(s), 1);
    assert_int_equal(in_child(s, try_turn), 0);

    /* Nor does another thread of the process get it, with the store opened once more. */
    snprintf(other.url, sizeof other.url, "%s", s->url);
    other.study = s->study;
    open_store(&other, 0);
    assert_int_equal(try_turn(&other), 0);
    app_store_close(other.store);
    assert_int_equal(in_child(s, try_turn), 0); /* and it goes without taking it away */

    assert_int_equal(in_child(s, turn_of_another_study), 1);
    app_store_unlock(s->store, s->study.id);
    assert_int_equal(in_child(s, die_with_turn), -SIGKILL);
    assert_int_equal(wait_for_turn(s), 1);
    app_store_unlock(s->store, s->study.id);
    assert_int_equal(in_child(s, wait_for_turn), 1);
}

static void check_processes(struct scene *s)
{
    int answer[2];
    assert_int_equal(pipe(answer), 0);
    app_store_close(s->store); /* a store does not cross a fork */
    for (int i = 0; i < 3; i++) {
        const pid_t child = fork();
        assert_true(child >= 0);
        if (!child)
            leave(answer[1], in_child(s, add_ten));
    }
    for (int i = 0; i < 3; i++) {
        int result = -1;
        assert_int_equal(read(answer[0], &result, sizeof result), sizeof result);
        assert_int_equal(result, 0);
    }
    while (waitpid(-1, NULL, 0) > 0)
        ;
    close(answer[0]);
    close(answer[1]);
    open_store(s, 0);
    struct seen seen = look(s, 0);
    assert_int_equal(seen.count, 30);
    for (int i = 0; i < 30; i++)
        assert_int_equal(seen.records[i].number, i + 1);
}

/* --- opening --- */

/* As a newer version of the program would have written it. */
static void make_newer(struct scene *s)
{
    struct app_sql sql;

    assert_int_equal(app_sql_open(&sql, s->url, 0, NULL, &s->message), CKG_OK);
    app_sql_call(&sql, &s->message);
    assert_int_equal(app_sql_run(&sql, "UPDATE ckg_store SET version = version + 1", 0, NULL, NULL, NULL),
                     CKG_OK);
    app_sql_close(&sql);
}

static void check_opening(struct scene *s)
{
    struct app_store *other = NULL;
    app_store_close(s->store);
    open_store(s, 0);
    assert_int_equal(add_state(s, 1, 1, "pending", 0, 0), CKG_OK);
    app_store_close(s->store);
    open_store(s, 1); /* what is there stays */
    assert_int_equal(look(s, 0).count, 1);
    make_newer(s);
    for (int create = 0; create < 2; create++) {
        assert_int_equal(app_store_open(&other, s->url, create, &s->message), CKG_ERR_INVALID);
        assert_null(other);
        assert_non_null(strstr(s->message.text, "newer"));
    }
}

static void check_missing(struct scene *s)
{
    struct app_store *other = NULL;
    char url[256];
    s->kind->make(url);
    assert_int_equal(app_store_open(&other, url, 0, &s->message), CKG_ERR_NOT_FOUND);
    assert_null(other);
    s->kind->remove(url);
    assert_int_equal(app_store_open(&other, "mongodb://localhost", 1, &s->message), CKG_ERR_INVALID);
    assert_null(other);
}

/* --- the dialect --- */

static const char *last_statement;

static int remember(void *database, const char *sql, int count, const struct app_sql_value *values,
                    app_sql_row *row, void *context, struct app_message *message)
{
    (void)database, (void)count, (void)values, (void)row, (void)context, (void)message;
    last_statement = sql;
    return CKG_OK;
}

/* Words in braces are the database's own; a statement is translated once. */
static void test_dialect(void **state)
{
    static const struct app_sql_driver driver = {
        .scheme = "fake:",
        .dialect = {.id = "ID",
                    .integer = "INT8",
                    .real = "FLOAT8",
                    .text = "BYTES",
                    .now = "now()",
                    .up = "up()",
                    .tables = "names",
                    .schema = "own.",
                    .claim = "",
                    .wake = "tell()"},
        .run = remember,
    };
    static const char plain[] = "SELECT 1";
    static const char every[] = "{id}, {integer} {real} {text}; {now}({tables}){up}{claim}{wake}";
    static const char tables[] = "UPDATE a SET b = (SELECT c FROM d JOIN {tables} ON e = d.f WHERE from"
                                 " IN (SELECT 1 FROM (SELECT g)));CREATE INDEX h ON {schema}i";
    struct app_sql sql = {.driver = &driver};
    struct app_message message;
    (void)state;

    app_sql_call(&sql, &message);
    assert_int_equal(app_sql_run(&sql, plain, 0, NULL, NULL, NULL), CKG_OK);
    assert_string_equal(last_statement, plain);
    assert_int_equal(app_sql_run(&sql, every, 0, NULL, NULL, NULL), CKG_OK);
    assert_string_equal(last_statement, "ID, INT8 FLOAT8 BYTES; now()(names)up()tell()");
    const char *first = last_statement;
    assert_int_equal(app_sql_run(&sql, tables, 0, NULL, NULL, NULL), CKG_OK);
    assert_string_equal(last_statement, "UPDATE own.a SET b = (SELECT c FROM own.d JOIN names ON e = d.f"
                                        " WHERE from IN (SELECT 1 FROM (SELECT g)));CREATE INDEX h ON own.i");
    assert_int_equal(app_sql_run(&sql, plain, 0, NULL, NULL, NULL), CKG_OK);
    assert_int_equal(app_sql_run(&sql, every, 0, NULL, NULL, NULL), CKG_OK);
    assert_ptr_equal(last_statement, first);
    app_sql_close(&sql);
}

static void check_url(const char *given, const char *file, const char *expected)
{
    char *url = app_store_url(given, file);
    assert_string_equal(url, expected);
    free(url);
}

static void test_urls(void **state)
{
    (void)state;
    check_url(NULL, "spring.yaml", "sqlite:spring.db");
    check_url(NULL, "a.b/spring", "sqlite:a.b/spring.db");
    check_url(NULL, "a/.spring", "sqlite:a/.spring.db");
    check_url("a/b.db", "spring.yaml", "sqlite:a/b.db");
    check_url("sqlite:b", NULL, "sqlite:b");
    check_url("postgresql://host/name", NULL, "postgresql://host/name");
    assert_non_null(strstr(APP_STORE_URLS, "sqlite:PATH"));
}

TEST(studies)
TEST(adding)
TEST(revisions)
TEST(finishing)
TEST(answers)
TEST(claiming)
TEST(workers)
TEST(releasing)
TEST(late)
TEST(leases)
TEST(expiry)
TEST(listening)
TEST(signs_in_turn)
TEST(turn)
TEST(processes)
TEST(opening)
TEST(missing)

int main(void)
{
    return RUN_TESTS(test_dialect, test_urls, test_studies, test_adding, test_revisions, test_finishing,
                     test_answers, test_claiming, test_workers, test_signs_in_turn, test_turn, test_processes,
                     test_opening, test_missing, test_releasing, test_late, test_leases, test_expiry,
                     test_listening);
}
