/*
 * Asking: the flow from data to a suggestion. While the initial design lasts its points come in order; then
 *     beliefs → what is under way → what the policy looks at → its choice → what else when it stalls.
 */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "design/allowed.h"
#include "problem/rules.h"
#include "study/study.h"
#include "policy/measurement.h"

/* --- beginning and ending a search --- */

static int pending_count(const ckg_study *s)
{
    int count = 0;
    for (int t = 0; t < s->data.trials; t++)
        count += s->data.trial[t].state == CKG_PENDING;
    return count;
}

/* A search for the policy, which may be NULL, that knows the study but for what the models say. */
static struct ckg__search make_search(ckg_study *s, const struct ckg__policy *policy)
{
    return (struct ckg__search){
        .scope = &s->scope,
        .revision = s->revision,
        .initial = s->initial,
        .budget = s->problem->separate ? 0 : s->budget,
        .size = s->size,
        .policy = policy,
        .pool = s->pool,
        .arena = s->arena,
        .results = &s->results,
        .seed = s->seed,
        .stream = policy ? (uint64_t)s->data.trials : s->revision,
        .deadline = INFINITY,
        .penalty = s->penalty,
        .budget_left = INFINITY,
        .kept = policy ? &s->kept[ckg__policy_index(policy)] : NULL,
    };
}

int ckg__study_believe(ckg_study *s, const struct ckg__policy *policy, double started,
                       struct ckg__search *search)
{
    assert(s->revision > 0);
    *search = make_search(s, policy);
    s->stated = &s->models;
    if (policy && policy->traits & CKG__TRAIT_NO_MODEL)
        return CKG_OK;

    /* What is believed, and how hard that makes it to look. */
    search->deadline = s->time_limit > 0 ? started + s->time_limit : INFINITY;
    int status = ckg__surrogates_update(&s->models, s->revision, pending_count(s));
    search->size = s->models.beliefs > 1 ? s->size_sampled : s->size;
    if (!status && policy)
        status = ckg__policy_set(policy, policy == s->policy ? s->given : NULL, search);

    /* And what is under way. */
    ckg__interrupt_stage(&s->interrupt, 1);
    if (!status && policy)
        status = ckg__surrogates_condition(&s->models, (policy->traits & CKG__TRAIT_CERTAIN) != 0);
    return status;
}

int ckg__study_begin_search(ckg_study *s, const struct ckg__policy *policy, struct ckg__search *search)
{
    int status = ckg__study_believe(s, policy, ckg__clock(), search);

    search->everywhere = 1;
    if (!status)
        status = ckg__policy_narrow(policy, search);
    return status ? status : ckg__policy_begin(policy, search);
}

int ckg__study_end_search(ckg_study *s, int status)
{
    const struct ckg__arena_mark start = {NULL, 0};

    if (s->models.revision)
        ckg__surrogates_release(&s->models);
    ckg__policy_release_kept(s->kept);
    for (int i = 0; i < s->threads; i++)
        ckg__arena_release(&s->arena[i], start);
    ckg__arena_release(&s->results, start);

    /* What an interrupted search fell over means nothing. */
    if (!ckg__interrupt_end(&s->interrupt))
        return status;
    ckg__error_clear();
    return ckg__fail(CKG_ERR_CANCELLED, "%s", ckg_status_text(CKG_ERR_CANCELLED));
}

/* --- the initial design --- */

/* The points of the initial design, n × D in the cube, which are kept. */
static int make_design(ckg_study *s)
{
    struct ckg__rng rng;

    s->design = ckg__alloc((size_t)s->initial * (size_t)s->problem->D, sizeof *s->design);
    if (!s->design)
        return CKG_ERR_NOMEM;
    ckg__rng_seed(&rng, s->seed, 0, CKG__FOR_INITIAL_DESIGN);
    const int status = ckg__allowed_design(s->problem, &rng, s->initial, s->design, &s->results,
                                           &s->interrupt);
    if (status) {
        ckg__free(s->design);
        s->design = NULL;
    }
    return status;
}

/* A design of the study once more, to the last bit. */
static void choose_again(const ckg_study *s, int design, struct ckg__choice *choice)
{
    static const struct ckg__way repeat = {
        "repeat", "repeat", "The best design so far once more, to see whether there is noise."};
    const size_t D = (size_t)s->problem->D;

    memcpy(choice->u, s->data.u + (size_t)design * D, D * sizeof *choice->u);
    choice->again = 1 + design;
    choice->way = &repeat;
}

/*
 * The next point of the initial design, or any free design where that one is taken; its last one is there to
 * learn whether there is noise.
 */
static int from_design(ckg_study *s, struct ckg__choice *choice)
{
    static const struct ckg__way initial = {
        "design", "initial", "A point of the initial design, which fills the space before models choose."};
    const int in_design = s->data.trials < s->initial;
    double x[CKG_MAX_PARAMETERS];
    struct ckg__search search = make_search(s, s->policy);

    const int again = ckg__study_repeat_due(s);
    choice->found = again >= 0;
    if (choice->found) {
        choose_again(s, again, choice);
        return CKG_OK;
    }
    if (in_design) {
        const int status = s->design ? CKG_OK : make_design(s);
        if (status)
            return status;
        memcpy(choice->u, s->design + (size_t)s->data.trials * (size_t)s->problem->D,
               (size_t)s->problem->D * sizeof *choice->u);
        choice->found = !ckg__search_taken(&search, choice->u, x);
    }
    const int status = choice->found ? CKG_OK : ckg__search_any(&search, choice);
    choice->way = in_design ? &initial : choice->way;
    return status;
}

/* --- the policy --- */

/*
 * 1 when the next trial is the last of the budget and has a policy of its own; with costs, when what is left
 * would pay for everything once at most.
 */
static int final_step(const ckg_study *s)
{
    int count = 0;
    if (s->final_policy && s->problem->separate)
        return s->budget - ckg__data_spent(&s->data) <= ckg__problem_full_price(s->problem);
    for (int t = 0; s->final_policy && t < s->data.trials; t++)
        count += s->data.trial[t].state != CKG_CANCELLED;
    return s->final_policy && count == s->budget - 1;
}

/*
 * 1 when the choice shows that the search has stalled. The paper's authors had no rule for that, and a last
 * evaluation is not for new ground.
 */
static int is_stalled(const ckg_study *s, const struct ckg__policy *policy, const struct ckg__search *search,
                      const struct ckg__choice *choice)
{
    return choice->found && policy->stalled && !search->size.paper && !final_step(s) &&
           policy->stalled(search, choice);
}

/* 1 when the policy looks at all outcomes through the study's models. */
static int sees_all(const struct ckg__policy *policy)
{
    const unsigned blind = CKG__TRAIT_NO_MODEL | CKG__TRAIT_OBJECTIVE_ONLY;

    return !(policy->traits & blind) && (!policy->narrow || policy->narrow == &ckg__trust_region);
}

int ckg__study_measures_apart(const ckg_study *s, const struct ckg__policy *policy)
{
    return ckg__problem_units(s->problem) > 1 && sees_all(policy);
}

/*
 * 1 while a constraint has only ever answered no. Then nothing says which way a yes may lie: the most likely
 * designs are the corners, and no design is nearer to feasible than another, so that a neighbourhood would be
 * that of any: it explores.
 */
static int must_explore(const ckg_study *s, const struct ckg__policy *policy)
{
    for (int j = 1; j < s->problem->outcomes; j++)
        if (s->problem->outcome[j].yesno && ckg__data_refused(&s->data, j))
            return sees_all(policy) && !s->size.paper;
    return 0;
}

/* What is left of the budget. */
static double budget_left(const ckg_study *s)
{
    return s->budget ? s->budget - ckg__data_spent(&s->data) : INFINITY;
}

/* What to measure at the design, where the policy did not say: on new ground everything. */
static int choose_outcomes(struct ckg__search *search, struct ckg__choice *choice)
{
    if (!search->apart || !ckg__set_empty(&choice->measure))
        return CKG_OK;
    choice->measure = ckg__problem_all(search->scope->problem);
    const int paid = ckg__problem_full_price(search->scope->problem) <= search->budget_left;
    return isnan(choice->value) && paid ? CKG_OK : ckg__measure_at_choice(search, choice);
}

/* The choice of a local search as a design of the study, or any if that one is taken. */
static int to_study(const struct ckg__search *local, struct ckg__choice *choice)
{
    static const struct ckg__way way = {
        "local", "local",
        "The most promising design near the best one, by models of that neighbourhood: looking "
        "everywhere had stopped helping."};
    const struct ckg__scope *scope = local->scope;
    struct ckg__search search = *local;
    double x[CKG_MAX_PARAMETERS];

    search.scope = scope->outer;
    choice->value = ckg__policy_in_units(choice->by, scope->models, choice->value);
    choice->in_units = 1;
    choice->way = &way;
    if (choice->found)
        scope->to_outer(scope, choice->u);

    /* On a rule's limit the way there may round it to the other side. */
    if (choice->found && ckg__ruled(search.scope->problem))
        ckg__allowed_nearest(search.scope->problem, NULL, NULL, choice->u, NULL);
    choice->found = choice->found && !ckg__search_taken(&search, choice->u, x);
    return choice->found ? CKG_OK : ckg__search_any(&search, choice);
}

/*
 * One suggestion of the policy: of a design and what to measure there (`apart`), or as if all outcomes came
 * together.
 */
static int suggest(ckg_study *s, const struct ckg__policy *policy, double started, int apart,
                   struct ckg__search *search, struct ckg__choice *choice)
{
    const int explore = must_explore(s, policy);

    /* Fit the models and condition them on pending trials; equalities are relaxed at first. */
    int status = ckg__study_believe(s, policy, started, search);
    if (!status)
        status = ckg__study_relax(s, &search->scope);
    choice->seconds.fit = ckg__clock() - started;

    /* Narrow the scope to a trust region, where one is due; then M, points and x_r. */
    search->apart = apart;
    search->budget_left = budget_left(s);
    search->everywhere = final_step(s) || apart || explore;
    if (!status)
        status = ckg__policy_narrow(policy, search);
    if (!status)
        status = ckg__policy_begin(policy, search);
    choice->seconds.recommend = ckg__clock() - started - choice->seconds.fit;

    /* Maximise the acquisition; a local choice becomes one of the study, and says nothing of the rest. */
    if (!status)
        status = explore ? ckg__search_fill_gaps(search, choice)
                         : ckg__policy_suggest(policy, search, choice);
    if (!status && search->scope->to_outer)
        return to_study(search, choice);

    /* Fall back where that stalls, or finds nothing; then what to measure. */
    if (!status && !explore && is_stalled(s, policy, search, choice))
        status = policy->fallback(search, choice);
    if (!status && !choice->found)
        status = ckg__search_any(search, choice);
    return status || !choice->found ? status : choose_outcomes(search, choice);
}

/* The same again as if all outcomes came together; what is sure at the design need not be measured. */
static int suggest_together(ckg_study *s, const struct ckg__policy *policy, double started,
                            struct ckg__choice *choice)
{
    struct ckg__search search;

    ckg__surrogates_release(&s->models);
    ckg__policy_release_kept(s->kept);
    *choice = (struct ckg__choice){.u = choice->u, .value = NAN, .by = policy};
    const int status = suggest(s, policy, started, 0, &search, choice);
    if (status || !choice->found || isnan(choice->value))
        return status;
    search.scope = ckg__scope_of_study(search.scope);
    search.apart = 1;
    return ckg__measure_unsure(&search, choice);
}

static int from_policy(ckg_study *s, const struct ckg__policy *policy, double started,
                       struct ckg__choice *choice)
{
    struct ckg__search search;
    const int status = suggest(s, policy, started, ckg__study_measures_apart(s, policy), &search, choice);

    if (status || !choice->together || ckg__problem_full_price(s->problem) > budget_left(s))
        return status;
    return suggest_together(s, policy, started, choice);
}

/*
 * Any free design, where the time limit has overtaken the models, or the policy before it had anything to
 * suggest.
 */
static int from_nothing(ckg_study *s, struct ckg__choice *choice)
{
    struct ckg__search search = make_search(s, s->policy);

    ckg__error_clear();
    ckg__interrupt_stage(&s->interrupt, 0);
    return ckg__search_any(&search, choice);
}

/* --- the suggestion --- */

/* One block for the struct and its arrays. */
static ckg_suggestion *suggestion_new(int d, int K)
{
    const size_t numbers = (size_t)d + 2 * (1 + (size_t)K) + (size_t)K;
    const size_t header = (sizeof(ckg_suggestion) + 63) / 64 * 64;
    char *block = ckg__alloc(header + numbers * sizeof(double) + (1 + (size_t)K) * sizeof(int), 1);

    if (!block)
        return NULL;
    ckg_suggestion *out = (ckg_suggestion *)(void *)block;
    double *at = (double *)(void *)(block + header);
    *out = (ckg_suggestion){.dimension = d,
                            .constraints = K,
                            .x = at,
                            .mean = at + d,
                            .sd = at + d + 1 + K,
                            .probability = at + d + 2 * (1 + K),
                            .measure = (int *)(void *)(at + numbers)};
    return out;
}

void ckg_suggestion_free(ckg_suggestion *suggestion)
{
    ckg__free(suggestion);
}

/* Predictions for the design in the suggestion, or NANs while there is no model. */
static int describe(ckg_study *s, const double *u, int modelled, ckg_suggestion *out)
{
    double *mean = (double *)out->mean;
    double *sd = (double *)out->sd;
    double *probability = (double *)out->probability;

    if (modelled)
        return ckg__study_predict_at(s, u, mean, sd, probability, &out->probability_feasible);
    for (int j = 0; j <= out->constraints; j++)
        mean[j] = sd[j] = NAN;
    for (int j = 0; j < out->constraints; j++)
        probability[j] = NAN;
    out->probability_feasible = NAN;
    return CKG_OK;
}

/* How it came about, who chose it, and why. */
static void say_why(const struct ckg__choice *choice, ckg_suggestion *out)
{
    const struct ckg__way *way = choice->way;
    const char *best = "Of the designs that were compared it has the largest value of the policy.";

    out->path = way ? way->path : choice->by->name;
    out->chosen_by = way && way->chosen_by ? way->chosen_by : choice->by->name;
    out->reason = way ? way->reason : choice->by->reason ? choice->by->reason : best;
}

/* Which outcomes to measure, and what that costs. */
static void say_what_to_measure(const ckg_study *s, const struct ckg__set *chosen, ckg_suggestion *out)
{
    const struct ckg__set set = ckg__set_empty(chosen) ? ckg__problem_all(s->problem) : *chosen;

    out->measures = 0;
    for (int j = 0; j < s->problem->outcomes; j++)
        if (ckg__set_has(&set, j))
            ((int *)out->measure)[out->measures++] = j;
    out->cost = s->problem->separate ? ckg__problem_price(s->problem, &set) : NAN;
}

/* The policy of the next trial. */
static const struct ckg__policy *policy_now(const ckg_study *s)
{
    return final_step(s) ? s->final_policy : s->policy;
}

/* 1 when it is the policy's turn: after the initial design, and once there is something to go by. */
static int policy_ready(const ckg_study *s, const struct ckg__policy *policy)
{
    const int bare = policy->traits & CKG__TRAIT_NO_MODEL;
    return (final_step(s) || s->data.trials >= s->initial) && (bare || ckg__data_measured(&s->data, 0));
}

static int ask(ckg_study *s, ckg_suggestion *out, double *u)
{
    const double started = ckg__clock();
    const struct ckg__policy *policy = policy_now(s);
    const int ready = policy_ready(s, policy);
    int modelled = ready && !(policy->traits & CKG__TRAIT_NO_MODEL);
    struct ckg__choice choice = {.u = u, .value = NAN, .by = policy};

    /* The design. */
    int status = ready ? from_policy(s, policy, started, &choice) : from_design(s, &choice);
    if (status && modelled && ckg__interrupt_expired(&s->interrupt) && !ckg__interrupted(&s->interrupt)) {
        status = from_nothing(s, &choice);
        modelled = s->models.revision > 0;
    }
    if (!status && !choice.found)
        status = ckg__fail(CKG_ERR_EXHAUSTED, "every design has been evaluated or is pending");

    /* What is expected of it. */
    if (!status) {
        if (choice.again)
            memcpy((double *)out->x, s->data.x + (size_t)(choice.again - 1) * (size_t)s->problem->d,
                   (size_t)s->problem->d * sizeof *out->x);
        else
            ckg__problem_from_unit(s->problem, u, (double *)out->x);
        assert(ckg__rules_allow(s->problem, out->x));
        status = describe(s, u, modelled, out);
    }
    out->value = !modelled         ? NAN
                 : choice.in_units ? choice.value
                                   : ckg__policy_in_units(choice.by, &s->models, choice.value);
    out->candidates = choice.candidates;
    say_why(&choice, out);
    say_what_to_measure(s, &choice.measure, out);

    /* From here on it is pending, unless the caller has given up. */
    if (!status && ckg__interrupted(&s->interrupt))
        status = CKG_ERR_CANCELLED;
    if (!status)
        status = ckg__data_add(&s->data, out->x, &out->trial);
    if (!status)
        s->data.trial[out->trial].wanted = choice.measure;
    out->seconds = choice.seconds;
    out->seconds.total = ckg__clock() - started;
    return status;
}

/* --- before it is asked --- */

int ckg_study_is_prepared(const ckg_study *s)
{
    if (!s)
        return 0;
    const struct ckg__policy *policy = policy_now(s);
    const int bare = !policy_ready(s, policy) || policy->traits & CKG__TRAIT_NO_MODEL;

    /* A suggestion with a time limit shares it out between its models and its search. */
    return bare || s->time_limit > 0 || s->models.revision == s->revision;
}

int ckg_study_prepare(ckg_study *s)
{
    ckg__error_clear();
    if (!s)
        return ckg__fail(CKG_ERR_INVALID, "ckg_study_prepare: a NULL argument");
    if (ckg_study_is_prepared(s))
        return CKG_OK;
    ckg__interrupt_begin(&s->interrupt, 0);
    return ckg__study_end_search(s, ckg__surrogates_update(&s->models, s->revision, pending_count(s) + 1));
}

/* --- asking --- */

int ckg_study_ask(ckg_study *s, ckg_suggestion **out)
{
    ckg__error_clear();
    if (!s || !out)
        return ckg__fail(CKG_ERR_INVALID, "ckg_study_ask: a NULL argument");
    *out = NULL;
    ckg__interrupt_begin(&s->interrupt, s->time_limit);
    ckg_suggestion *suggestion = suggestion_new(s->problem->d, s->problem->outcomes - 1);
    double *u = ckg__alloc((size_t)s->problem->D, sizeof *u);
    const int status = ckg__study_end_search(s, suggestion && u ? ask(s, suggestion, u) : CKG_ERR_NOMEM);
    ckg__free(u);
    if (status) {
        ckg_suggestion_free(suggestion);
        return status;
    }
    *out = suggestion;
    return CKG_OK;
}
