/*
 * The search that the knowledge gradients share:
 *   screen   every candidate on the shared discretisation,
 *   inner    for the best few, the maximisers under chosen surprises join X_d,
 *   refine   by gradient with X_d held fixed, and X_d rebuilt before the refined points are compared.
 * Under several hyperparameter samples each has its own x_r and X_d, and the values are averaged. When the
 * best value is not positive the choice falls to log-cEI over all outcomes.
 */
#include <math.h>
#include <string.h>

#include "base/maths.h"
#include "design/allowed.h"
#include "optim/simplex.h"
#include "search/ascent.h"
#include "policy/kg_search.h"
#include "policy/measurement.h"

enum { CHUNK = 16, MAX_INNER = 16 };

/* A candidate that got its own X_d under every lookahead. */
struct finalist {
    double *u;                      /* (D) */
    const struct ckg__offer *offer; /* what is measured there */
    double value;                   /* mean over the lookaheads, for its cost */
    double *part;                   /* (lookaheads) */
    struct ckg__kg *kg;             /* (lookaheads) */
};

struct stage {
    struct ckg__search *search;
    const struct ckg__knowledge *knowledge;
    struct ckg__menu menu;
    int candidates;
    double *U;     /* D×candidates */
    int first;     /* the lookahead that the first screening task is about */
    double *part;  /* (lookaheads screened at once × offers × candidates) */
    double *value; /* (offers × candidates) the mean over the lookaheads that were asked, for its cost */
    int finalists, refined; /* the refined ones stand behind the others */
    int valued;             /* the finalist that the first task is about */
    struct finalist finalist[2 * MAX_INNER];
    struct ckg__arena *slot; /* one arena per (finalist, lookahead): its X_d */
};

/* --- screening --- */

static int screen_chunk(struct stage *stage, int index, int first, int count, double *value,
                        struct ckg__arena *arena)
{
    const struct ckg__lookahead *o = &stage->search->lookahead[index];
    const struct ckg__kg shared = ckg__knowledge_on(o, &stage->knowledge->scout_nodes);
    const struct ckg__kg *kg = &shared;
    struct ckg__view at[CKG__MAX_OUTCOMES];
    double *cov[CKG__MAX_OUTCOMES];
    struct ckg__noise noise[CKG__MAX_OUTCOMES];
    struct ckg__kg_work work;

    /* What the belief says of the candidates. */
    if (ckg__kg_work_take(&work, kg, arena) ||
        ckg__belief_views(o->belief, count, stage->U + first, stage->candidates, arena, at))
        return CKG_ERR_NOMEM;
    for (int j = 0; j < o->belief->outcomes; j++) {
        noise[j] = (struct ckg__noise){0};
        if (CKG__TAKE(arena, CKG__ROOM(cov[j], count * kg->m), CKG__ROOM(noise[j].var, count)))
            return CKG_ERR_NOMEM;
        ckg__view_covariance(o->belief->gp[j], &kg->view[j], &at[j], 0, count, cov[j], kg->m);
        ckg__kg_noise(o->belief, j, count, stage->U + first, stage->candidates, at[j].mean, at[j].var,
                      &noise[j]);
    }

    /* The value of each, for every offer: what is hidden is measured with noise without end. */
    for (int c = 0; c < count; c++) {
        struct ckg__kg_candidate candidate;
        for (int j = 0; j < o->belief->outcomes; j++) {
            candidate.mean[j] = at[j].mean[c];
            candidate.var[j] = at[j].var[c];
            candidate.cov[j] = cov[j] + (size_t)c * (size_t)kg->m;
        }
        for (int i = 0; i < stage->menu.count; i++) {
            const struct ckg__belief *belief = stage->menu.offer[i].lookahead[index].belief;
            for (int j = 0; j < o->belief->outcomes; j++)
                candidate.noise[j] = belief->hidden[j] ? INFINITY : noise[j].var[c];
            value[i * stage->candidates + first + c] = ckg__kg_value(kg, &candidate, &work, NULL);
        }
    }
    return stage->search->weighted
               ? ckg__knowledge_weigh(o, count, stage->U + first, stage->candidates, arena, value + first)
               : CKG_OK;
}

static int screen_task(void *context, int index, int worker)
{
    struct stage *stage = context;
    const int chunks = (stage->candidates + CHUNK - 1) / CHUNK;
    const int lookahead = index / chunks;
    const int first = index % chunks * CHUNK;
    const int count = stage->candidates - first < CHUNK ? stage->candidates - first : CHUNK;

    return screen_chunk(stage, stage->first + lookahead, first, count,
                        stage->part + (size_t)lookahead * (size_t)(stage->menu.count * stage->candidates),
                        &stage->search->arena[worker]);
}

/* Adds the candidates' values under `count` lookaheads from `first` on to stage->value. */
static int screen_lookaheads(struct stage *stage, int first, int count)
{
    const int chunks = (stage->candidates + CHUNK - 1) / CHUNK;
    stage->first = first;
    const int status = ckg__search_run(stage->search, chunks * count, screen_task, stage);
    const int pairs = stage->menu.count * stage->candidates;
    for (int o = 0; !status && o < count; o++)
        for (int p = 0; p < pairs; p++)
            stage->value[p] += stage->part[(size_t)o * (size_t)pairs + (size_t)p];
    return status;
}

/* The largest value of a candidate for its cost. */
static double best_offer(const struct stage *stage, int c)
{
    double best = -INFINITY;

    for (int i = 0; i < stage->menu.count; i++)
        best = fmax(best, stage->value[i * stage->candidates + c] / stage->menu.offer[i].cost);
    return best;
}

/* Keeps the best `keep` candidates, in their order. */
static void keep_best(struct stage *stage, int keep, int *kept)
{
    const int D = stage->search->scope->problem->D;
    const int n = stage->candidates;

    memset(kept, 0, (size_t)n * sizeof *kept);
    for (int i = 0; i < keep; i++) {
        int best = -1;
        for (int c = 0; c < n; c++)
            if (!kept[c] && (best < 0 || best_offer(stage, c) > best_offer(stage, best)))
                best = c;
        kept[best] = 1;
    }
    for (int k = 0, to = 0; k < D; k++)
        for (int c = 0; c < n; c++)
            if (kept[c])
                stage->U[to++] = stage->U[(size_t)k * (size_t)n + (size_t)c];
    for (int i = 0, to = 0; i < stage->menu.count; i++)
        for (int c = 0; c < n; c++)
            if (kept[c])
                stage->value[to++] = stage->value[i * n + c];
    stage->candidates = keep;
}

/* What is known already, or under way, is worth nothing. */
static int close_taken(struct stage *stage)
{
    const struct ckg__search *search = stage->search;
    double *u = ckg__arena_doubles(search->results, (size_t)search->scope->problem->D);
    double x[CKG_MAX_PARAMETERS];

    if (!u)
        return CKG_ERR_NOMEM;
    for (int c = 0; c < stage->candidates; c++) {
        ckg__point_get(search->scope->problem->D, stage->U, stage->candidates, c, u);
        for (int i = 0; i < stage->menu.count; i++)
            if (!ckg__offer_open(search, &stage->menu.offer[i], u, x))
                stage->value[i * stage->candidates + c] = -INFINITY;
    }
    return CKG_OK;
}

/* With many lookaheads two of them tell which candidates the others need to look at. */
enum { SCOUTS = 2, SCOUTED = 40 };

static int screen(struct stage *stage)
{
    struct ckg__search *search = stage->search;
    const int lookaheads = search->lookaheads;
    const int scouts = lookaheads > 2 * SCOUTS ? SCOUTS : lookaheads;
    const int n = stage->candidates;
    const size_t pairs = (size_t)stage->menu.count * (size_t)n;
    int *kept;

    if (CKG__TAKE(search->results, CKG__ROOM(stage->part, (size_t)lookaheads * pairs + 1),
                  CKG__ROOM(stage->value, pairs + 1), CKG__ROOM(kept, n + 1)))
        return CKG_ERR_NOMEM;
    memset(stage->value, 0, pairs * sizeof *stage->value);
    int status = screen_lookaheads(stage, 0, scouts);
    if (!status && scouts < lookaheads) {
        if (n > SCOUTED)
            keep_best(stage, SCOUTED, kept);
        status = screen_lookaheads(stage, scouts, lookaheads - scouts);
    }
    for (int i = 0; !status && i < stage->menu.count; i++)
        for (int c = 0; c < stage->candidates; c++)
            stage->value[i * stage->candidates + c] /= lookaheads * stage->menu.offer[i].cost;
    return status || !search->apart ? status : close_taken(stage);
}

/* --- choosing the finalists --- */

static int finalist_take(struct stage *stage, struct finalist *f)
{
    struct ckg__search *search = stage->search;

    return CKG__TAKE(search->results, CKG__ROOM(f->u, search->scope->problem->D),
                     CKG__ROOM(f->part, search->lookaheads), CKG__ROOM(f->kg, search->lookaheads));
}

/*
 * The numbers of the best pairs of an offer and a candidate; returns how many. Two candidates for the same
 * offer lie apart by more than the neighbourhood that refinement covers: the offer is one more coordinate.
 */
static int choose_pairs(struct stage *stage, int wanted, int *chosen)
{
    const struct ckg__search *search = stage->search;
    const int D = search->scope->problem->D;
    const int n = stage->candidates;
    const int pairs = stage->menu.count * n;
    const double apart = fmax(2 * search->lookahead[0].width, 0.01);

    double *U = ckg__arena_doubles(search->results, (size_t)(D + 1) * (size_t)pairs);
    if (!U)
        return 0;
    for (int p = 0; p < pairs; p++) {
        for (int k = 0; k < D; k++)
            U[(size_t)k * (size_t)pairs + (size_t)p] = stage->U[(size_t)k * (size_t)n + (size_t)(p % n)];
        U[(size_t)D * (size_t)pairs + (size_t)p] = 2.0 * (p / n);
    }
    return ckg__best_apart(D + 1, pairs, U, pairs, stage->value, apart, wanted, chosen);
}

static int choose_finalists(struct stage *stage)
{
    struct ckg__search *search = stage->search;
    const int wanted = search->size.inner < MAX_INNER ? search->size.inner : MAX_INNER;
    int chosen[MAX_INNER];

    const int n = choose_pairs(stage, wanted, chosen);
    for (stage->finalists = 0; stage->finalists < n; stage->finalists++) {
        struct finalist *f = &stage->finalist[stage->finalists];
        const int pair = chosen[stage->finalists];
        if (finalist_take(stage, f))
            return CKG_ERR_NOMEM;
        f->value = stage->value[pair];
        f->offer = &stage->menu.offer[pair / stage->candidates];
        ckg__point_get(search->scope->problem->D, stage->U, stage->candidates, pair % stage->candidates,
                       f->u);
    }
    return n ? CKG_OK : CKG_ERR_NOMEM;
}

/* --- X_d of a finalist --- */

static int value_task(void *context, int index, int worker)
{
    const struct stage *stage = context;
    const struct ckg__search *search = stage->search;
    const int place = stage->valued * search->lookaheads + index;
    const struct finalist *f = &stage->finalist[place / search->lookaheads];
    const int o = place % search->lookaheads;

    f->part[o] = NAN;
    return ckg__search_late(search)
               ? CKG_OK
               : ckg__knowledge_value(stage->knowledge, &f->offer->lookahead[o], f->u, worker,
                                      &stage->slot[place], &f->kg[o], &f->part[o]);
}

/*
 * The values of finalists first … first+count−1, each on its own X_d. One that not every lookahead had the
 * time to look at keeps the value that it has.
 */
static int value_finalists(struct stage *stage, int first, int count)
{
    const int lookaheads = stage->search->lookaheads;

    stage->valued = first;
    const int status = ckg__search_run(stage->search, count * lookaheads, value_task, stage);
    for (int i = first; !status && i < first + count; i++) {
        struct finalist *f = &stage->finalist[i];
        double sum = 0;

        for (int o = 0; o < lookaheads; o++)
            sum += f->part[o] / lookaheads;
        f->value = isnan(sum) ? f->value : sum / f->offer->cost;
    }
    return status;
}

/* --- refinement --- */

struct refined {
    const struct ckg__search *search;
    struct finalist *finalist;
    struct ckg__workers workers;
};

/* log of the averaged value with X_d fixed, and its gradient; one point at a time. */
static int log_average(void *context, int m, const double *U, const int *which, struct ckg__arena *arena,
                       double *value, double *gradient)
{
    const struct refined *r = context;
    const int D = r->search->scope->problem->D;

    (void)m, (void)which;
    struct ckg__arena_mark mark = ckg__arena_mark(arena);
    double *part = ckg__arena_doubles(arena, (size_t)D);
    double sum = 0;
    double one = 0;
    if (!part)
        return CKG_ERR_NOMEM;
    memset(gradient, 0, (size_t)D * sizeof *gradient);
    for (int o = 0; o < r->search->lookaheads; o++) {
        const struct ckg__belief *full = r->search->weighted ? r->search->lookahead[o].full : NULL;
        const int status = ckg__knowledge_gradient(&r->finalist->kg[o], full, U, &r->workers, arena, &one,
                                                   part);
        if (status)
            return status;
        sum += one;
        for (int k = 0; k < D; k++)
            gradient[k] += part[k];
    }
    for (int k = 0; k < D; k++)
        gradient[k] /= sum;
    *value = sum > 0 ? ckg__log(sum / r->search->lookaheads) : -INFINITY;
    ckg__arena_release(arena, mark);
    return CKG_OK;
}

/* The averaged value with X_d fixed, for a search without gradients. */
static int average(void *context, const double *u, struct ckg__arena *arena, double *value)
{
    const struct refined *r = context;
    double sum = 0;
    double one = 0;

    for (int o = 0; o < r->search->lookaheads; o++) {
        if (ckg__kg_value_at(&r->finalist->kg[o], u, arena, &one) ||
            (r->search->weighted && ckg__knowledge_weigh(&r->search->lookahead[o], 1, u, 1, arena, &one)))
            return CKG_ERR_NOMEM;
        sum += one / r->search->lookaheads;
    }
    *value = sum;
    return CKG_OK;
}

/* The same at several points. */
static int averages(void *context, int m, const double *U, int ldu, struct ckg__arena *arena, double *value)
{
    const struct refined *r = context;
    const int D = r->search->scope->problem->D;
    double *u = ckg__arena_doubles(arena, (size_t)D);
    int status = u ? CKG_OK : CKG_ERR_NOMEM;

    for (int p = 0; !status && p < m; p++) {
        ckg__point_get(D, U, ldu, p, u);
        status = average(context, u, arena, &value[p]);
    }
    return status;
}

/* The same of the nearest design that obeys the rules. */
static int average_nearest(void *context, const double *u, struct ckg__arena *arena, double *value)
{
    const struct refined *r = context;
    const struct ckg_problem *problem = r->search->scope->problem;
    struct ckg__arena_mark mark = ckg__arena_mark(arena);
    double *v = ckg__arena_doubles(arena, (size_t)problem->D);

    if (!v)
        return CKG_ERR_NOMEM;
    memcpy(v, u, (size_t)problem->D * sizeof *v);
    *value = -INFINITY;
    const int status = ckg__allowed_nearest(problem, NULL, NULL, v, NULL) ? average(context, v, arena, value)
                                                                          : CKG_OK;
    ckg__arena_release(arena, mark);
    return status;
}

/* By a simplex, as the paper's authors did. */
static int refine_by_simplex(struct refined *context, double *u, struct ckg__arena *arena)
{
    const struct ckg__search *search = context->search;
    const int D = search->scope->problem->D;
    const int ruled = ckg__ruled(search->scope->problem);
    double *box = ckg__arena_doubles(arena, 2 * (size_t)D);
    double value;

    if (!box)
        return CKG_ERR_NOMEM;
    ckg__problem_free_box(search->scope->problem, u, box, box + D);
    const int status = ckg__simplex(ruled ? average_nearest : average, context, D, box, box + D, 0.05,
                                    search->size.refine_evaluations, u, &value, arena);
    if (ruled)
        ckg__allowed_nearest(search->scope->problem, NULL, NULL, u, NULL);
    return status;
}

/* To the best lattice neighbour that is free, if that is better under the X_d of the finalist; then the
 * reals. */
static int ascend(struct refined *context, double *u, int worker)
{
    static const struct ckg__ascend_lattice steps = {
        .rounds = 1, .neighbours = 24, .purpose = CKG__FOR_STEPS_OF_FINALISTS, .free_only = 1};
    const struct ckg__search *search = context->search;
    struct ckg__arena *arena = &search->arena[worker];
    const double width = search->lookahead[0].width;
    const struct ckg__ascent ascent = {context, log_average, averages};
    double value = context->finalist->value * context->finalist->offer->cost;

    int status = ckg__ascend_lattice(search, &ascent, &steps, u, &value, arena);
    if (status || !ckg__problem_has_reals(search->scope->problem) || ckg__search_late(search))
        return status;
    if (search->size.paper)
        return refine_by_simplex(context, u, arena);
    const double away = ckg__point_distance(search->scope->problem->D, u, search->lookahead[0].x_r, 1, 0);
    const struct ckg__lbfgs_options options = {5, search->size.refine_evaluations,
                                               away < 30 * width ? 0.5 * width : 0.02, 1e-4, 1e-4};
    return ckg__ascend_reals(search, &ascent, &options, 1, u, &value, arena);
}

static int refine_task(void *context, int index, int worker)
{
    struct stage *stage = context;
    const struct ckg__search *search = stage->search;
    struct finalist *from = &stage->finalist[index];
    struct finalist *to = &stage->finalist[stage->finalists + index];
    struct refined refined = {search, from, ckg__search_workers(search, worker)};

    memcpy(to->u, from->u, (size_t)search->scope->problem->D * sizeof *to->u);
    return ascend(&refined, to->u, worker);
}

/* Puts the best finalists first. */
static void order_finalists(struct stage *stage)
{
    for (int i = 1; i < stage->finalists; i++)
        for (int k = i; k > 0 && stage->finalist[k].value > stage->finalist[k - 1].value; k--) {
            const struct finalist swap = stage->finalist[k];
            stage->finalist[k] = stage->finalist[k - 1];
            stage->finalist[k - 1] = swap;
        }
}

/* Refines the best finalists; the refined ones have their own X_d and values. */
static int refine(struct stage *stage)
{
    const int wanted = stage->search->size.refine;
    const int count = wanted < stage->finalists ? wanted : stage->finalists;

    order_finalists(stage);
    for (int i = 0; i < count; i++) {
        struct finalist *f = &stage->finalist[stage->finalists + i];
        if (finalist_take(stage, f))
            return CKG_ERR_NOMEM;
        f->value = -INFINITY;
        f->offer = stage->finalist[i].offer;
    }
    stage->refined = count;
    const int status = ckg__search_run(stage->search, count, refine_task, stage);
    return status ? status : value_finalists(stage, stage->finalists, count);
}

/* --- the policy --- */

/* The best finalist whose design is free; its design goes to the choice. */
static int pick(struct stage *stage, struct ckg__choice *choice)
{
    const struct ckg__search *search = stage->search;
    double x[CKG_MAX_PARAMETERS];
    int best = -1;

    for (int i = 0; i < stage->finalists + stage->refined; i++)
        if ((best < 0 || stage->finalist[i].value > stage->finalist[best].value) &&
            ckg__offer_open(search, stage->finalist[i].offer, stage->finalist[i].u, x))
            best = i;
    if (best < 0)
        return 0;
    const struct finalist *f = &stage->finalist[best];
    memcpy(choice->u, f->u, (size_t)search->scope->problem->D * sizeof *choice->u);
    choice->value = f->value * f->offer->cost;
    choice->measure = f->offer->set;
    return 1;
}

static int search_finalists(struct stage *stage, struct ckg__choice *choice)
{
    struct ckg__search *search = stage->search;
    double clock = ckg__clock();
    int status = choose_finalists(stage);

    if (!status)
        status = value_finalists(stage, 0, stage->finalists);
    choice->seconds.inner = ckg__clock() - clock;
    clock = ckg__clock();
    if (!status && !ckg__search_late(search))
        status = refine(stage);
    choice->seconds.refine = ckg__clock() - clock;
    choice->found = !status && pick(stage, choice);
    return status;
}

static int maximise(const struct ckg__knowledge *knowledge, struct ckg__choice *choice)
{
    struct ckg__search *search = knowledge->search;
    struct stage stage = {.search = search, .knowledge = knowledge};
    const double clock = ckg__clock();

    /* Every candidate on the shared discretisation. */
    int status = ckg__search_candidates(search, &stage.U, &stage.candidates);
    choice->candidates = stage.candidates;
    if (status || !stage.candidates)
        return status;
    status = ckg__menu_make(search, &stage.menu);
    if (!status)
        status = screen(&stage);
    choice->seconds.screen = ckg__clock() - clock;
    ckg__search_secure(search);

    /* Memory for the X_d of the finalists. */
    const int slots = 2 * search->size.inner * search->lookaheads;
    if (!status)
        status = CKG__TAKE(search->results, CKG__ROOM(stage.slot, slots));
    if (status)
        return status;
    for (int i = 0; i < slots; i++)
        ckg__arena_init(&stage.slot[i]);

    /* The best of them. */
    status = search_finalists(&stage, choice);
    for (int i = 0; i < slots; i++)
        ckg__arena_free(&stage.slot[i]);
    return status;
}

/* Values below this share of the objective's unit are rounding. */
static const double nothing = 1e-15;

int ckg__knowledge_suggest(struct ckg__search *search, struct ckg__choice *choice)
{
    struct ckg__knowledge knowledge;

    int status = ckg__knowledge_make(&knowledge, search);
    if (!status)
        status = maximise(&knowledge, choice);
    if (status || !choice->candidates || (choice->found && choice->value > nothing))
        return status;
    return ckg__policy_fall_back(search, choice);
}

int ckg__knowledge_score(struct ckg__search *search, int count, const double *U, double *value)
{
    const int D = search->scope->problem->D;
    double *u = ckg__arena_doubles(search->results, (size_t)D);
    struct ckg__knowledge knowledge;

    int status = u ? ckg__knowledge_make(&knowledge, search) : CKG_ERR_NOMEM;
    for (int p = 0; !status && p < count; p++) {
        ckg__point_get(D, U, count, p, u);
        status = ckg__knowledge_average(&knowledge, search->lookahead, u, &value[p]);
    }
    return status;
}
