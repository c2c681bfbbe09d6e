/* Augmented Lagrangians, and multipliers replayed from the trials (multipliers.h). */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "policy/cited/multipliers.h"

double ckg__multiplied_excess(const struct ckg__multiplied *term, double y, double *slope)
{
    const double above = y - (term->equal ? term->target : term->upper);
    const double below = term->lower - y;
    const int is_above = term->equal || above >= below;

    if (slope)
        *slope = is_above ? 1 : -1;
    return is_above ? above : below;
}

double ckg__multiplied_penalty(const struct ckg__lagrangian *l, const struct ckg__multiplied *term, double c,
                               double *slope)
{
    const double shift = l->slack ? term->lambda * l->rho : 0;
    const double b = term->equal ? c + shift : fmax(0, c + shift);

    *slope = b / l->rho + (l->slack ? 0 : term->lambda);
    return b * b / (2 * l->rho) + (l->slack ? -0.5 * l->rho * term->lambda * term->lambda : term->lambda * c);
}

double ckg__lagrangian_at(const struct ckg__lagrangian *l, const double *y)
{
    double sum = -y[0];

    for (int j = 1; j < l->outcomes; j++) {
        double unused;
        if (!l->term[j].by_chance)
            sum += ckg__multiplied_penalty(l, &l->term[j], ckg__multiplied_excess(&l->term[j], y[j], NULL),
                                           &unused);
    }
    return sum;
}

/* --- the multipliers --- */

/* Below this ρ, a violation of a thirtieth of a spread weighs half a spread of the objective: enough. */
static const double least_rho = 1e-3;
static const double most_rho = 10;
static const double most_lambda = 1e3;

/* A multiplier's step is at most this at first; it grows while steps agree, and is halved when they turn. */
static const double first_step = 1;
static const double longest_step = 10;
static const double shortest_step = 1e-6;

/* Trials that the replay goes back, steps of the multipliers at its end, and what still counts as within
 * limits, in model units. */
enum { LONGEST = 400, SETTLE = 200 };
static const double slip = 1e-6;

/* What was evaluated, in the order of the trials, and behind it what is pending: Y, by the means. */
struct record {
    int n, first; /* designs evaluated, and how many of them came before the multipliers move */
    int all;      /* with those that are pending */
    double *y;    /* all × outcomes */
};

/* 1 when the trial answered no: like a failure it has no Lagrangian, which counts what is measured. */
static int is_denied(const struct ckg__data *data, const struct ckg__trial *trial)
{
    for (int i = 0; i < trial->count; i++)
        if (ckg__is_answer(data->problem, trial->measured[i].outcome) && trial->measured[i].value == 0)
            return 1;
    return 0;
}

/* Adds the designs of trials from `first` on that are in that state to rows (D each); how many there are
 * then. */
static int gather(const struct ckg__search *search, int first, int state, int count, double *rows)
{
    const struct ckg__data *data = search->scope->data;
    const size_t D = (size_t)search->scope->problem->D;

    for (int t = first; t < data->trials; t++)
        if ((int)data->trial[t].state == state && !is_denied(data, &data->trial[t]))
            memcpy(rows + D * (size_t)count++, data->u + D * (size_t)data->trial[t].design, D * sizeof *rows);
    return count;
}

static int read_record(struct ckg__search *search, const struct ckg__belief *belief, struct record *out)
{
    const struct ckg__data *data = search->scope->data;
    const size_t D = (size_t)search->scope->problem->D;
    const size_t most = (size_t)data->trials + 1;
    double *U, *room, *rows;

    if (CKG__TAKE(search->results, CKG__ROOM(U, (D + 1) * most), CKG__ROOM(room, (D + 1) * most),
                  CKG__ROOM(rows, D * most), CKG__ROOM(out->y, (size_t)belief->outcomes * most)))
        return CKG_ERR_NOMEM;

    /* The designs. */
    const int first = data->trials > LONGEST ? data->trials - LONGEST : 0;
    out->n = gather(search, first, CKG_COMPLETE, 0, rows);
    out->all = gather(search, first, CKG_PENDING, out->n, rows);
    ckg__point_columns((int)D, rows, out->all, NULL, U);

    /* Their means. */
    for (int j = 0; out->all && j < belief->outcomes; j++) {
        const int status = ckg__posterior_mean(belief->gp[j], out->all, U, out->all, search->results, room,
                                               room + out->all);
        if (status)
            return status;
        for (int i = 0; i < out->all; i++)
            out->y[(size_t)i * (size_t)belief->outcomes + (size_t)j] = room[i];
    }
    out->first = search->initial < out->n ? search->initial : out->n;
    return CKG_OK;
}

static const double *row(const struct record *r, const struct ckg__lagrangian *l, int i)
{
    return r->y + (size_t)i * (size_t)l->outcomes;
}

/* How far design i is from feasible: Σ max(0, c)², by the band for an equality; 0: it is feasible. */
static double violation(const struct ckg__lagrangian *l, const double *y)
{
    double sum = 0;

    for (int j = 1; j < l->outcomes; j++) {
        const struct ckg__multiplied *term = &l->term[j];
        const double off = fmax(y[j] - term->upper, term->lower - y[j]);
        if (!term->by_chance && off > slip)
            sum += off * off;
    }
    return sum;
}

/* Of the first n designs: the smallest violation among those that have one, and whether some has none. */
static double smallest_violation(const struct ckg__lagrangian *l, const struct record *r, int n,
                                 int *feasible)
{
    double least = INFINITY;

    *feasible = 0;
    for (int i = 0; i < n; i++) {
        const double off = violation(l, row(r, l, i));
        *feasible |= off == 0;
        least = off > 0 ? fmin(least, off) : least;
    }
    return least;
}

/* The design with the smallest Lagrangian among the first n. */
static int best_of(const struct ckg__lagrangian *l, const struct record *r, int n)
{
    double least = INFINITY;
    int best = 0;

    for (int i = 0; i < n; i++) {
        const double value = ckg__lagrangian_at(l, row(r, l, i));
        best = value < least ? i : best;
        least = fmin(least, value);
    }
    return best;
}

static double within(double x, double low, double high)
{
    return fmin(fmax(x, low), high);
}

/* How the multipliers go: the longest step of each, and its last one. */
struct pace {
    double most[CKG__MAX_OUTCOMES], last[CKG__MAX_OUTCOMES];
};

static void pace_begin(const struct ckg__lagrangian *l, struct pace *pace)
{
    for (int j = 1; j < l->outcomes; j++) {
        pace->most[j] = first_step;
        pace->last[j] = 0;
    }
}

/* The step of a multiplier that would go the whole way: longer while steps agree, shorter when they turn. */
static double paced(struct pace *pace, int j, double whole)
{
    if (pace->last[j] * whole < 0)
        pace->most[j] = fmax(0.5 * pace->most[j], shortest_step);
    else if (pace->last[j] * whole > 0)
        pace->most[j] = fmin(1.2 * pace->most[j], longest_step);
    pace->last[j] = whole;
    return within(whole, -pace->most[j], pace->most[j]);
}

/* λ ← λ + c/ρ by what the best of the first n designs breaks or leaves; returns that design's violation. */
static double move_multipliers(struct ckg__lagrangian *l, const struct record *r, int n, struct pace *pace)
{
    const double *y = row(r, l, best_of(l, r, n));

    for (int j = 1; j < l->outcomes; j++) {
        struct ckg__multiplied *term = &l->term[j];
        const double c = ckg__multiplied_excess(term, y[j], NULL);
        if (term->by_chance || (!term->equal && term->lambda == 0 && c <= 0))
            continue;
        term->lambda = within(term->lambda + paced(pace, j, c / l->rho), term->equal ? -most_lambda : 0,
                              most_lambda);
    }
    return violation(l, y);
}

/* The step after the first n designs. */
static void step(struct ckg__lagrangian *l, const struct record *r, int n, struct pace *pace)
{
    int feasible;
    const double least = smallest_violation(l, r, n, &feasible);

    /* Nothing feasible yet: the penalty gets stricter, */
    if (!feasible)
        l->rho = within(fmin(0.5 * least, 0.9 * l->rho), fmax(0.5 * l->rho, least_rho), most_rho);

    /* and where the multipliers alone leave the best design infeasible. */
    else if (move_multipliers(l, r, n, pace) > 0)
        l->rho = fmax(0.5 * l->rho, least_rho);
}

/* Limits and targets of the belief's constraints, without multipliers yet. */
static void begin(const struct ckg__search *search, const struct ckg__belief *belief, int slack,
                  struct ckg__lagrangian *out)
{
    const struct ckg__surrogates *models = search->scope->models;

    *out = (struct ckg__lagrangian){.belief = belief, .outcomes = belief->outcomes, .slack = slack, .rho = 1};
    for (int j = 1; j < belief->outcomes; j++)
        out->term[j] = (struct ckg__multiplied){.lower = belief->lower[j],
                                                .upper = belief->upper[j],
                                                .by_chance = ckg__gp_chance(belief->gp[j]) > 0};
    for (int j = 1; j < search->scope->problem->outcomes; j++) {
        struct ckg__multiplied *term = &out->term[models->surrogate[j].place];
        if (!ckg__is_equality(search->scope->problem, j) || belief->outcomes == 1)
            continue;
        term->equal = 1;
        term->target = 0.5 * (term->lower + term->upper);
    }
}

int ckg__multipliers_learn(struct ckg__search *search, const struct ckg__belief *belief, int slack,
                           struct ckg__lagrangian *out)
{
    struct record record;
    struct pace pace;
    int feasible;

    begin(search, belief, slack, out);
    const int status = read_record(search, belief, &record);
    if (status || !record.n)
        return status;

    /* The penalty balances objective and violations of the first designs; then it goes trial by trial. */
    out->rho = within(0.5 * smallest_violation(out, &record, record.first, &feasible), least_rho, most_rho);
    pace_begin(out, &pace);
    for (int n = record.first > 0 ? record.first : 1; n <= record.n; n++)
        step(out, &record, n, &pace);

    /* Among designs that are given the best one jumps, and so would they: they settle on these designs. */
    smallest_violation(out, &record, record.n, &feasible);
    pace_begin(out, &pace);
    for (int i = 0; feasible && i < SETTLE; i++)
        move_multipliers(out, &record, record.n, &pace);

    /* What is pending is taken at its mean, and counts as there: it is not to be asked for again. */
    out->best = ckg__lagrangian_at(out, row(&record, out, best_of(out, &record, record.all)));
    return CKG_OK;
}

/* --- at points --- */

/* The value at one point, its means and variances given, and the slopes in them. */
static double value_at(const struct ckg__lagrangian *l, const struct ckg__belief *belief, const double *mean,
                       double *var, double *in_mean, double *in_var)
{
    int floored[CKG__MAX_OUTCOMES];

    /* Variances no smaller than rounding leaves them. */
    for (int j = 0; j < belief->outcomes; j++) {
        const double floor = ckg__variance_floor(belief->gp[j]);
        floored[j] = !(var[j] > floor);
        var[j] = floored[j] ? floor : var[j];
    }

    /* The improvement, and the probability of what chance decides. */
    double value = l->slack ? ckg__lagrangian_slack(l, mean, var, in_mean, in_var)
                            : ckg__lagrangian_sampled(l, mean, var, in_mean, in_var);
    for (int j = 1; j < belief->outcomes; j++)
        if (l->term[j].by_chance) {
            const struct ckg__limits limits = ckg__belief_limits(belief, j);
            double slope[2];
            ckg__log_feasible(1, &mean[j], &var[j], &limits, &value, &slope[0], &slope[1]);
            if (in_mean) {
                in_mean[j] = slope[0];
                in_var[j] = slope[1];
            }
        }
    for (int j = 0; in_mean && j < belief->outcomes; j++)
        in_var[j] = floored[j] ? 0 : in_var[j];
    return value;
}

/* The improvement at a batch of points, plus the log probability of what chance decides, and its gradient. */
static int improvements(const struct ckg__lagrangian *l, int m, const double *U, int ldu,
                        struct ckg__arena *arena, double *value, double *gradient)
{
    const struct ckg__belief *belief = l->belief;
    const size_t points = (size_t)m;
    const size_t size = (size_t)ckg__belief_coordinates(belief) * points;
    struct ckg__batch of[CKG__MAX_OUTCOMES];

    assert(l->outcomes == belief->outcomes);
    for (int j = 0; j < belief->outcomes; j++)
        if (ckg__batch_at(belief->gp[j], m, U, ldu, gradient != NULL, arena, &of[j]))
            return CKG_ERR_NOMEM;
    if (gradient)
        memset(gradient, 0, size * sizeof *gradient);

    for (size_t p = 0; p < points; p++) {
        double mean[CKG__MAX_OUTCOMES], var[CKG__MAX_OUTCOMES];
        double in_mean[CKG__MAX_OUTCOMES], in_var[CKG__MAX_OUTCOMES];

        /* The value there. */
        for (int j = 0; j < belief->outcomes; j++) {
            mean[j] = of[j].mean[p];
            var[j] = of[j].var[p];
        }
        value[p] = value_at(l, belief, mean, var, gradient ? in_mean : NULL, gradient ? in_var : NULL);

        /* And on to the point. */
        for (int j = 0; gradient && j < belief->outcomes; j++)
            for (size_t at = p; at < size; at += points)
                gradient[at] += in_mean[j] * of[j].dmean[at] + in_var[j] * of[j].dvar[at];
    }
    return CKG_OK;
}

/* --- the acquisition --- */

static int at(void *context, int lookahead, int m, const double *U, int ldu, struct ckg__arena *arena,
              double *value, double *gradient)
{
    const struct ckg__lagrangian *lagrangian = context;

    return improvements(&lagrangian[lookahead], m, U, ldu, arena, value, gradient);
}

/* Standard normals, each with its mirror image. */
static int draw_nodes(const struct ckg__search *search, int outcomes, int draws, double **out)
{
    const size_t width = (size_t)outcomes;
    double *z = ckg__arena_doubles(search->results, (size_t)draws * width + 1);
    struct ckg__rng rng;

    *out = z;
    if (!z)
        return CKG_ERR_NOMEM;
    ckg__rng_seed(&rng, search->seed, search->stream, CKG__FOR_LAGRANGIANS);
    for (int i = 0; i < draws; i++)
        for (size_t j = 0; j < width; j++)
            z[(size_t)i * width + j] = i % 2 ? -z[(size_t)(i - 1) * width + j] : ckg__rng_normal(&rng);
    return CKG_OK;
}

int ckg__multipliers_acquire(struct ckg__search *search, int slack, int draws,
                             struct ckg__acquisition *acquisition)
{
    struct ckg__lagrangian *l = ckg__arena_get(search->results, (size_t)search->lookaheads, sizeof *l);
    double *z = NULL;

    assert(search->lookaheads > 0);
    if (!l)
        return CKG_ERR_NOMEM;
    *acquisition = (struct ckg__acquisition){l, at, 1, 1};

    int status = slack ? CKG_OK : draw_nodes(search, search->lookahead[0].belief->outcomes, draws, &z);
    for (int o = 0; !status && o < search->lookaheads; o++) {
        status = ckg__multipliers_learn(search, search->lookahead[o].belief, slack, &l[o]);
        l[o].draws = draws;
        l[o].z = z;
    }
    return status;
}
