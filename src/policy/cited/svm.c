/*
 * Support vector machines by sequential minimal optimisation: minimise ½αᵀQα − Σα, Q_ij = y_i y_j κ_ij, over
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
#include "policy/cited/svm.h"

#include <assert.h>
#include <math.h>

#include "base/error.h"
#include "base/maths.h"

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

int ckg__svm_train(struct ckg__svm *svm, int D, int n, double *U, const signed char *label, double cost,
                   double width, struct ckg__arena *keep, struct ckg__arena *scratch)
{
    struct ckg__arena_mark mark = ckg__arena_mark(scratch);
    const size_t rows = (size_t)n;
    double *K = ckg__arena_doubles(scratch, rows * rows);
    struct training t = {.n = n, .y = label, .K = K, .cost = cost};
    int up;
    int down;

    assert(n > 1 && cost > 0 && width > 0 && keep != scratch);
    *svm = (struct ckg__svm){.D = D, .n = n, .U = U, .width = width};
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
static double sum_at(const struct ckg__svm *svm, const double *weight, const double *u, double *gradient)
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

double ckg__svm_at(const struct ckg__svm *svm, const double *u, double *gradient)
{
    return svm->b + sum_at(svm, svm->weight, u, gradient);
}

double ckg__svm_cover(const struct ckg__svm *svm, const double *u, double *gradient)
{
    return sum_at(svm, NULL, u, gradient);
}
