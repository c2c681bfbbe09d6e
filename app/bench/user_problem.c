/*
 * The models' predictions come from one engine, asked by one thread at a time; commands run side by side, and
 * each design is evaluated once.
 */
#include "bench/user_problem.h"

#include <ctype.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/search_model.h"
#include "evaluate/child.h"
#include "evaluate/machine.h"

/* What the command answered to a design. */
struct app_answered {
    struct app_answered *before; /* NULL: it was the first */
    double *x;                   /* (d) */
    double *values;              /* (1 + K); NAN: not measured */
    int failed;
};

/* --- the models --- */

/* Whether there are values; an answer is the one that is more likely. */
static int ask_model(const struct app_problem *p, const double *x, double *values)
{
    struct app_user_problem *own = p->context;

    pthread_mutex_lock(&own->lock);
    const int status = ckg_study_predict(own->engine, 1, x, values, NULL, NULL, NULL);
    if (status)
        app_fail(&own->trouble, status, "%s", ckg_error_message());
    pthread_mutex_unlock(&own->lock);
    for (int j = 1; !status && j <= p->K; j++)
        if (ckg_problem_yesno(own->record.definition.problem, j) == 1)
            values[j] = values[j] >= 0.5;
    return !status;
}

/* --- the command --- */

static const struct app_answered *look_up(struct app_user_problem *own, const double *x)
{
    const size_t bytes = (size_t)own->problem.d * sizeof *x;

    pthread_mutex_lock(&own->lock);
    const struct app_answered *known = own->known;
    while (known && memcmp(known->x, x, bytes) != 0)
        known = known->before;
    pthread_mutex_unlock(&own->lock);
    return known;
}

/* What is not kept for lack of memory is evaluated again. */
static void remember(struct app_user_problem *own, const double *x, const double *values, int failed)
{
    const size_t d = (size_t)own->problem.d;
    const size_t outcomes = (size_t)own->problem.K + 1;

    pthread_mutex_lock(&own->lock);
    struct app_answered *one = app_pool_new(&own->pool, 1, sizeof *one);
    double *numbers = app_pool_new(&own->pool, d + outcomes, sizeof *numbers);
    if (one && numbers) {
        memcpy(numbers, x, d * sizeof *x);
        memcpy(numbers + d, values, outcomes * sizeof *values);
        *one = (struct app_answered){own->known, numbers, numbers + d, failed};
        own->known = one;
    }
    pthread_mutex_unlock(&own->lock);
}

/* Waits until the process has ended. */
static void wait_for(struct app_child *child)
{
    while (!app_child_reap(child)) {
        struct pollfd fds[APP_CHILD_FDS];
        const int count = app_child_poll(child, fds);
        const double left = app_child_watch(child, app_clock()) - app_clock();

        poll(fds, (nfds_t)count, left > 0.5 ? 500 : left > 0 ? (int)(1000 * left) + 1 : 1);
        app_child_serve(child);
    }
}

/* Runs the command; 0: it could not be started, or failed. */
static int run_command(struct app_user_problem *own, const double *x, double *values)
{
    const struct app_definition *d = &own->record.definition;
    ckg_measurement measured[1 + CKG_MAX_CONSTRAINTS];
    struct app_child child = {0};
    struct app_answer_rest rest = {0};
    struct app_message why;
    char worker[80];
    int count = 0;

    app_run_word(worker, getpid(), 0, own);
    const struct app_order order = {.definition = d, .folder = own->record.folder, .worker = worker, .x = x};
    if (app_child_start(&child, &(struct app_launcher){0}, &order, &why)) {
        pthread_mutex_lock(&own->lock);
        own->trouble = why;
        pthread_mutex_unlock(&own->lock);
        return 0;
    }
    wait_for(&child);
    const int failed = app_child_result(&child, d, 0, measured, &count, &rest, &why);
    app_answer_rest_free(&rest);
    app_child_free(&child);

    for (int i = 0; !failed && i < count; i++)
        values[measured[i].outcome] = measured[i].value;
    return !failed;
}

static int ask_command(const struct app_problem *p, const double *x, double *values)
{
    struct app_user_problem *own = p->context;
    const struct app_answered *known = look_up(own, x);

    if (known) {
        memcpy(values, known->values, ((size_t)p->K + 1) * sizeof *values);
        return !known->failed && !isnan(values[0]);
    }
    for (int k = 0; k <= p->K; k++)
        values[k] = NAN;
    const int failed = !run_command(own, x, values);
    remember(own, x, values, failed);
    return !failed && !isnan(values[0]);
}

/* --- the problem --- */

/* A name that can be a file's: that of the problem file without folder and ending; NULL: no memory. */
static const char *name_after(struct app_user_problem *own, const char *file)
{
    enum { LONGEST = 63 };
    const char *slash = strrchr(file, '/');
    const char *start = slash ? slash + 1 : file;
    const char *dot = strrchr(start, '.');
    const size_t length = dot && dot > start ? (size_t)(dot - start) : strlen(start);
    char *name = app_pool_print(&own->pool, "%.*s", (int)(length < LONGEST ? length : LONGEST), start);

    for (char *c = name; name && *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("-.", *c))
            *c = '-';
    return name;
}

/* Every outcome was measured, so that the models say something of each. */
static int check_measured(const struct app_user_problem *own, const char *file, struct app_message *message)
{
    for (int j = 0; j <= own->problem.K; j++) {
        ckg_model_info model;
        if (ckg_study_model(own->engine, j, &model))
            return app_fail(message, CKG_ERR_NUMERIC, "%s: %s", file, ckg_error_message());
        if (!model.observations)
            return app_fail(message, CKG_ERR_INVALID,
                            "%s: '%s' has not been measured yet, so there is no model to experiment on; "
                            "evaluate some designs first, or add --real to ask the command itself",
                            file, app_outcome_name(&own->record.definition, j));
    }
    return CKG_OK;
}

/* On the models: their best design, and what an infeasible one is worth. */
static int use_models(struct app_user_problem *own, const char *file, struct app_message *message)
{
    struct app_problem *p = &own->problem;
    int status = app_study_engine(&own->record, &own->engine);

    if (status)
        return app_fail(message, status, "%s", own->unheard.text);
    status = check_measured(own, file, message);
    if (status)
        return status;

    p->evaluate_own = ask_model;
    if (ckg_study_penalty(own->engine, &p->infeasible))
        return app_fail(message, CKG_ERR_NUMERIC, "%s: %s", file, ckg_error_message());
    status = app_search_model(own->engine, &p->optimum);
    if (status == CKG_ERR_STATE)
        return app_fail(message, CKG_ERR_INVALID,
                        "%s: by its models no design is feasible, so there is nothing to compare", file);
    return status ? app_fail(message, status, "%s: %s", file, ckg_error_message()) : CKG_OK;
}

static int use_command(struct app_user_problem *own, const char *file, struct app_message *message)
{
    const struct app_trial *best = app_study_best(&own->record);

    if (!own->record.definition.evaluate.count)
        return app_fail(message, CKG_ERR_INVALID, "%s: --real needs `evaluate: {command: …}`", file);
    own->problem.evaluate_own = ask_command;
    own->problem.optimum = best ? app_trial_value(best, 0) : 0;
    return CKG_OK;
}

int app_user_problem_open(struct app_user_problem **out, const char *file, int real, int threads,
                          struct app_message *message)
{
    const struct app_study_address place = {.file = file};
    struct app_user_problem *own = calloc(1, sizeof *own);

    *out = NULL;
    if (!own)
        return app_no_memory(message);
    int status = app_study_open(&own->record, &place, APP_COMPARE, message);
    if (status) {
        free(own);
        return status;
    }

    /* What it is. */
    own->record.message = &own->unheard;
    own->record.threads = threads;
    pthread_mutex_init(&own->lock, NULL);
    const char *name = name_after(own, file);
    own->problem = (struct app_problem){
        .name = name,
        .title = name,
        .reference = "",
        .d = app_dimension(&own->record.definition),
        .K = app_constraints(&own->record.definition),
        .own = own->record.definition.problem,
        .context = own,
    };

    /* What is true of its designs. */
    status = name ? (real ? use_command : use_models)(own, file, message) : app_no_memory(message);
    if (status)
        app_user_problem_free(own);
    else
        *out = own;
    return status;
}

void app_user_problem_free(struct app_user_problem *own)
{
    if (!own)
        return;
    pthread_mutex_destroy(&own->lock);
    app_study_close(&own->record);
    app_pool_free(&own->pool);
    free(own);
}

struct app_user_problem *app_user_problem_of(const struct app_problem *problem)
{
    return problem->own ? problem->context : NULL;
}
