/*
 * Predictive entropy search (predictive.h; acquisition/pesc.h has the formula).
 *
 * Optima are drawn under every lookahead (optima.h), the draws shared out evenly; some hundred further draws
 * only tell how often the optimum is nearest to which of them. The set on which x* is held against other
 * designs is made of all the drawn x*, x_r, and as many of the points as `points` says that were the best of
 * some draw or are evaluated designs with a chance of being better than x_r: elsewhere a factor would say
 * what the belief says already. However many observations there are, only the evaluated designs of the
 * discretisation are looked at for this. A draw without a feasible design counts as the statement that there
 * is none. When no draw can be conditioned, or nothing is expected to be learnt anywhere, log-cEI chooses.
 */
#include "policy/predictive.h"

#include <math.h>
#include <string.h>

#include "acquisition/pesc.h"
#include "base/error.h"
#include "base/maths.h"
#include "search/optima.h"
#include "policy/measurement.h"
#include "policy/policy.h"

/* What `pesc` and `pes` read. */
struct settings {
    CKG__PREDICTIVE_SETTINGS(CKG__MEMBER)
};

/* Draws whose winners are tallied, over all lookaheads. */
enum { TALLIED = 128 };

struct context {
    struct ckg__search *search;
    struct ckg__pesc *pesc; /* (lookaheads) */
    int *task;              /* (tasks) lookahead and draw of each: lookahead·room + draw */
    int room, tasks, sweeps;
    const struct ckg__menu *menu; /* where outcomes are measured apart; NULL: they come together */
};

/* --- the set of one lookahead --- */

/* A set of points under construction. */
struct set {
    int count, room;
    double *U; /* D×room */
};

/* The number of u (D) in the set, where it is put unless it is there or the set is full (−1). */
static int put(struct set *set, int D, const double *u, int stride)
{
    for (int p = 0; p < set->count; p++) {
        int same = 1;
        for (int k = 0; same && k < D; k++)
            same = fabs(set->U[(size_t)k * (size_t)set->room + (size_t)p] - u[(size_t)k * (size_t)stride]) <
                   1e-9;
        if (same)
            return p;
    }
    if (set->count == set->room)
        return -1;
    for (int k = 0; k < D; k++)
        set->U[(size_t)k * (size_t)set->room + (size_t)set->count] = u[(size_t)k * (size_t)stride];
    return set->count++;
}

/*
 * Points of the discretisation, those first that were the best of most draws, then data by their chance of
 * being better than x_r.
 */
static void put_points(const struct ckg__search *search, struct ckg__optima *optima, int points,
                       struct set *set)
{
    const int first = search->enumerated ? 0 : search->size.base;
    const int last = search->base;

    for (int p = 0; p < optima->m; p++)
        optima->wins[p] = optima->wins[p] * (optima->total + 1) +
                          (p >= first && p < last ? optima->better[p] : 0);
    for (int i = 0; i < points; i++) {
        int best = 0;
        for (int p = 1; p < optima->m; p++)
            best = optima->wins[p] > optima->wins[best] ? p : best;
        if (!optima->wins[best])
            break;
        optima->wins[best] = 0;
        put(set, search->scope->problem->D, optima->U + best, optima->m);
    }
}

/* The draws so far by their x* (a point of the set, −1: none feasible), each with its weight. */
struct stars {
    int count, *star;
    double *weight;
};

static void add_star(struct stars *stars, int star)
{
    int t = 0;

    while (t < stars->count && stars->star[t] != star)
        t++;
    if (t == stars->count) {
        stars->star[t] = star;
        stars->weight[t] = 0;
        stars->count++;
    }
    stars->weight[t]++;
}

/* The star nearest to u (D at a stride) in the objective's length-scales; −1 where every star is "none". */
static int nearest_star(const struct stars *stars, const struct set *set, const struct ckg__gp *gp,
                        const double *u, int stride)
{
    const double *inv_ell = ckg__gp_inverse_lengthscales(gp);
    const int D = ckg__gp_coordinates(gp);
    int nearest = -1;
    double least = INFINITY;

    for (int t = 0; t < stars->count; t++) {
        double sum = 0;
        for (int k = 0; stars->star[t] >= 0 && k < D; k++)
            sum += ckg__square((set->U[(size_t)k * (size_t)set->room + (size_t)stars->star[t]] -
                                u[(size_t)k * (size_t)stride]) *
                               inv_ell[k]);
        if (stars->star[t] >= 0 && sum < least) {
            least = sum;
            nearest = stars->star[t];
        }
    }
    return nearest;
}

/* The x* of the draws, then the further draws, each counted for the x* that is nearest to its own. */
static void put_stars(const struct ckg__lookahead *lookahead, const struct ckg__optima *optima,
                      struct set *set, struct stars *stars)
{
    const struct ckg__gp *gp = lookahead->belief->gp[0];
    const int D = ckg__gp_coordinates(gp);

    for (int s = 0; s < optima->draws; s++)
        add_star(stars, optima->found[s] ? put(set, D, optima->x + (size_t)s * (size_t)D, 1) : -1);
    for (int s = optima->draws; s < optima->total; s++)
        if (!optima->found[s])
            add_star(stars, -1);
        else if (nearest_star(stars, set, gp, optima->U + optima->winner[s], optima->m) >= 0)
            add_star(stars, nearest_star(stars, set, gp, optima->U + optima->winner[s], optima->m));
}

static int make_set(struct ckg__search *search, int o, struct ckg__optima *optima, struct ckg__pesc *pesc)
{
    const struct ckg__lookahead *lookahead = &search->lookahead[o];
    const struct settings *settings = search->settings;
    const int points = (int)settings->points;
    const int draws = optima->draws;
    const int D = search->scope->problem->D;
    struct set set = {0, draws + points + 1,
                      ckg__arena_doubles(search->results, (size_t)D * (size_t)(draws + points + 1))};
    struct stars stars = {0, ckg__arena_ints(search->results, (size_t)draws + 1),
                          ckg__arena_doubles(search->results, (size_t)draws + 1)};

    if (!set.U || !stars.star || !stars.weight)
        return CKG_ERR_NOMEM;
    put_stars(lookahead, optima, &set, &stars);
    put(&set, D, lookahead->x_r, 1);
    put_points(search, optima, points, &set);
    const int status = ckg__pesc_take(pesc, lookahead->belief, set.count, set.U, set.room, stars.count,
                                      search->results);
    for (int t = 0; !status && t < stars.count; t++) {
        pesc->draw[t].star = stars.star[t];
        pesc->draw[t].weight = stars.weight[t];
    }
    return status;
}

/* --- the acquisition --- */

static int condition_task(void *context, int index, int worker)
{
    const struct context *c = context;

    if (index && ckg__search_late(c->search))
        return CKG_OK; /* what is not conditioned is left aside */
    return ckg__pesc_condition(&c->pesc[c->task[index] / c->room], c->task[index] % c->room, c->sweeps,
                               &c->search->arena[worker]);
}

/* The share of the offer's outcomes at point p of m; share (processes × m). */
static double share_of(const struct context *c, const struct ckg__offer *offer, const double *share, int m,
                       int p)
{
    const struct ckg__surrogates *models = c->search->scope->models;
    double sum = 0;

    for (int j = 0; j < models->data->problem->outcomes; j++)
        if (ckg__set_has(&offer->set, j))
            sum += share[(size_t)models->surrogate[j].place * (size_t)m + (size_t)p];
    return sum;
}

/* The largest share of an offer for its cost. */
static int best_share(const struct context *c, int lookahead, int m, const double *U, int ldu,
                      struct ckg__arena *arena, double *value)
{
    const size_t processes = (size_t)c->search->lookahead[lookahead].belief->outcomes;
    double *share = ckg__arena_doubles(arena, processes * (size_t)m + 1);
    const int status = share ? ckg__pesc_at(&c->pesc[lookahead], m, U, ldu, arena, value, share)
                             : CKG_ERR_NOMEM;

    for (int p = 0; !status && p < m; p++) {
        value[p] = -INFINITY;
        for (int i = 0; i < c->menu->count; i++)
            value[p] = fmax(value[p], share_of(c, &c->menu->offer[i], share, m, p) / c->menu->offer[i].cost);
    }
    return status;
}

static int at(void *context, int lookahead, int m, const double *U, int ldu, struct ckg__arena *arena,
              double *value, double *gradient)
{
    const struct context *c = context;
    (void)gradient;
    return c->menu ? best_share(c, lookahead, m, U, ldu, arena, value)
                   : ckg__pesc_at(&c->pesc[lookahead], m, U, ldu, arena, value, NULL);
}

static int context_make(struct ckg__search *search, struct context **out)
{
    const size_t lookaheads = (size_t)search->lookaheads;
    const struct settings *set = search->settings;
    const int draws = ((int)set->draws + search->lookaheads - 1) / search->lookaheads;
    struct context *c = ckg__arena_get(search->results, 1, sizeof *c);
    struct ckg__optima *optima = ckg__arena_get(search->results, lookaheads, sizeof *optima);

    if (!c || !optima)
        return CKG_ERR_NOMEM;
    *c = (struct context){.search = search, .room = draws + 1, .sweeps = (int)set->iterations};
    int status = CKG__TAKE(search->results, CKG__ROOM(c->pesc, lookaheads),
                           CKG__ROOM(c->task, lookaheads * (size_t)c->room));
    if (!status)
        status = ckg__search_optima(search, draws, TALLIED / search->lookaheads, optima);
    for (int o = 0; !status && o < search->lookaheads; o++) {
        status = make_set(search, o, &optima[o], &c->pesc[o]);
        for (int t = 0; !status && t < c->pesc[o].draws; t++)
            c->task[c->tasks++] = o * c->room + t;
    }
    if (!status)
        status = ckg__search_run(search, c->tasks, condition_task, c);
    for (int i = 0; !status && i < c->tasks; i++)
        status = ckg__pesc_keep(&c->pesc[c->task[i] / c->room], c->task[i] % c->room, search->results);
    *out = c;
    return status;
}

int ckg__predictive_acquire(struct ckg__search *search, struct ckg__acquisition *acquisition)
{
    struct context *c = NULL;
    struct ckg__menu *menu = ckg__arena_get(search->results, 1, sizeof *menu);
    int status = menu ? context_make(search, &c) : CKG_ERR_NOMEM;

    if (!status && search->apart) {
        status = ckg__menu_make(search, menu);
        c->menu = menu;
    }
    *acquisition = (struct ckg__acquisition){c, at, 0, 0};
    return status;
}

/* Values below this are rounding. */
static const double nothing = 1e-12;

/* The offer whose share at the choice, over all lookaheads, is largest for its cost. */
static int choose_share(const struct ckg__acquisition *acquisition, struct ckg__choice *choice)
{
    const struct context *c = acquisition->context;
    struct ckg__search *search = c->search;
    double *share, *sum;
    double x[CKG_MAX_PARAMETERS];
    int best = -1;
    int status = CKG__TAKE(search->results, CKG__ROOM(share, (size_t)search->lookahead[0].belief->outcomes),
                           CKG__ROOM(sum, (size_t)c->menu->count));

    /* What each is worth. */
    for (int i = 0; !status && i < c->menu->count; i++)
        sum[i] = 0;
    for (int o = 0; !status && o < search->lookaheads; o++) {
        double total;
        status = ckg__pesc_at(&c->pesc[o], 1, choice->u, 1, search->results, &total, share);
        for (int i = 0; !status && i < c->menu->count; i++)
            sum[i] += share_of(c, &c->menu->offer[i], share, 1, 0) / c->menu->offer[i].cost;
    }

    /* The best of those that may be had. */
    for (int i = 0; !status && i < c->menu->count; i++)
        if ((best < 0 || sum[i] > sum[best]) && ckg__offer_open(search, &c->menu->offer[i], choice->u, x))
            best = i;
    if (best >= 0)
        choice->measure = c->menu->offer[best].set;
    return status;
}

int ckg__predictive_suggest(struct ckg__search *search, struct ckg__choice *choice)
{
    struct ckg__acquisition acquisition;
    const double clock = ckg__clock();
    choice->candidates = 0;
    int status = ckg__predictive_acquire(search, &acquisition);
    const double prepared = ckg__clock() - clock;
    const int failed = status == CKG_ERR_NUMERIC;
    if (!status)
        status = ckg__acquisition_maximise(search, &acquisition, choice);
    if (!status && choice->found && search->apart)
        status = choose_share(&acquisition, choice);
    choice->seconds.inner = prepared;
    if (!failed && (status || !choice->candidates || (choice->found && choice->value > nothing)))
        return status;
    ckg__error_clear();
    return ckg__policy_fall_back(search, choice);
}

int ckg__predictive_score_outcomes(struct ckg__search *search, int count, const double *U, double *value)
{
    struct context *c = NULL;
    const size_t outcomes = (size_t)search->scope->problem->outcomes;
    const size_t n = (size_t)count;
    const size_t all = (size_t)search->lookahead[0].belief->outcomes;
    double *total = ckg__arena_doubles(search->results, n + 1);
    double *share = ckg__arena_doubles(search->results, all * n + 1);
    int status = total && share ? context_make(search, &c) : CKG_ERR_NOMEM;

    memset(value, 0, n * outcomes * sizeof *value);
    for (int o = 0; !status && o < search->lookaheads; o++) {
        status = ckg__pesc_at(&c->pesc[o], count, U, count, search->results, total, share);
        for (size_t p = 0; !status && p < n; p++)
            for (size_t j = 0; j < outcomes; j++) {
                const size_t place = (size_t)search->scope->models->surrogate[j].place;
                value[p * outcomes + j] += share[place * n + p] / search->lookaheads;
            }
    }
    return status;
}
