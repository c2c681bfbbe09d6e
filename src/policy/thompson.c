/*
 * Joint draws at candidates: with C = LLᵀ the posterior covariance of an outcome at the m candidates, μ + Lz.
 * One task an outcome, each with numbers of its own. Cost m³/3 + m²n an outcome. Drawing the constraints
 * apart from the objective is drawing jointly: the processes are independent.
 */
#include "policy/thompson.h"

#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "linalg/dense.h"

enum { CHUNK = 64 };

int ckg__thompson_distinct(int D, int count, double *U)
{
    int kept = 0;

    for (int p = 0; p < count; p++) {
        int seen = 0;
        for (int q = 0; q < kept && !seen; q++) {
            int k = 0;
            while (k < D &&
                   U[(size_t)k * (size_t)count + (size_t)p] == U[(size_t)k * (size_t)count + (size_t)q])
                k++;
            seen = k == D;
        }
        for (int k = 0; !seen && k < D; k++)
            U[(size_t)k * (size_t)count + (size_t)kept] = U[(size_t)k * (size_t)count + (size_t)p];
        kept += !seen;
    }
    for (int k = 1; k < D && kept < count; k++)
        memmove(U + (size_t)k * (size_t)kept, U + (size_t)k * (size_t)count, (size_t)kept * sizeof *U);
    return kept;
}

struct job {
    struct ckg__search *search;
    struct ckg__thompson *draw;
    const double *U;
};

static int draw_task(void *context, int index, int worker)
{
    struct job *job = context;
    struct ckg__thompson *draw = job->draw;
    const struct ckg__gp *gp = draw->belief->gp[index];
    struct ckg__rng rng;

    /* A constraint that nearly repeats another is drawn with the same numbers. */
    const int like = draw->belief->beside[index] ? draw->belief->beside[index] : index;

    ckg__rng_seed(&rng, job->search->seed, job->search->stream, CKG__FOR_THOMPSON_DRAWS + (uint64_t)like);
    int status = ckg__view_fill(&draw->view[index], gp, job->U, draw->m, 0, draw->m);
    if (status)
        return status;
    status = ckg__posterior_draw(gp, &draw->view[index], &rng, &job->search->arena[worker],
                                 draw->value[index], draw->weights[index]);

    /* The other way round where it grows when that one gets smaller. */
    for (int p = 0; like != index && draw->belief->turn[index] < 0 && p < draw->m; p++) {
        draw->value[index][p] = 2 * draw->view[index].mean[p] - draw->value[index][p];
        draw->weights[index][p] = -draw->weights[index][p];
    }
    return status;
}

int ckg__thompson_make(struct ckg__search *search, const struct ckg__belief *belief, int m, const double *U,
                       struct ckg__thompson *draw)
{
    struct job job = {search, draw, U};
    *draw = (struct ckg__thompson){.belief = belief, .m = m};
    for (int j = 0; j < belief->outcomes; j++) {
        if (CKG__TAKE(search->results, CKG__ROOM(draw->value[j], (size_t)m + 1),
                      CKG__ROOM(draw->weights[j], (size_t)m + 1)) ||
            ckg__view_take(&draw->view[j], belief->gp[j], m, search->results))
            return CKG_ERR_NOMEM;
    }
    const int status = ckg__search_run(search, belief->outcomes, draw_task, &job);
    /* without candidates there is the mean to go by, and all that a draw is likely to reach */
    double mean, sd;
    ckg__gp_prior(belief->gp[0], &mean, &sd);
    draw->floor = m ? INFINITY : mean - 6 * sd;
    for (int p = 0; !status && p < m; p++)
        draw->floor = fmin(draw->floor, draw->value[0][p]);
    return status;
}

static double score_of(const struct ckg__thompson *draw, const double *const *value, int at)
{
    const double violation = ckg__belief_violation(draw->belief, value, at);
    return violation > 0 ? draw->floor - violation : fmax(draw->floor, value[0][at]);
}

int ckg__thompson_best(const struct ckg__thompson *draw, double *score)
{
    const double *const *value = (const double *const *)draw->value;
    int best = 0;
    *score = -INFINITY;
    for (int p = 0; p < draw->m; p++) {
        const double one = score_of(draw, value, p);
        if (one > *score) {
            *score = one;
            best = p;
        }
    }
    return best;
}

/* Outcome j of the draw at points of a view: μ + kⁿ(points, candidates)·weights. */
static void go_on(const struct ckg__thompson *draw, int j, const struct ckg__view *view, double *C,
                  double *value)
{
    const struct ckg__gp *gp = draw->belief->gp[j];
    ckg__view_covariance(gp, view, &draw->view[j], 0, draw->m, C, view->m);
    ckg__dense()->combine_rows(draw->m, view->m, C, view->m, draw->weights[j], value);
    for (int p = 0; p < view->m; p++)
        value[p] += view->mean[p];
}

int ckg__thompson_score(const struct ckg__thompson *draw, int count, const double *U,
                        struct ckg__arena *arena, double *score)
{
    struct ckg__arena_mark mark = ckg__arena_mark(arena);
    double *C = ckg__arena_doubles(arena, CHUNK * (size_t)draw->m + 1);
    double *value[CKG__MAX_OUTCOMES];
    int status = C ? CKG_OK : CKG_ERR_NOMEM;

    for (int j = 0; !status && j < draw->belief->outcomes; j++) {
        value[j] = ckg__arena_doubles(arena, CHUNK);
        status = value[j] ? CKG_OK : CKG_ERR_NOMEM;
    }
    for (int first = 0; !status && first < count; first += CHUNK) {
        const int m = count - first < CHUNK ? count - first : CHUNK;
        for (int j = 0; !status && j < draw->belief->outcomes; j++) {
            struct ckg__arena_mark inner = ckg__arena_mark(arena);
            struct ckg__view view;
            status = ckg__view_make(&view, draw->belief->gp[j], m, U + first, count, arena);
            if (!status)
                go_on(draw, j, &view, C, value[j]);
            ckg__arena_release(arena, inner);
        }
        for (int p = 0; !status && p < m; p++)
            score[first + p] = score_of(draw, (const double *const *)value, p);
    }
    ckg__arena_release(arena, mark);
    return status;
}

/* The draw at the candidates U (D×m); m is 0 when every design is taken. */
static int draw_now(struct ckg__search *search, ckg__thompson_lay lay, double **U, struct ckg__thompson *draw)
{
    int count;
    const int status = lay(search, U, &count);

    if (status)
        return status;
    count = ckg__thompson_distinct(search->scope->problem->D, count, *U);
    return ckg__thompson_make(search, search->lookahead[0].belief, count, *U, draw);
}

int ckg__thompson_choose(struct ckg__search *search, ckg__thompson_lay lay, struct ckg__choice *choice,
                         struct ckg__thompson *draw, int *best)
{
    const double clock = ckg__clock();
    double *U;
    const int status = draw_now(search, lay, &U, draw);

    choice->seconds.screen = ckg__clock() - clock;
    choice->found = !status && draw->m > 0;
    if (!choice->found)
        return status;
    choice->candidates = draw->m;
    *best = ckg__thompson_best(draw, &choice->value);
    ckg__point_get(search->scope->problem->D, U, draw->m, *best, choice->u);
    return CKG_OK;
}

int ckg__thompson_values(struct ckg__search *search, ckg__thompson_lay lay, int count, const double *U,
                         double *score)
{
    struct ckg__thompson draw;
    double *candidates;
    const int status = draw_now(search, lay, &candidates, &draw);

    return status ? status : ckg__thompson_score(&draw, count, U, search->results, score);
}
