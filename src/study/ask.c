/*
 * Asking: the flow from data to a suggestion. While the initial design lasts its points come in order; then
 *     models → pending → points → x_r → policy → suggestion.
 */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "design/sequence.h"
#include "linalg/normal.h"
#include "study/study.h"

enum { LHS_TRIES = 20, EXPLORE = 400 };

/*
 * Below this share of sd(y) a knowledge gradient says that the search has stalled: under noise because it
 * thinks it knows more than it does, without because it is down to the last digits. Then every second trial
 * explores, without noise every third, since another feasible region may be waiting.
 */
static const double stagnant_noisy = 1e-4, stagnant_exact = 1e-5;

static int pending_count(const ckg_study *s)
{
    int count = 0;
    for (int t = 0; t < s->data.trials; t++)
        count += s->data.trial[t].state == CKG_PENDING;
    return count;
}

/*
 * Nodes of Z_c: midpoints of equal strata for one constraint, scrambled Sobol for more, the authors' three
 * values as a product to K = 3. With Sobol the nodes of a smaller number are the first of a larger.
 */
static int make_nodes(ckg_study *s, struct ckg__search *search, int count, struct ckg__nodes *nodes)
{
    static const double paper[3] = {-2.64, 0, 2.64};
    const int K = search->outlook[0].belief->outcomes - 1, product = search->effort.paper && K <= 3;
    count = K == 0 ? 1 : count;
    for (int j = 0; product && j < K; j++)
        count = j ? 3 * count : 3;
    double *z = ckg__arena_doubles(search->results, (size_t)count * (size_t)(K ? K : 1));
    if (!z)
        return CKG_ERR_NOMEM;
    if (K > 1 && !product)
        ckg__design_sobol(s->seed, 0, count, K, z);
    for (int q = 0; q < count; q++)
        for (int j = 0, digit = q; j < K; j++, digit /= 3) {
            double *at = &z[q * K + j];
            *at = product ? paper[digit % 3] : ckg__normal_quantile(K == 1 ? (q + 0.5) / count : *at);
        }
    *nodes = (struct ckg__nodes){count, K, z};
    return CKG_OK;
}

/* The belief of a policy that takes one of them by chance. */
static size_t drawn_belief(const struct ckg__search *search, const struct ckg__models *models)
{
    struct ckg__rng rng;
    ckg__rng_seed(&rng, search->seed, search->stream, 5);
    return (size_t)ckg__rng_below(&rng, models->beliefs);
}

/* The outlooks with their beliefs; a policy for the objective alone gets copies that know no constraint. */
static int make_outlooks(ckg_study *s, const struct ckg__policy *policy, struct ckg__models *models,
                         struct ckg__search *search)
{
    const size_t count = (size_t)search->outlooks;
    const int alone = policy && policy->traits & CKG__TRAIT_OBJECTIVE_ONLY;
    search->outlook = ckg__arena_get(&s->results, count, sizeof *search->outlook);
    struct ckg__belief *copies = alone ? ckg__arena_get(&s->results, count, sizeof *copies) : NULL;
    if (!search->outlook || (alone && !copies))
        return CKG_ERR_NOMEM;
    const size_t first = policy && policy->traits & CKG__TRAIT_ONE_BELIEF ? drawn_belief(search, models) : 0;
    for (size_t b = 0; b < count; b++) {
        struct ckg__belief *full = &models->belief[first + b];
        if (alone) {
            copies[b] = *full;
            copies[b].outcomes = 1;
        }
        search->outlook[b] = (struct ckg__outlook){.belief = alone ? &copies[b] : full, .full = full};
    }
    return CKG_OK;
}

/* What each trial measured of the objective, in model units. */
static int make_objective(ckg_study *s, struct ckg__search *search)
{
    double *y = ckg__arena_doubles(&s->results, (size_t)s->data.trials + 1);
    if (!y)
        return CKG_ERR_NOMEM;
    for (int t = 0; t < s->data.trials; t++) {
        y[t] = NAN;
        for (int i = 0; i < s->data.trial[t].count; i++)
            if (s->data.trial[t].measured[i].outcome == 0)
                y[t] = ckg__scaling_apply(&s->models.surrogate[0].scaling,
                                          s->data.trial[t].measured[i].value);
    }
    search->objective = y;
    return CKG_OK;
}

/* The policy's settings: the study's own, or the standards of another policy. */
static int make_settings(ckg_study *s, const struct ckg__policy *policy, struct ckg__search *search)
{
    double *standards = ckg__arena_doubles(&s->results, CKG__MAX_SETTINGS);
    if (!standards)
        return CKG_ERR_NOMEM;
    ckg__policy_standards(policy, standards);
    search->setting = policy == s->policy ? s->setting : standards;
    if (policy->prepare && !search->effort.paper)
        policy->prepare(search);
    return CKG_OK;
}

int ckg__study_begin_search(ckg_study *s, const struct ckg__policy *policy, struct ckg__search *search,
                            double started, double *fit_seconds)
{
    const double clock = ckg__clock();
    int status = ckg__models_update(&s->models, s->revision, pending_count(s));
    if (!status && policy)
        status = ckg__models_condition(&s->models, (policy->traits & CKG__TRAIT_CERTAIN) != 0);
    *fit_seconds = ckg__clock() - clock;
    *search = (struct ckg__search){
        .problem = s->problem,
        .data = &s->data,
        .effort = s->models.beliefs > 1 ? s->effort_sampled : s->effort,
        .pool = s->pool,
        .arena = s->arena,
        .results = &s->results,
        .seed = s->seed,
        .stream = policy ? (uint64_t)s->data.trials : s->revision,
        .deadline = s->time_limit > 0 ? started + s->time_limit : INFINITY,
        .outlooks = policy && policy->traits & CKG__TRAIT_ONE_BELIEF ? 1 : s->models.beliefs,
        .automatic_penalty = isnan(s->models.fixed_penalty),
    };
    if (!status)
        status = make_objective(s, search);
    if (!status && policy)
        status = make_settings(s, policy, search);
    if (!status && policy && policy->traits & CKG__TRAIT_REGION) {
        status = ckg__study_update_region(s, search);
        *fit_seconds = ckg__clock() - clock;
        if (status || !search->region->scouting)
            return status ? status : make_outlooks(s, policy, &s->regional->models, search);
    }
    if (!status)
        status = make_outlooks(s, policy, &s->models, search);
    if (!status)
        status = make_nodes(s, search,
                            s->models.outcomes == 2 ? search->effort.nodes_one : search->effort.nodes,
                            &search->nodes);
    if (!status)
        status = make_nodes(s, search, search->effort.scout_nodes * (s->models.outcomes > 2 ? 2 : 1),
                            &search->scout_nodes);
    if (!status)
        status = ckg__search_points(search);
    return status ? status : ckg__search_recommend(search);
}

int ckg__study_end_search(ckg_study *s, int status)
{
    const struct ckg__arena_mark start = {NULL, 0};
    if (s->models.revision)
        ckg__models_release(&s->models);
    if (s->regional && s->regional->models.revision)
        ckg__models_release(&s->regional->models);
    for (int i = 0; i < s->threads; i++)
        ckg__arena_release(&s->arena[i], start);
    ckg__arena_release(&s->results, start);

    /* What an interrupted search fell over means nothing. */
    if (!ckg__interrupt_end(&s->interrupt))
        return status;
    ckg__error_clear();
    return ckg__fail(CKG_ERR_CANCELLED, "%s", ckg_status_text(CKG_ERR_CANCELLED));
}

/* A search without models, for what needs none. */
static struct ckg__search bare_search(ckg_study *s)
{
    return (struct ckg__search){.problem = s->problem,
                                .data = &s->data,
                                .effort = s->effort,
                                .pool = s->pool,
                                .arena = s->arena,
                                .results = &s->results,
                                .seed = s->seed,
                                .stream = (uint64_t)s->data.trials,
                                .deadline = INFINITY};
}

/* --- the initial design --- */

static int make_design(ckg_study *s)
{
    const size_t size = (size_t)s->initial * (size_t)s->problem->d;
    double *design = ckg__alloc(size, sizeof *design), *work = ckg__alloc(size, sizeof *work);
    int *order = ckg__alloc((size_t)s->initial, sizeof *order);
    if (design && work && order) {
        struct ckg__rng rng;
        ckg__rng_seed(&rng, s->seed, 0, 1);
        ckg__design_lhs(&rng, s->initial, s->problem->d, LHS_TRIES, design, work, order);
        s->design = design;
        design = NULL;
    }
    ckg__free(design);
    ckg__free(work);
    ckg__free(order);
    return s->design ? CKG_OK : CKG_ERR_NOMEM;
}

/*
 * A design that may be suggested, by chance: space-filling points first, then a walk through all designs of a
 * finite problem.
 */
static int any_free(ckg_study *s, struct ckg__search *search, double *u, int *found)
{
    enum { TRIES = 64 };
    const int D = s->problem->D;
    double x[CKG_MAX_PARAMETERS];
    double *U = ckg__arena_doubles(&s->results, TRIES * (size_t)D);
    if (!U || ckg__search_fill(search, 8000, TRIES, U, TRIES, &s->results))
        return CKG_ERR_NOMEM;
    *found = 0;
    for (int p = 0; p < TRIES && !*found; p++) {
        for (int k = 0; k < D; k++)
            u[k] = U[(size_t)k * TRIES + (size_t)p];
        *found = !ckg__search_taken(search, u, x);
    }
    const double size = ckg__problem_size(s->problem);
    for (double i = 0; !*found && i < size && i < 1e7; i++) {
        ckg__problem_numbered(s->problem, i, u);
        *found = !ckg__search_taken(search, u, x);
    }
    return CKG_OK;
}

/* The next point of the initial design, or any free design where that one is taken. */
static int from_design(ckg_study *s, struct ckg__choice *choice, int *found)
{
    struct ckg__search search = bare_search(s);
    double x[CKG_MAX_PARAMETERS];
    *found = 0;
    choice->path = s->data.trials < s->initial ? "design" : "random";
    if (s->data.trials < s->initial) {
        if (!s->design && make_design(s))
            return CKG_ERR_NOMEM;
        const double *cube = s->design + (size_t)s->data.trials * (size_t)s->problem->d;
        ckg__problem_from_cube(s->problem, cube, choice->u);
        *found = !ckg__search_taken(&search, choice->u, x);
    }
    return *found ? CKG_OK : any_free(s, &search, choice->u, found);
}

/* --- the policy and its stagnation rule --- */

/*
 * Where the nearest datum is far and feasibility likely: argmax of distance × PF over space-filling points.
 */
static int explore(ckg_study *s, struct ckg__search *search, struct ckg__choice *choice, int *found)
{
    const int D = s->problem->D;
    const struct ckg__belief *belief = search->outlook[0].belief;
    double *U = ckg__arena_doubles(&s->results, EXPLORE * (size_t)D),
           *log_pf = ckg__arena_doubles(&s->results, EXPLORE);
    double *u = ckg__arena_doubles(&s->results, (size_t)D), x[CKG_MAX_PARAMETERS], best = -INFINITY;
    struct ckg__view view[CKG__MAX_OUTCOMES];
    if (!U || !log_pf || !u || ckg__search_fill(search, 9000, EXPLORE, U, EXPLORE, &s->results))
        return CKG_ERR_NOMEM;
    for (int j = 0; j < belief->outcomes; j++)
        if (ckg__view_make(&view[j], belief->gp[j], EXPLORE, U, EXPLORE, &s->results))
            return CKG_ERR_NOMEM;
    ckg__belief_log_feasible(belief, view, log_pf);
    *found = 0;
    for (int p = 0; p < EXPLORE; p++) {
        double nearest = INFINITY;
        for (int i = 0; i < s->data.designs; i++) {
            double square = 0;
            for (int k = 0; k < D; k++)
                square += pow(
                    U[(size_t)k * EXPLORE + (size_t)p] - s->data.u[(size_t)i * (size_t)D + (size_t)k], 2);
            nearest = fmin(nearest, square);
        }
        const double score = 0.5 * log(nearest) + log_pf[p];
        for (int k = 0; k < D; k++)
            u[k] = U[(size_t)k * EXPLORE + (size_t)p];
        if (!(score > best) || ckg__search_taken(search, u, x))
            continue;
        best = score;
        *found = 1;
        memcpy(choice->u, u, (size_t)D * sizeof *u);
    }
    choice->path = "explore";
    choice->value = NAN;
    return CKG_OK;
}

/* 1 when the next trial is the last of the budget and has a policy of its own. */
static int final_step(const ckg_study *s)
{
    int count = 0;
    for (int t = 0; t < s->data.trials; t++)
        count += s->data.trial[t].state != CKG_CANCELLED;
    return s->final_policy && count == s->budget - 1;
}

static int stalled(const ckg_study *s, const struct ckg__choice *choice)
{
    const int noisy = ckg__models_noisy(&s->models),
              fell_back = strcmp(choice->path, ckg__policy_ckg.name) != 0;
    return fell_back || choice->value < (noisy ? stagnant_noisy : stagnant_exact);
}

/*
 * Without noise a stalled knowledge gradient is down to the size of the nugget, and can no longer tell
 * designs apart. What is left to gain is an evaluated design that is known exactly (see prefer_exact in
 * recommend.c), and for that the improvement is the right measure.
 */
static int polish(struct ckg__search *search, struct ckg__choice *choice, int *found)
{
    for (int o = 0; o < search->outlooks; o++)
        search->outlook[o].belief = search->outlook[o].full;
    const int status = ckg__policy_suggest(&ckg__policy_cei, search, choice, found);
    choice->path = "polish";
    return status;
}

/*
 * The rule for a knowledge gradient that has stalled: explore every second trial under noise; without noise
 * every third, and polish else.
 */
static int move_on(ckg_study *s, struct ckg__search *search, struct ckg__choice *choice, int *found)
{
    const int noisy = ckg__models_noisy(&s->models);
    if (!stalled(s, choice))
        return CKG_OK;
    if (s->data.trials % (noisy ? 2 : 3) == 0)
        return explore(s, search, choice, found);
    return noisy || strcmp(choice->path, ckg__policy_ckg.name) != 0 ? CKG_OK : polish(search, choice, found);
}

static int from_policy(ckg_study *s, const struct ckg__policy *policy, double started,
                       struct ckg__choice *choice, int *found, ckg_timing *seconds)
{
    struct ckg__search search = bare_search(s);
    const double clock = ckg__clock();
    int status;
    if (policy->traits & CKG__TRAIT_NO_MODEL) {
        status = make_settings(s, policy, &search);
    } else {
        status = ckg__study_begin_search(s, policy, &search, started, &seconds->fit);
        seconds->recommend = ckg__clock() - clock - seconds->fit;
    }
    if (!status)
        status = ckg__policy_suggest(policy, &search, choice, found);
    seconds->screen = choice->screen;
    seconds->inner = choice->inner;
    seconds->refine = choice->refine;
    if (!status && *found && !search.effort.paper && !final_step(s)) {
        if (policy == &ckg__policy_ckg)
            status = move_on(s, &search, choice, found);
        else if (choice->stalled)
            status = explore(s, &search, choice, found);
    }
    if (!status && !*found) {
        choice->path = "random";
        choice->value = NAN;
        status = any_free(s, &search, choice->u, found);
    }
    return status;
}

/* --- the suggestion --- */

/* One block for the struct and its arrays. */
static ckg_suggestion *suggestion_new(int d, int K)
{
    const size_t numbers = (size_t)d + 2 * (1 + (size_t)K) + (size_t)K,
                 header = (sizeof(ckg_suggestion) + 63) / 64 * 64;
    char *block = ckg__alloc(header + numbers * sizeof(double), 1);
    if (!block)
        return NULL;
    ckg_suggestion *out = (ckg_suggestion *)(void *)block;
    double *at = (double *)(void *)(block + header);
    *out = (ckg_suggestion){.dimension = d,
                            .constraints = K,
                            .x = at,
                            .mean = at + d,
                            .sd = at + d + 1 + K,
                            .probability = at + d + 2 * (1 + K)};
    return out;
}

void ckg_suggestion_free(ckg_suggestion *suggestion)
{
    ckg__free(suggestion);
}

static int has_objective(const ckg_study *s)
{
    for (int t = 0; t < s->data.trials; t++)
        for (int i = 0; i < s->data.trial[t].count; i++)
            if (s->data.trial[t].measured[i].outcome == 0)
                return 1;
    return 0;
}

/* Predictions for the design in the suggestion, or NANs while there is no model. */
static int describe(ckg_study *s, const double *u, int modelled, ckg_suggestion *out)
{
    double *mean = (double *)out->mean, *sd = (double *)out->sd, *probability = (double *)out->probability;
    if (modelled)
        return ckg__study_predict_at(s, u, mean, sd, probability, &out->probability_feasible);
    for (int j = 0; j <= out->constraints; j++)
        mean[j] = sd[j] = NAN;
    for (int j = 0; j < out->constraints; j++)
        probability[j] = NAN;
    out->probability_feasible = NAN;
    return CKG_OK;
}

/* The choice's value in the objective's units, where it is an amount of it. */
static double value_in_units(const ckg_study *s, const struct ckg__policy *policy,
                             const struct ckg__choice *choice)
{
    if (!(policy->traits & CKG__TRAIT_AMOUNT) || strcmp(choice->path, policy->name) != 0)
        return choice->value;
    const struct ckg__scaling *scaling = &s->models.surrogate[0].scaling;
    return choice->value * scaling->scale * (scaling->warp > 0 ? scaling->warp_scale : 1);
}

static int ask(ckg_study *s, ckg_suggestion *out, double *u)
{
    const double started = ckg__clock();
    struct ckg__choice choice = {.u = u, .value = NAN, .path = "random"};
    const int last = final_step(s);
    const struct ckg__policy *policy = last ? s->final_policy : s->policy;
    const int bare = policy->traits & CKG__TRAIT_NO_MODEL,
              ready = (last || s->data.trials >= s->initial) && (bare || has_objective(s));
    const int modelled = ready && !bare;
    int found = 0, status;
    status = ready ? from_policy(s, policy, started, &choice, &found, &out->seconds)
                   : from_design(s, &choice, &found);
    if (!status && !found)
        status = ckg__fail(CKG_ERR_EXHAUSTED, "every design has been evaluated or is pending");
    if (!status) {
        ckg__problem_from_unit(s->problem, u, (double *)out->x);
        status = describe(s, u, modelled, out);
    }
    if (!status && ckg__interrupted(&s->interrupt))
        status = CKG_ERR_CANCELLED;
    if (!status)
        status = ckg__data_add(&s->data, out->x, &out->trial);
    out->path = choice.path;
    out->value = modelled ? value_in_units(s, policy, &choice) : NAN;
    out->candidates = choice.candidates;
    out->seconds.total = ckg__clock() - started;
    return status;
}

int ckg_study_ask(ckg_study *s, ckg_suggestion **out)
{
    ckg__error_clear();
    if (!s || !out)
        return ckg__fail(CKG_ERR_INVALID, "ckg_study_ask: a NULL argument");
    *out = NULL;
    ckg__interrupt_begin(&s->interrupt);
    ckg_suggestion *suggestion = suggestion_new(s->problem->d, s->problem->outcomes - 1);
    double *u = ckg__alloc((size_t)s->problem->D, sizeof *u);
    int status = suggestion && u ? ask(s, suggestion, u) : CKG_ERR_NOMEM;
    status = ckg__study_end_search(s, status);
    ckg__free(u);
    if (status) {
        ckg_suggestion_free(suggestion);
        return status;
    }
    *out = suggestion;
    return CKG_OK;
}
