/*
 * The feasible region first, then the optimum inside it. A support vector machine tells
 * designs that were feasible from those that were not, by h(u) above or below 0. The first evaluations refine
 * its edge: they minimise |h(u)| + Σ_i exp(−|u − u_i|²/(2σ²)), near the edge and far from what was evaluated.
 * The others maximise the upper confidence bound μ + √β·s of the objective where h(u) ≥ 0; beyond the edge it
 * falls by `steep` for every unit of h, so that a search that begins outside finds its way in. Climbs want no
 * kinks: |h| is √(h² + blunt²) in both.
 *
 * All that it asks of a constraint is whether it was met. Where all designs were feasible, or none, there is
 * no edge yet: then h is 1, and while nothing is feasible the first phase goes on. Neither phase knows when
 * there is nothing left to learn at its best design, a corner for instance: new ground is looked at instead
 * where that is a hair away from a design that is settled or under way.
 *
 * Reference: Antonio 2019, Sequential model based optimization of partially defined functions under unknown
 * constraints.
 */
#include <assert.h>
#include <math.h>

#include "base/maths.h"
#include "policy/policy.h"

/* clang-format off */
#define SETTINGS(X) \
    X(boundary, {.value = NAN}, 0, 100000, 1, \
      "trials before the optimum is sought, which refine the edge; automatic: the initial design and half " \
      "of the rest of the budget, at most 10·d") \
    X(beta, {.value = 4}, 0, 1000, 0, "squared weight of the standard deviation in the bound") \
    X(cost, {.value = 1000}, 1e-3, 1e9, 0, "C, what a design on the wrong side of the edge costs") \
    X(width, {.value = NAN}, 1e-3, 1e3, 0, \
      "of the machine's kernel in the unit cube; automatic: a quarter, times √(d/2)") \
    CKG__CANDIDATES_SETTING(X)
/* clang-format on */
CKG__SETTINGS(settings, parameters, SETTINGS);

/* --- the machine --- */

/*
 * From points with labels 1 and −1 a function that is above 0 where the first are expected and below where
 * the others are: h(u) = Σ_i y_i α_i κ(u, u_i) + b, κ(u, v) = exp(−|u − v|²/(2σ²)).
 *
 * By sequential minimal optimisation: minimise ½αᵀQα − Σα, Q_ij = y_i y_j κ_ij, over
 * 0 ≤ α_i ≤ C with Σ y_i α_i = 0, two variables at a time. With G = Qα − 1 the slopes, the pair is the one
 * that breaks the conditions of optimality by most: i is the largest −y G among those that may go up, j among
 * those that may go down promises the most by second order. b is halfway between the two when nothing is left
 * to gain.
 *
 * Reference: Platt 1998; the choice of the pair by Fan, Chen and Lin 2005, as in libsvm, whose values the
 * tests have. Written out rather than linked: it is C++ with global state and a voice of its own, and what is
 * needed of it is this file.
 *
 * Cost: n² for the kernel, n a step, and some n to 100·n steps; up to 100,000 where labels contradict each
 * other and C is large, which then ends within 1e-6 or so of the optimum.
 */

struct svm {
    int D, n;
    double *U;      /* D×n, leading dimension n: the points */
    double *weight; /* (n) y_i α_i */
    double b;
    double width; /* σ */
};

/* Conditions may be broken by so much when the work is done; and it ends after so many steps anyway. */
static const double enough = 1e-9;
enum { STEPS = 100000 };

/* A pair whose curvature is below this counts as straight. */
static const double least_curvature = 1e-12;

struct training {
    int n;
    const signed char *y;
    const double *K; /* n×n */
    double cost;
    double *alpha, *G; /* (n) */
};

/* 1 when y α may grow, and when it may shrink. */
static int goes_up(const struct training *t, int i)
{
    return t->y[i] > 0 ? t->alpha[i] < t->cost : t->alpha[i] > 0;
}

static int goes_down(const struct training *t, int i)
{
    return t->y[i] > 0 ? t->alpha[i] > 0 : t->alpha[i] < t->cost;
}

static double kernel(const struct training *t, int i, int j)
{
    return t->K[(size_t)i * (size_t)t->n + (size_t)j];
}

static double curvature(const struct training *t, int i, int j)
{
    return fmax(kernel(t, i, i) + kernel(t, j, j) - 2 * kernel(t, i, j), least_curvature);
}

/* The pair to change, and by how much optimality is broken. */
static double find_pair(const struct training *t, int *up, int *down)
{
    double most = -INFINITY;
    double least = INFINITY;
    double best = INFINITY;

    *up = *down = -1;
    for (int i = 0; i < t->n; i++)
        if (goes_up(t, i) && -t->y[i] * t->G[i] > most) {
            most = -t->y[i] * t->G[i];
            *up = i;
        }
    for (int j = 0; *up >= 0 && j < t->n; j++) {
        const double slope = -t->y[j] * t->G[j];
        if (!goes_down(t, j))
            continue;
        least = fmin(least, slope);
        if (!(most > slope))
            continue;
        const double promise = -(most - slope) * (most - slope) / curvature(t, *up, j);
        if (promise < best) {
            best = promise;
            *down = j;
        }
    }
    return *down < 0 ? 0 : most - least;
}

/* Moves the two along Σ y α = 0, as far as that gains and both stay in their box. */
static void move_pair(struct training *t, int i, int j)
{
    const double slope = -t->y[i] * t->G[i] + t->y[j] * t->G[j];
    const double room_i = t->y[i] > 0 ? t->cost - t->alpha[i] : t->alpha[i];
    const double room_j = t->y[j] > 0 ? t->alpha[j] : t->cost - t->alpha[j];
    const double step = fmin(slope / curvature(t, i, j), fmin(room_i, room_j));

    t->alpha[i] += t->y[i] * step;
    t->alpha[j] -= t->y[j] * step;

    /* One that has arrived at the end of its room is there to the last bit. */
    if (step == room_i)
        t->alpha[i] = t->y[i] > 0 ? t->cost : 0;
    if (step == room_j)
        t->alpha[j] = t->y[j] > 0 ? 0 : t->cost;
    for (int k = 0; k < t->n; k++)
        t->G[k] += t->y[k] * step * (kernel(t, i, k) - kernel(t, j, k));
}

/* b: the mean of −y G over the free ones, or the middle of what the others leave. */
static double offset(const struct training *t)
{
    double low = -INFINITY;
    double high = INFINITY;
    double sum = 0;
    int count = 0;

    for (int i = 0; i < t->n; i++) {
        const double slope = -t->y[i] * t->G[i];
        if (goes_up(t, i) && goes_down(t, i)) {
            sum += slope;
            count++;
        }
        if (goes_up(t, i))
            low = fmax(low, slope);
        if (goes_down(t, i))
            high = fmin(high, slope);
    }
    return count ? sum / count : 0.5 * (low + high);
}

static double squared_distance(int D, const double *u, const double *U, int ldu, int p)
{
    double sum = 0;

    for (int k = 0; k < D; k++) {
        const double step = u[k] - U[(size_t)k * (size_t)ldu + (size_t)p];
        sum += step * step;
    }
    return sum;
}

/* K (n×n). */
static void fill_kernel(int D, int n, const double *U, double width, double *K)
{
    for (size_t i = 0; i < (size_t)n; i++)
        for (size_t j = 0; j < (size_t)n; j++) {
            double r2 = 0;
            for (size_t k = 0; k < (size_t)D; k++)
                r2 += ckg__square(U[k * (size_t)n + i] - U[k * (size_t)n + j]);
            K[i * (size_t)n + j] = ckg__exp(-0.5 * r2 / (width * width));
        }
}

/*
 * Trains it on points U (D×n, leading dimension n) with labels (n) of 1 and −1, both of which occur; `cost`
 * is C, what a point on the wrong side costs. Keeps U; memory from `keep`, which is not `scratch`.
 */
static int train_svm(struct svm *svm, int D, int n, double *U, const signed char *label, double cost,
                     double width, struct ckg__arena *keep, struct ckg__arena *scratch)
{
    struct ckg__arena_mark mark = ckg__arena_mark(scratch);
    const size_t rows = (size_t)n;
    double *K = ckg__arena_doubles(scratch, rows * rows);
    struct training t = {.n = n, .y = label, .K = K, .cost = cost};
    int up;
    int down;

    assert(n > 1 && cost > 0 && width > 0 && keep != scratch);
    *svm = (struct svm){.D = D, .n = n, .U = U, .width = width};
    svm->weight = ckg__arena_doubles(keep, rows);
    t.alpha = svm->weight;
    t.G = ckg__arena_doubles(scratch, rows);
    if (!K || !t.alpha || !t.G)
        return CKG_ERR_NOMEM;

    /* From nothing. */
    fill_kernel(D, n, U, width, K);
    for (int i = 0; i < n; i++) {
        t.alpha[i] = 0;
        t.G[i] = -1;
    }

    /* Pair by pair. */
    for (int step = 0; step < STEPS && find_pair(&t, &up, &down) > enough; step++)
        move_pair(&t, up, down);

    /* The function that they make. */
    svm->b = offset(&t);
    for (int i = 0; i < n; i++)
        svm->weight[i] = label[i] * t.alpha[i];
    ckg__arena_release(scratch, mark);
    return CKG_OK;
}

/* Σ_i w_i κ(u, u_i), w_i = 1 where weight is NULL, and unless NULL its gradient (D). */
static double sum_at(const struct svm *svm, const double *weight, const double *u, double *gradient)
{
    const double scale = 1 / (svm->width * svm->width);
    double sum = 0;

    for (int k = 0; gradient && k < svm->D; k++)
        gradient[k] = 0;
    for (int i = 0; i < svm->n; i++) {
        const double r2 = squared_distance(svm->D, u, svm->U, svm->n, i);
        const double part = (weight ? weight[i] : 1) * ckg__exp(-0.5 * scale * r2);
        sum += part;
        for (int k = 0; gradient && k < svm->D; k++)
            gradient[k] -= part * scale * (u[k] - svm->U[(size_t)k * (size_t)svm->n + (size_t)i]);
    }
    return sum;
}

/* h at u, and unless NULL its gradient (D). */
static double side_of(const struct svm *svm, const double *u, double *gradient)
{
    return svm->b + sum_at(svm, svm->weight, u, gradient);
}

/* Σ_i κ(u, u_i), and unless NULL its gradient (D): how well the points cover u. */
static double nearness(const struct svm *svm, const double *u, double *gradient)
{
    return sum_at(svm, NULL, u, gradient);
}

/* The machine learns from so many designs, the newest. */
enum { MOST = 1000 };

/* What the bound loses for each unit of h beyond the edge, in model units of the objective. */
static const double steep = 10;

/* Where h is rounded off at the edge; it is 1 on the margin. */
static const double blunt = 0.01;

/* Designs so near to each other, in the unit cube, are the same but for a hair. */
static const double hair = 1e-5;

struct context {
    const struct ckg__search *search;
    struct svm cover; /* all designs, those that are pending included; no weights */
    struct svm edge;  /* those with a label; NULL weights: there is no edge */
    int refine;       /* 1: the first phase */
};

/* --- what is known --- */

/* 1 feasible, −1 not, 0 unknown: the newest trial of the design that says so; a failure is not. */
static int label_of(const struct ckg__data *data, int design)
{
    for (int t = data->newest[design]; t >= 0; t = data->trial[t].before) {
        const struct ckg__trial *trial = &data->trial[t];
        const int feasible = ckg__data_feasible(data, trial);
        if (trial->state == CKG_FAILED)
            return -1;
        if (feasible >= 0)
            return feasible ? 1 : -1;
    }
    return 0;
}

/* The designs that count, the newest, and their labels; those without one too, or not. */
static int list_designs(const struct ckg__data *data, int labelled, int *design, signed char *label)
{
    int n = 0;

    for (int i = data->designs - 1; i >= 0 && n < MOST; i--) {
        const int known = label_of(data, i);
        if (labelled && !known)
            continue;
        label[n] = (signed char)known;
        design[n++] = i;
    }
    return n;
}

/* How wide the kernel is: as given, or a quarter of the square's side, wider with more parameters. */
static double width_of(const struct ckg__search *search)
{
    const struct settings *set = search->settings;

    return isnan(set->width) ? 0.25 * sqrt(0.5 * search->scope->problem->d) : set->width;
}

/* The machine of the designs that have a label; *kinds: which labels there are, 1 feasible and 2 not. */
static int learn(const struct ckg__search *search, int *design, signed char *label, struct svm *svm,
                 int *kinds)
{
    const struct settings *set = search->settings;
    const struct ckg__data *data = search->scope->data;
    const int D = search->scope->problem->D;
    const int n = list_designs(data, 1, design, label);
    double *U = ckg__arena_doubles(search->results, (size_t)D * (size_t)n + 1);

    if (!U)
        return CKG_ERR_NOMEM;
    *kinds = 0;
    for (int i = 0; i < n; i++)
        *kinds |= label[i] > 0 ? 1 : 2;
    *svm = (struct svm){0};
    ckg__point_columns(D, data->u, n, design, U);
    return *kinds == 3 ? train_svm(svm, D, n, U, label, set->cost, width_of(search), search->results,
                                   &search->arena[0])
                       : CKG_OK;
}

/* So wide that designs which fill the cube sum to 1 everywhere, as much as h on its margin. */
static double spacing(int n, int d)
{
    static const double root_two_pi = 2.5066282746310002;

    return ckg__pow(n, -1.0 / d) / root_two_pi;
}

/* All designs, whatever became of them. */
static int cover(const struct ckg__search *search, int *design, signed char *label, struct svm *svm)
{
    const int D = search->scope->problem->D;
    const int n = list_designs(search->scope->data, 0, design, label);
    double *U = ckg__arena_doubles(search->results, (size_t)D * (size_t)n + 1);

    if (!U)
        return CKG_ERR_NOMEM;
    ckg__point_columns(D, search->scope->data->u, n, design, U);
    *svm = (struct svm){.D = D, .n = n, .U = U, .width = spacing(n, search->scope->problem->d)};
    return CKG_OK;
}

/* --- values --- */

/* h, and its gradient (D); 1 where there is no edge. */
static double edge_at(const struct context *c, const double *u, double *gradient)
{
    if (c->edge.weight)
        return side_of(&c->edge, u, gradient);
    for (int k = 0; k < c->search->scope->problem->D; k++)
        gradient[k] = 0;
    return 1;
}

/* |h|, rounded off; *slope: its derivative. */
static double away(double h, double *slope)
{
    const double size = sqrt(h * h + blunt * blunt);

    *slope = h / size;
    return size;
}

/* Room for a point and two gradients. */
struct point {
    double *u, *by_edge, *by_cover; /* (D) */
};

static int point_take(struct point *at, int D, struct ckg__arena *arena)
{
    at->u = ckg__arena_doubles(arena, 3 * (size_t)D);
    at->by_edge = at->u ? at->u + D : NULL;
    at->by_cover = at->u ? at->u + 2 * D : NULL;
    return at->u ? CKG_OK : CKG_ERR_NOMEM;
}

/* The first phase: how near to the edge, and how far from all designs. */
static int refine_at(const struct context *c, int m, const double *U, int ldu, struct ckg__arena *arena,
                     double *value, double *gradient)
{
    const int D = c->search->scope->problem->D;
    struct point at;

    if (point_take(&at, D, arena))
        return CKG_ERR_NOMEM;
    for (int p = 0; p < m; p++) {
        ckg__point_get(D, U, ldu, p, at.u);
        double slope;
        const double from_edge = away(edge_at(c, at.u, at.by_edge), &slope);
        value[p] = -from_edge - nearness(&c->cover, at.u, at.by_cover);
        for (int k = 0; gradient && k < D; k++)
            gradient[(size_t)k * (size_t)m + (size_t)p] = -slope * at.by_edge[k] - at.by_cover[k];
    }
    return CKG_OK;
}

/* The second phase: the bound, less what lies beyond the edge. */
static int bound_at(const struct context *c, const struct ckg__gp *gp, int m, const double *U, int ldu,
                    struct ckg__arena *arena, double *value, double *gradient)
{
    const int D = c->search->scope->problem->D;
    const struct settings *set = c->search->settings;
    const double root = sqrt(set->beta);
    const double floor = ckg__variance_floor(gp);
    struct ckg__batch batch;
    struct point at;

    /* The objective there. */
    if (point_take(&at, D, arena) || ckg__batch_at(gp, m, U, ldu, 1, arena, &batch))
        return CKG_ERR_NOMEM;

    /* Its bound, and on which side of the edge that is. */
    for (int p = 0; p < m; p++) {
        const int moves = batch.var[p] > floor;
        const double s = sqrt(moves ? batch.var[p] : floor);
        double slope;
        ckg__point_get(D, U, ldu, p, at.u);
        const double h = edge_at(c, at.u, at.by_edge);
        const double beyond = 0.5 * (away(h, &slope) - h);
        value[p] = batch.mean[p] + root * s - steep * beyond;
        for (int k = 0; gradient && k < D; k++) {
            const size_t i = (size_t)k * (size_t)m + (size_t)p;
            gradient[i] = batch.dmean[i] + (moves ? root * batch.dvar[i] / (2 * s) : 0) -
                          0.5 * steep * (slope - 1) * at.by_edge[k];
        }
    }
    return CKG_OK;
}

static int at(void *context, int lookahead, int m, const double *U, int ldu, struct ckg__arena *arena,
              double *value, double *gradient)
{
    const struct context *c = context;

    if (c->refine)
        return refine_at(c, m, U, ldu, arena, value, gradient);
    return bound_at(c, c->search->lookahead[lookahead].belief->gp[0], m, U, ldu, arena, value, gradient);
}

/*
 * How many trials there are before the optimum is sought: as given, or after the initial design half of what
 * the budget leaves, and no more than 10 for each parameter.
 */
static double boundary_of(const struct ckg__search *search)
{
    const struct settings *set = search->settings;
    const double longest = 10.0 * search->scope->problem->d;
    const double half = 0.5 * (search->budget - search->initial);

    if (!isnan(set->boundary))
        return set->boundary;
    return search->initial + (search->budget ? fmin(half, longest) : longest);
}

static int acquire(struct ckg__search *search, struct ckg__acquisition *acquisition)
{
    const size_t most = (size_t)search->scope->data->designs + 1;
    struct context *c = ckg__arena_get(search->results, 1, sizeof *c);
    int *design = ckg__arena_ints(search->results, most);
    signed char *label = ckg__arena_get(search->results, most, sizeof *label);
    int kinds = 0;

    if (!c || !design || !label)
        return CKG_ERR_NOMEM;
    *c = (struct context){.search = search};
    *acquisition = (struct ckg__acquisition){c, at, 0, 1};

    /* The edge, and what is covered. */
    int status = learn(search, design, label, &c->edge, &kinds);
    if (!status)
        status = cover(search, design, label, &c->cover);

    /* The first phase lasts so long, and until something is feasible; without constraints there is none. */
    c->refine = search->scope->problem->outcomes > 1 &&
                (search->scope->data->trials < boundary_of(search) || !(kinds & 1));
    return status;
}

/* 1 when nothing would be learned there: a hair away from a design that is settled or under way. */
static int stalled(const struct ckg__search *search, const struct ckg__choice *choice)
{
    const struct ckg__data *data = search->scope->data;
    const int D = search->scope->problem->D;

    for (int i = 0; i < data->designs; i++)
        if (ckg__point_distance(D, choice->u, data->u + (size_t)i * (size_t)D, 1, 0) < hair &&
            (ckg__data_settled(data, i) || ckg__data_pending(data, i)))
            return 1;
    return 0;
}

const struct ckg__policy ckg__policy_svmcbo = {
    .name = "svmcbo",
    .title = "a support vector machine finds the feasible region, then the optimum is sought inside",
    .reference = "Antonio 2019",
    .value = "at first −(distance from the edge + nearness to designs), then μ + √β·s inside the edge",
    CKG__TABLE(parameters),
    .traits = CKG__TRAIT_CERTAIN,
    .acquire = acquire,
    .stalled = stalled,
    .fallback = ckg__search_explore};
