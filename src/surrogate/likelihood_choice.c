/*
 * What the values of an outcome are measurements of (model/likelihood.h), where the data have a say: the
 * likelihood whose evidence beside that of the given one is larger by the most over what it takes. A task per
 * outcome. And what a fit keeps of a likelihood's own.
 */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "surrogate/stages.h"

enum { EVALUATIONS = 20 };

/* --- what was fitted --- */

void ckg__fitted_free(struct ckg__fitted *fitted)
{
    ckg__free(fitted->state);
    fitted->state = NULL;
}

int ckg__fitted_copy(struct ckg__fitted *to, const struct ckg__fitted *from)
{
    void *state = NULL;

    ckg__fitted_free(to);
    if (from->state) {
        state = ckg__alloc(1, from->likelihood->state_size);
        if (!state)
            return CKG_ERR_NOMEM;
        memcpy(state, from->state, from->likelihood->state_size);
    }
    *to = *from;
    to->state = state;
    return CKG_OK;
}

/* --- the choice --- */

struct choice {
    struct ckg__surrogates *models;
    int trials;
    int count;
    int *outcome, *status; /* (outcomes) */
};

/* A series of outcome j as laid out, and its fit. */
struct laid {
    struct ckg__scaling scaling;
    struct ckg__series series;
    double *X;
    struct ckg__workers workers;
    struct ckg__fit fit;
};

static int lay(const struct choice *c, int j, const struct ckg__fitted *fitted, int worker, struct laid *out)
{
    const struct ckg__layout layout = {j, c->trials, CKG__MOST_FITTED, fitted};
    const int status = ckg__lay_out(c->models, &layout, &c->models->arena[worker], &out->scaling,
                                    &out->series, &out->X);

    if (!status) {
        out->fit = ckg__surrogates_fit(c->models, fitted, &out->series, out->X, worker, &out->workers);
    }
    return status;
}

/* The evidence that it takes for the series of outcome j to be of that likelihood; INFINITY: it is not. */
static double needed_for(const struct ckg__surrogates *models, int j,
                         const struct ckg__likelihood *likelihood)
{
    const struct ckg__surrogate *s = &models->surrogate[j];

    if (!likelihood->needs)
        return INFINITY;
    return likelihood->needs(models->data->problem, j, &s->series, s->fitted.likelihood == likelihood,
                             models->vary);
}

static int may_choose(const struct ckg__surrogates *models, int j)
{
    int found = 0;

    for (int i = 0; ckg__likelihoods[i]; i++)
        found |= needed_for(models, j, ckg__likelihoods[i]) < INFINITY;
    return found;
}

/* The best density by the likelihood that is given: there already, or climbed to from another one's. */
static int fit_given(const struct laid *plain, const struct ckg__fitted *present, struct ckg__fitted *given,
                     double *density, struct ckg__arena *arena)
{
    struct ckg__fit_work work;

    if (present->likelihood)
        return ckg__fit_ascend(&plain->fit, EVALUATIONS, given->theta, density, arena);
    if (ckg__fit_work_take(&work, &plain->fit, arena))
        return CKG_ERR_NOMEM;
    *density = ckg__fit_density(&plain->fit, given->theta, NULL, &work);
    return CKG_OK;
}

/* The fit by that likelihood, from `with`, which becomes it; −INFINITY: none is worth it. */
static int fit_by(const struct choice *c, int j, int worker, const struct laid *plain, double needed,
                  struct ckg__fitted *with, double *evidence)
{
    const struct ckg__likelihood *likelihood = with->likelihood;
    const struct ckg__fitted *present = &c->models->surrogate[j].fitted;
    struct ckg__arena *arena = &c->models->arena[worker];
    struct laid own;

    /* Beside theta, from what there is. */
    if (likelihood->fit) {
        with->state = ckg__arena_get(arena, 1, likelihood->state_size);
        if (!with->state)
            return CKG_ERR_NOMEM;
        if (present->likelihood == likelihood)
            memcpy(with->state, present->state, likelihood->state_size);
        else
            memset(with->state, 0, likelihood->state_size);
        return likelihood->fit(&plain->fit, needed, with->theta, with->state, evidence, arena);
    }

    /* Theta alone. */
    const int status = lay(c, j, with, worker, &own);
    return status ? status : ckg__fit_ascend(&own.fit, EVALUATIONS, with->theta, evidence, arena);
}

/* Outcome j's likelihood, by the evidence. */
static int choose(const struct choice *c, int j, int worker)
{
    struct ckg__surrogate *s = &c->models->surrogate[j];
    struct ckg__fitted given = s->fitted;
    struct ckg__fitted best = {0};
    double most = -INFINITY;
    struct laid plain;
    double density;

    given.likelihood = NULL;
    given.state = NULL;
    int status = lay(c, j, &given, worker, &plain);

    /* The others, each with what it has beyond what it takes. */
    for (int i = 0; !status && ckg__likelihoods[i]; i++) {
        const double needed = needed_for(c->models, j, ckg__likelihoods[i]);
        struct ckg__fitted with = given;
        double evidence;
        with.likelihood = ckg__likelihoods[i];
        if (!(needed < INFINITY))
            continue;
        status = fit_by(c, j, worker, &plain, needed, &with, &evidence);
        if (!status && evidence - needed > most) {
            most = evidence - needed;
            best = with;
        }
    }
    if (status || (!best.likelihood && !s->fitted.likelihood))
        return status;

    /* The best of them, or the one that is given. */
    status = fit_given(&plain, &s->fitted, &given, &density, &c->models->arena[worker]);
    if (status)
        return status;
    if (most > density)
        return ckg__fitted_copy(&s->fitted, &best);
    return s->fitted.likelihood ? ckg__fitted_copy(&s->fitted, &given) : CKG_OK;
}

static void choice_task(void *context, int index, int worker)
{
    const struct choice *c = context;
    struct ckg__arena *arena = &c->models->arena[worker];
    struct ckg__arena_mark mark = ckg__arena_mark(arena);

    c->status[index] = choose(c, c->outcome[index], worker);
    ckg__arena_release(arena, mark);
}

int ckg__choose_likelihoods(struct ckg__surrogates *models, int trials)
{
    struct ckg__arena_mark mark = ckg__arena_mark(&models->own);
    const int outcomes = models->data->problem->outcomes;
    struct choice c = {.models = models, .trials = trials};

    if (models->lead)
        return CKG_OK;
    if (CKG__TAKE(&models->own, CKG__ROOM(c.outcome, outcomes), CKG__ROOM(c.status, outcomes)))
        return CKG_ERR_NOMEM;
    for (int j = 0; j < outcomes; j++)
        if (!ckg__surrogates_shared(models, j) && may_choose(models, j))
            c.outcome[c.count++] = j;
    const int status = ckg__surrogates_run(models, c.count, choice_task, &c, c.status);
    ckg__arena_release(&models->own, mark);
    return status;
}
