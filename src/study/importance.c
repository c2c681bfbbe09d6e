/*
 * What each parameter matters: total-effect indices (Homma and Saltelli 1996) of functions drawn from an
 * outcome's posterior, over all designs of the box, each as likely as any other. Parameter i has
 *
 *     T_i = E (f(a) − f(a_i))² / (2 Var f),
 *
 * with a and a_i two designs that differ in parameter i alone (Jansen 1999): the share of the outcome's
 * variance that would be left if all other parameters were known. Draws under each belief say how sure that
 * is.
 *
 * A joint draw at m points costs m³/3, so it is made at few groups of points a, a_1 … a_d, and the mean at
 * many: both parts of T are those of the mean at the many, and the few add by how much the draw differs from
 * the mean there. What the models are sure of has the accuracy of the many.
 */
#include <math.h>

#include "base/error.h"
#include "base/sorted.h"
#include "base/rng.h"
#include "design/sequence.h"
#include "study/study.h"

enum { DRAWS = 64, CHUNK = 64, MANY_POINTS = 32768, FEW_POINTS = 768 };

/* Groups of d+1 points, group by group, as the models see them. */
struct groups {
    int count; /* of groups */
    int m;     /* of points: count·(d+1) */
    double *U; /* D×m */
};

/* Both parts of the indices of one function, not yet divided. */
struct effects {
    double square[CKG_MAX_PARAMETERS]; /* (d) E (f(a) − f(a_i))² / 2 */
    double variance;
};

struct job {
    ckg_study *study;
    struct ckg__search *search;
    int outcome;
    int draws; /* of each belief */
    struct groups many, few;
    double *index; /* d × (beliefs·draws) */
};

static int between(int value, int low, int high)
{
    return value < low ? low : value > high ? high : value;
}

/* Scrambled Sobol points in 2d dimensions: the first half is a, the other half what its coordinates become.
 */
static int lay_groups(const struct ckg__search *search, int count, uint64_t purpose, struct groups *out)
{
    const int d = search->scope->problem->d;
    const int D = search->scope->problem->D;
    double *cube = ckg__arena_doubles(search->results, (size_t)count * 2 * (size_t)d);
    double *u = ckg__arena_doubles(search->results, (size_t)D);
    struct ckg__rng rng;

    *out = (struct groups){count, count * (d + 1), NULL};
    out->U = ckg__arena_doubles(search->results, (size_t)D * (size_t)out->m);
    if (!cube || !u || !out->U)
        return CKG_ERR_NOMEM;

    /* Each group is a, and a with one coordinate after the other exchanged. */
    ckg__rng_seed(&rng, search->seed, search->stream, purpose);
    ckg__design_sobol(ckg__rng_next(&rng), 0, count, 2 * d, cube);
    for (int g = 0; g < count; g++) {
        double *a = cube + (size_t)g * 2 * (size_t)d;
        for (int i = -1; i < d; i++) {
            const double kept = i < 0 ? 0 : a[i];
            if (i >= 0)
                a[i] = a[d + i];
            ckg__problem_on_lattice(search->scope->problem, a, u);
            ckg__point_put(D, u, out->U, out->m, g * (d + 1) + i + 1);
            if (i >= 0)
                a[i] = kept;
        }
    }
    return CKG_OK;
}

/* The values (m) from the model's units into the outcome's. */
static void in_units(const struct job *job, int m, double *value)
{
    double unused;

    for (int p = 0; p < m; p++)
        ckg__surrogates_moments(&job->study->models, job->outcome, value[p], 0, &value[p], &unused);
}

/* Of a function with these values at the points of the groups. Every point is as likely as any other. */
static void find_effects(int d, const struct groups *groups, const double *value, struct effects *out)
{
    double mean = 0;
    double sum = 0;

    /* Its variance, over all points. */
    for (int p = 0; p < groups->m; p++)
        mean += value[p] / groups->m;
    for (int p = 0; p < groups->m; p++)
        sum += (value[p] - mean) * (value[p] - mean);
    out->variance = sum / groups->m;

    /* What each parameter alone changes. */
    for (int i = 0; i < d; i++)
        out->square[i] = 0;
    for (int g = 0; g < groups->count; g++) {
        const double *at = value + (size_t)g * (size_t)(d + 1);
        for (int i = 0; i < d; i++)
            out->square[i] += 0.5 * (at[i + 1] - at[0]) * (at[i + 1] - at[0]) / groups->count;
    }
}

/* The mean (m) at all points of the groups. */
static int mean_at(const struct ckg__gp *gp, const struct groups *groups, struct ckg__arena *arena,
                   double *mean)
{
    double *slope = ckg__arena_doubles(arena, (size_t)ckg__gp_coordinates(gp) * CHUNK);
    int status = slope ? CKG_OK : CKG_ERR_NOMEM;

    /* The slopes that come with the means are not wanted; by chunks they need little room. */
    for (int first = 0; !status && first < groups->m; first += CHUNK) {
        const int m = groups->m - first < CHUNK ? groups->m - first : CHUNK;
        status = ckg__posterior_mean(gp, m, groups->U + first, groups->m, arena, mean + first, slope);
    }
    return status;
}

/*
 * The index of parameter i in a draw, from the mean's parts at the many points, and the draw's and the mean's
 * at the few. An outcome that does not vary depends on nothing.
 */
static double index_of(const struct effects *many, const struct effects *drawn, const struct effects *mean,
                       int i)
{
    const double square = many->square[i] + drawn->square[i] - mean->square[i];
    const double variance = many->variance + drawn->variance - mean->variance;

    if (variance > 0)
        return fmin(fmax(square / variance, 0), 1);
    return drawn->variance > 0 ? fmin(drawn->square[i] / drawn->variance, 1) : 0;
}

/* The draws (draws × m) under one belief at the few points, in the outcome's units; and the mean (m) there.
 */
static int draw(const struct job *job, int belief, const struct ckg__gp *gp, struct ckg__arena *arena,
                double *mean, double *value)
{
    const struct ckg__search *search = job->search;
    const int m = job->few.m;
    struct ckg__view view;
    struct ckg__rng rng;
    int status = ckg__view_make(&view, gp, m, job->few.U, m, arena);

    if (status)
        return status;
    ckg__rng_seed(&rng, search->seed, search->stream, CKG__FOR_IMPORTANCE_DRAWS + (uint64_t)belief);
    status = ckg__posterior_sample(gp, &view, &rng, job->draws, arena, value, NULL);
    for (int p = 0; p < m; p++)
        mean[p] = view.mean[p];
    in_units(job, m, mean);
    in_units(job, status ? 0 : m * job->draws, value);
    return status;
}

/* The indices of all draws under one belief. */
static int belief_task(void *context, int index, int worker)
{
    struct job *job = context;
    const ckg_study *s = job->study;
    const int d = s->problem->d;
    const int total = s->models.beliefs * job->draws;
    const struct ckg__gp *gp = s->models.belief[index].gp[s->models.surrogate[job->outcome].place];
    struct ckg__arena *arena = &job->search->arena[worker];
    double *many = ckg__arena_doubles(arena, (size_t)job->many.m);
    double *mean = ckg__arena_doubles(arena, (size_t)job->few.m);
    double *value = ckg__arena_doubles(arena, (size_t)job->few.m * (size_t)job->draws);
    struct effects effects[3]; /* of the mean at the many points, of a draw, of the mean at the few */

    /* The mean at many points, draws at few. */
    int status = many && mean && value ? mean_at(gp, &job->many, arena, many) : CKG_ERR_NOMEM;
    if (!status)
        status = draw(job, index, gp, arena, mean, value);
    if (!status) {
        in_units(job, job->many.m, many);
        find_effects(d, &job->many, many, &effects[0]);
        find_effects(d, &job->few, mean, &effects[2]);
    }

    /* What each draw makes of them. */
    for (int r = 0; !status && r < job->draws; r++) {
        find_effects(d, &job->few, value + (size_t)r * (size_t)job->few.m, &effects[1]);
        for (int i = 0; i < d; i++)
            job->index[(size_t)i * (size_t)total + (size_t)(index * job->draws + r)] = index_of(
                &effects[0], &effects[1], &effects[2], i);
    }
    return status;
}

/* Of each parameter the mean over the draws, and what nine of ten lie between. */
static void sum_up(const struct job *job, double *index, double *total, double *low, double *high)
{
    const int d = job->study->problem->d;
    const int draws = job->study->models.beliefs * job->draws;

    for (int i = 0; i < d; i++) {
        double *of = index + (size_t)i * (size_t)draws;
        double sum = 0;

        ckg__sort(of, draws);
        for (int r = 0; r < draws; r++)
            sum += of[r];
        if (total)
            total[i] = sum / draws;
        if (low)
            low[i] = of[draws / 20];
        if (high)
            high[i] = of[draws - 1 - draws / 20];
    }
}

static int find_importance(struct job *job, double *total, double *low, double *high)
{
    const ckg_study *s = job->study;
    const size_t d = (size_t)s->problem->d;
    const int beliefs = s->models.beliefs;
    const int group = s->problem->d + 1;

    /* Where to look. */
    int status = lay_groups(job->search, between(MANY_POINTS / group, 64, 1024), CKG__FOR_IMPORTANCE_MANY,
                            &job->many);
    if (!status)
        status = lay_groups(job->search, between(FEW_POINTS / group, 4, 128), CKG__FOR_IMPORTANCE_FEW,
                            &job->few);

    /* The indices of every draw. */
    job->draws = (DRAWS + beliefs - 1) / beliefs;
    job->index = ckg__arena_doubles(job->search->results, d * (size_t)(beliefs * job->draws));
    if (!status && !job->index)
        status = CKG_ERR_NOMEM;
    if (!status)
        status = ckg__search_run(job->search, beliefs, belief_task, job);

    if (!status)
        sum_up(job, job->index, total, low, high);
    return status;
}

/* Nothing is known of an outcome that was never measured. */
static void withhold(int d, double *total, double *low, double *high)
{
    double *const outputs[] = {total, low, high};

    for (size_t k = 0; k < sizeof outputs / sizeof *outputs; k++)
        for (int i = 0; outputs[k] && i < d; i++)
            outputs[k][i] = NAN;
}

int ckg_study_importance(ckg_study *s, int outcome, double *total, double *low, double *high)
{
    struct ckg__search search;

    ckg__error_clear();
    if (!s)
        return ckg__fail(CKG_ERR_INVALID, "ckg_study_importance: study is NULL");
    if (outcome < 0 || outcome >= s->problem->outcomes)
        return ckg__fail(CKG_ERR_NOT_FOUND, "there is no outcome %d", outcome);

    ckg__interrupt_begin(&s->interrupt, 0);
    int status = ckg__study_believe(s, NULL, ckg__clock(), &search);
    struct job job = {.study = s, .search = &search, .outcome = outcome};

    if (!status && !ckg__surrogates_of(&s->models, outcome)->series.n)
        withhold(s->problem->d, total, low, high);
    else if (!status)
        status = find_importance(&job, total, low, high);
    return ckg__study_end_search(s, status);
}
