/*
 * A study's life: options, trials, results. Every public function checks everything before it changes
 * anything.
 */
#include "study/study.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/sized.h"
#include "base/threads.h"
#include "design/allowed.h"
#include "design/sequence.h"

int ckg_options_init(ckg_options *options, int version)
{
    ckg__error_clear();
    if (!options || version != CKG_OPTIONS_VERSION)
        return ckg__fail(CKG_ERR_INVALID, "ckg_options_init: there is no version %d", version);
    *options = (ckg_options)CKG_OPTIONS_INIT;
    return CKG_OK;
}

static int find_name(const char *what, const char *name, const char *const *names, int count, int *index)
{
    for (int i = 0; name && i < count; i++)
        if (!strcmp(names[i], name)) {
            *index = i;
            return CKG_OK;
        }
    return ckg__fail(CKG_ERR_INVALID, "options: unknown %s '%s'", what, name ? name : "(null)");
}

/* Beyond this it is a slip: nobody begins with so many designs. */
enum { MOST_INITIAL = 100000 };

static int check_options(const ckg_options *o)
{
    if (o->version != CKG_OPTIONS_VERSION)
        return ckg__fail(CKG_ERR_INVALID, "options: there is no version %d; start from CKG_OPTIONS_INIT",
                         o->version);
    if (o->threads < 0 || o->threads > CKG__MAX_THREADS)
        return ckg__fail(CKG_ERR_INVALID, "options: threads must be from 0 to %d, not %d", CKG__MAX_THREADS,
                         o->threads);
    if (o->initial < -1 || o->initial > MOST_INITIAL)
        return ckg__fail(CKG_ERR_INVALID, "options: initial must be from -1 to %d, not %d", MOST_INITIAL,
                         o->initial);
    if (o->budget < 0)
        return ckg__fail(CKG_ERR_INVALID, "options: budget must be 0 or more, not %d", o->budget);
    return ckg__options_check(o);
}

/* The study's value of the policy's parameter of that name, or NAN. */
static double setting_named(const ckg_study *s, const char *name)
{
    for (int i = 0; i < s->policy->count; i++)
        if (!strcmp(s->policy->parameters[i].name, name))
            return s->given[i];
    return NAN;
}

/* The policy of the last evaluation, where one is named. */
static int apply_final_policy(ckg_study *s, const ckg_options *o)
{
    s->budget = o->budget;
    if (!o->final_policy || !*o->final_policy)
        return CKG_OK;
    s->final_policy = ckg__policy_find(o->final_policy);
    assert(s->final_policy);
    if (!o->budget)
        return ckg__fail(CKG_ERR_INVALID,
                         "options: final_policy '%s' needs a budget, which says which evaluation is the last",
                         o->final_policy);
    return CKG_OK;
}

static int apply_options(ckg_study *s, const ckg_options *o)
{
    static const char *const failures[] = {"ignore", "model"};
    const int kernel = ckg__option_word("kernel", o->kernel);
    const int fit = ckg__option_word("fit", o->fit);
    const int preset = ckg__option_word("preset", o->preset);
    int status = find_name("failures", o->failures, failures, 2, &s->models.failures);

    assert(kernel >= 0 && fit >= 0 && preset >= 0);
    if (status)
        return status;

    /* The policies. */
    s->policy = o->policy ? ckg__policy_find(o->policy) : NULL;
    if (!s->policy)
        return ckg__fail(CKG_ERR_INVALID, "options: unknown policy '%s'", o->policy ? o->policy : "(null)");
    status = ckg__policy_settings(s->policy, o->settings_count, o->settings, s->given);
    if (!status)
        status = apply_final_policy(s, o);
    if (status)
        return status;

    /* The models; the paper's authors had one kernel, plain maximum likelihood, no warp, and M = 0. */
    s->models.choose_kernel = kernel == CKG__KERNELS && !preset;
    s->models.kernel = kernel == CKG__KERNELS ? CKG__RBF : (enum ckg__kernel)kernel;
    s->models.method = preset && fit == CKG__FIT_AUTO ? CKG__FIT_ML : (enum ckg__fit_method)fit;
    s->models.samples = o->samples;
    s->models.warp = o->warp && !preset;
    s->models.vary = s->models.method != CKG__FIT_ML && !preset;
    const double penalty = isnan(o->penalty) ? setting_named(s, CKG__PENALTY) : o->penalty;
    s->penalty = preset && isnan(penalty) ? 0 : penalty;

    /* The search. */
    s->models.seed = s->seed = o->seed;
    s->size = preset ? ckg__search_size_paper : ckg__search_size_one;
    s->size_sampled = preset ? ckg__search_size_paper : ckg__search_size_sampled;
    s->time_limit = o->time_limit;
    s->initial = o->initial >= 0 ? o->initial : ckg__design_size(s->problem->d);
    return CKG_OK;
}

static int threads_wanted(const ckg_options *o)
{
    if (o->threads > 0)
        return o->threads;
    const int processors = ckg__processors();
    return processors > CKG__MAX_THREADS ? CKG__MAX_THREADS : processors;
}

static int study_fill(ckg_study *s, const ckg_problem *problem, const ckg_options *o)
{
    int status = check_options(o);

    if (!status)
        status = ckg__problem_check_costs(problem);
    if (!status)
        status = ckg__problem_copy(&s->problem, problem);
    if (!status)
        status = ckg__allowed_find(s->problem);
    if (status)
        return status;
    ckg__data_init(&s->data, s->problem);
    s->threads = threads_wanted(o);
    s->arena = ckg__alloc_zero((size_t)s->threads, sizeof *s->arena);
    if (!s->arena)
        return CKG_ERR_NOMEM;
    ckg__arena_init(&s->results);
    status = ckg__pool_new(&s->pool, s->threads);
    if (!status)
        ckg__pool_watch(s->pool, &s->interrupt);
    if (!status)
        status = ckg__surrogates_init(&s->models, &s->data, s->pool, s->arena);
    if (!status)
        status = ckg__surrogates_init(&s->calibrated, &s->data, s->pool, s->arena);
    s->scope = (struct ckg__scope){.problem = s->problem, .data = &s->data, .models = &s->models};
    s->stated = &s->models;
    s->revision = 1;
    return status ? status : apply_options(s, o);
}

int ckg_study_new(ckg_study **out, const ckg_problem *problem, const ckg_options *options)
{
    static const ckg_options defaults = CKG_OPTIONS_INIT;

    ckg__error_clear();
    if (!out)
        return ckg__fail(CKG_ERR_INVALID, "ckg_study_new: out is NULL");
    *out = NULL;
    if (!problem || !problem->d)
        return ckg__fail(CKG_ERR_INVALID, "a study needs a problem with at least one parameter");
    ckg_study *s = ckg__alloc_zero(1, sizeof *s);
    if (!s)
        return CKG_ERR_NOMEM;
    const int status = study_fill(s, problem, options ? options : &defaults);
    if (status) {
        ckg_study_free(s);
        return status;
    }
    *out = s;
    return CKG_OK;
}

void ckg_study_free(ckg_study *s)
{
    if (!s)
        return;
    ckg__policy_free_kept(s->kept);
    ckg__surrogates_free(&s->calibrated);
    ckg__surrogates_free(&s->models);
    ckg__data_free(&s->data);
    for (int i = 0; s->arena && i < s->threads; i++)
        ckg__arena_free(&s->arena[i]);
    ckg__arena_free(&s->results);
    ckg__free(s->arena);
    ckg__pool_free(s->pool);
    ckg__free(s->design);
    ckg_problem_free(s->problem);
    ckg__free(s);
}

const ckg_problem *ckg_study_problem(const ckg_study *s)
{
    return s ? s->problem : NULL;
}

int ckg_study_set_interrupt(ckg_study *s, int (*interrupt)(void *context), void *context)
{
    ckg__error_clear();
    if (!s)
        return ckg__fail(CKG_ERR_INVALID, "ckg_study_set_interrupt: study is NULL");
    s->interrupt.callback = interrupt;
    s->interrupt.context = context;
    return CKG_OK;
}

static int check_pending(const ckg_study *s, int trial)
{
    static const char *const states[] = {"pending", "complete", "failed", "cancelled"};

    if (!s)
        return ckg__fail(CKG_ERR_INVALID, "the study is NULL");
    if (trial < 0 || trial >= s->data.trials)
        return ckg__fail(CKG_ERR_NOT_FOUND, "there is no trial %d", trial);
    if (s->data.trial[trial].state != CKG_PENDING)
        return ckg__fail(CKG_ERR_STATE, "trial %d is already %s", trial, states[s->data.trial[trial].state]);
    return CKG_OK;
}

int ckg_study_add(ckg_study *s, const double *x, int *trial)
{
    ckg__error_clear();
    if (!s || !x || !trial)
        return ckg__fail(CKG_ERR_INVALID, "ckg_study_add: a NULL argument");
    if (ckg__problem_check_design(s->problem, x))
        return CKG_ERR_INVALID;
    return ckg__data_add(&s->data, x, trial);
}

int ckg_study_want(ckg_study *s, int trial, int count, const int *outcomes)
{
    struct ckg__set set = {{0}};

    ckg__error_clear();
    const int status = check_pending(s, trial);
    if (status)
        return status;
    if (count < 1 || !outcomes)
        return ckg__fail(CKG_ERR_INVALID, "trial %d: a trial measures one outcome or more", trial);
    for (int i = 0; i < count; i++) {
        if (outcomes[i] < 0 || outcomes[i] >= s->problem->outcomes)
            return ckg__fail(CKG_ERR_NOT_FOUND, "there is no outcome %d", outcomes[i]);
        ckg__set_put(&set, outcomes[i]);
    }
    s->data.trial[trial].wanted = set;
    return CKG_OK;
}

int ckg_study_wants(const ckg_study *s, int trial, int outcome)
{
    if (!s || trial < 0 || trial >= s->data.trials || outcome < 0 || outcome >= s->problem->outcomes)
        return -1;
    return ckg__trial_wants(&s->data.trial[trial], outcome);
}

double ckg_study_trial_cost(const ckg_study *s, int trial)
{
    if (!s || !s->problem->separate || trial < 0 || trial >= s->data.trials)
        return NAN;
    return ckg__data_cost(&s->data, trial);
}

double ckg_study_spent(const ckg_study *s)
{
    return s && s->problem->separate ? ckg__data_spent(&s->data) : NAN;
}

static int tell_checked(ckg_study *s, int trial, int count, const ckg_measurement *measured)
{
    int status = ckg__problem_check_measured(s->problem, count, measured);

    if (!status)
        status = ckg__data_tell(&s->data, trial, count, measured);
    if (!status)
        s->revision++;
    return status;
}

int ckg_study_tell_measured(ckg_study *s, int trial, int count, const ckg_measurement *measured)
{
    ckg__error_clear();
    const int status = check_pending(s, trial);
    if (status)
        return status;
    if (count < 1 || count > s->problem->outcomes || !measured)
        return ckg__fail(CKG_ERR_INVALID, "trial %d: %d measured values, where 1 to %d are possible", trial,
                         count, s->problem->outcomes);
    return tell_checked(s, trial, count, measured);
}

int ckg_study_tell(ckg_study *s, int trial, const double *values)
{
    ckg_measurement all[1 + CKG_MAX_CONSTRAINTS];

    ckg__error_clear();
    const int status = check_pending(s, trial);
    if (status)
        return status;
    if (!values)
        return ckg__fail(CKG_ERR_INVALID, "trial %d: values is NULL", trial);
    for (int j = 0; j < s->problem->outcomes; j++)
        all[j] = (ckg_measurement){j, values[j], CKG_SD_DEFAULT};
    return tell_checked(s, trial, s->problem->outcomes, all);
}

int ckg_study_tell_failed(ckg_study *s, int trial)
{
    ckg__error_clear();
    const int status = check_pending(s, trial);
    if (status)
        return status;
    s->data.trial[trial].state = CKG_FAILED;
    s->revision++;
    return CKG_OK;
}

int ckg_study_cancel(ckg_study *s, int trial)
{
    ckg__error_clear();
    const int status = check_pending(s, trial);
    if (!status)
        s->data.trial[trial].state = CKG_CANCELLED;
    return status;
}

int ckg_study_trials(const ckg_study *s)
{
    return s ? s->data.trials : -1;
}

int ckg_study_trial_sized(const ckg_study *s, int trial, ckg_trial *out, size_t size)
{
    ckg__error_clear();
    if (!s || !out)
        return ckg__fail(CKG_ERR_INVALID, "ckg_study_trial: a NULL argument");
    if (trial < 0 || trial >= s->data.trials)
        return ckg__fail(CKG_ERR_NOT_FOUND, "there is no trial %d", trial);
    const struct ckg__trial *t = &s->data.trial[trial];
    const ckg_trial record = {
        .state = (int)t->state,
        .x = s->data.x + (size_t)t->design * (size_t)s->problem->d,
        .count = t->count,
        .measured = t->measured,
        .feasible = ckg__data_feasible(&s->data, t),
    };

    ckg__fill_sized(out, size, &record, sizeof record);
    return CKG_OK;
}

int ckg_study_best(const ckg_study *s)
{
    return s ? ckg__data_best(&s->data) : -1;
}
