/*
 * What a process does that evaluates designs: takes up a trial that nobody evaluates any longer, or chooses a
 * new design while it holds the turn, so that designs are chosen one after the other and each knows of those
 * before it. Models are fitted before, and fitted again where results have come meanwhile.
 */
#include "study/study_work.h"

#include <math.h>
#include <unistd.h>

#include "evaluate/machine.h"

void app_worker_here(struct app_worker *out, char machine[256])
{
    app_machine_name(machine);
    *out = (struct app_worker){
        .machine = machine,
        .process = getpid(),
        .born = app_process_born(getpid()),
    };
}

void app_work_hand_back(struct app_notebook *n, const struct app_worker *worker, int number)
{
    const struct app_trial back = {.number = number, .state = APP_PENDING, .seconds = NAN};
    struct app_message unheard;
    int kept;

    app_store_finish(n->store, n->study, &back, worker->id, &kept, &unheard);
}

int app_work_inherit(struct app_notebook *n, const struct app_worker *worker, const struct app_claim *claim)
{
    char lost[48];

    app_worker_word(lost, claim->worker_process, claim->worker_born);
    if (claim->lost && !app_kill_left(lost, claim->process, claim->born)) {
        app_work_hand_back(n, worker, claim->number);
        return app_fail(n->message, CKG_ERR_SYSTEM,
                        "processes that a lost run left of trial %d cannot be killed; kill them, then run "
                        "the same command again",
                        claim->number);
    }
    return app_notebook_sync(n);
}

/* The turn, and all that is known; *taken 0: without it. */
static int take_turn(struct app_notebook *n, int *taken)
{
    int status = app_store_turn_take(n->store, n->study, taken, n->message);

    if (status || !*taken)
        return status;
    status = app_notebook_sync(n);
    if (status)
        app_notebook_turn_give(n);
    return status;
}

/* Fits the models while others may have the turn. Whoever finds that taken need not fit anything yet. */
static int take_turn_prepared(struct app_notebook *n, int budget, int *taken)
{
    enum { PREPARATIONS = 3 };
    int status = take_turn(n, taken);

    for (int i = 0; !status && *taken && i < PREPARATIONS; i++) {
        if (app_notebook_spent(n) >= budget || app_notebook_is_prepared(n))
            break;
        app_notebook_turn_give(n);
        status = app_notebook_prepare(n);
        if (!status)
            status = take_turn(n, taken);
    }
    return status;
}

int app_work_choose(struct app_notebook *n, const struct app_worker *worker, int budget, int *taken,
                    int *number)
{
    struct app_asked asked = {0};
    int status = take_turn_prepared(n, budget, taken);

    *number = 0;
    if (status || !*taken)
        return status;

    /* The turn is ours, and the design too if there is to be one. */
    if (app_notebook_spent(n) < budget)
        status = app_notebook_suggest(n, 1, worker ? worker->id : 0, 1, &asked);
    *number = asked.count ? asked.first : 0;

    /* A turn that was lost with a connection may have been another's meanwhile: then it is for a next time.
     */
    if (status == CKG_ERR_STATE && !app_notebook_sync(n)) {
        status = CKG_OK;
        *number = 0;
        *taken = 0;
    }
    app_notebook_turn_give(n);
    app_asked_free(&asked);
    return status;
}
