/*
 * One search for a design: the beliefs, the points they are looked at on, where each would recommend, and the
 * helpers that every policy uses. All scratch lives in the arenas and is released by whoever began the
 * search.
 */
#ifndef CKG_SEARCH_SEARCH_H
#define CKG_SEARCH_SEARCH_H

#include <math.h>
#include <stdint.h>

#include "base/threads.h"
#include "search/scope.h"
#include "optim/multistart.h"

/* How hard to look where nobody says otherwise; the rest is in search_size.c. */
enum {
    CKG__CANDIDATES = 96,
    CKG__POINTS = 128,
    CKG__POINTS_SAMPLED = 96, /* under each of several beliefs */
    CKG__LOCAL = 40,
    CKG__INNER = 4,
    CKG__REFINE = 2
};

/* How hard to look. */
struct ckg__search_size {
    int base;             /* space-filling points of the discretisation */
    int data;             /* evaluated designs in it, at most */
    int local;            /* points around x_r */
    int candidates;       /* space-filling candidates */
    int scout_nodes;      /* Z_c nodes for screening */
    int nodes_one, nodes; /* and for what comes after it, for one constraint and for more */
    int surprises;        /* values of Z_y whose maximisers join X_d when there is no constraint */
    int pairs_one, pairs; /* pairs (Z_y, Z_c) whose maximisers do, for one constraint and for more */
    int inner;            /* candidates that get inner optimisation */
    int inner_evaluations;
    int refine; /* candidates refined by gradient */
    int refine_evaluations;
    int paper;   /* 1: the authors' rules for Z and refinement */
    int improve; /* 1: without noise the gain is the improvement of a design in hand (policy_auto.c) */
    /* one in so many trials looks everywhere, the others locally (trust_region.c); 0: all look everywhere */
    int global_every;
    double region; /* the first side of the region that they look in */
};

/* With one belief, with each of several, and as the paper's authors did. */
extern const struct ckg__search_size ckg__search_size_one, ckg__search_size_sampled, ckg__search_size_paper;

/*
 * One belief with its discretisation: base points, then local points around x_r, then x_r. What it has grows
 * by stages: the beliefs, M and the base points (ckg__search_penalty), x_r and the rest
 * (ckg__search_recommend).
 */
struct ckg__lookahead {
    struct ckg__belief *belief; /* the search's own copy, M in it */
    /* over all outcomes: the same one, but for a policy that looks at the objective alone */
    struct ckg__belief *full;
    double *U; /* D×room, the discretisation */
    int room;
    int m;                                    /* points of it */
    int r;                                    /* the number of x_r among them */
    struct ckg__view view[CKG__MAX_OUTCOMES]; /* of the points */
    double *gain;                             /* (m) μ − M */
    double *x_r;                              /* (D) */
    double log_utility;                       /* log((μ − M)·PF) at x_r */
    double width;                             /* over which PF falls at x_r, in the unit cube */
    int active[CKG__MAX_OUTCOMES];            /* 1: the constraint is near its limit at x_r */
};

struct ckg__policy;

struct ckg__search {
    const struct ckg__scope *scope;
    uint64_t revision; /* of its data */
    int initial;       /* designs of the study's initial design */
    int budget;        /* evaluations in all; 0: not known */
    struct ckg__search_size size;
    const struct ckg__policy *policy; /* for which it began; NULL: for a recommendation */
    const void *settings;    /* its struct (policy/settings.h); another row gets a search with its own */
    const double *objective; /* (trials) what was measured of it, in model units; NAN: nothing */
    struct ckg__pool *pool;
    struct ckg__arena *arena;   /* (threads) scratch of each worker */
    struct ckg__arena *results; /* what outlives a task; used by one thread */
    uint64_t seed, stream;
    double deadline; /* on the monotonic clock; INFINITY: none */
    int lookaheads;
    struct ckg__lookahead *lookahead;
    double penalty;     /* M as it is set, in the objective's units; NAN: the smallest mean of each belief */
    int base;           /* points of the shared part of the discretisations */
    double *U;          /* D×base */
    int enumerated;     /* 1: the base holds every design there is */
    void **kept;        /* what the policy's source of scopes keeps between searches */
    int looks;          /* beliefs that it looks through at most; 0: all */
    int everywhere;     /* 1: the trust region is not for it */
    int weighted;       /* 1: values are times the probability, by lookahead->full, of feasibility there */
    int apart;          /* 1: the choice is a design and what to measure there (measurement.h) */
    double budget_left; /* what that may cost; INFINITY: anything */
};

/* Points are columns: coordinate k of point p is U[k·ldu + p]. u (D) ← point p, and the other way round. */
static inline void ckg__point_get(int D, const double *U, int ldu, int p, double *u)
{
    for (int k = 0; k < D; k++)
        u[k] = U[(size_t)k * (size_t)ldu + (size_t)p];
}

static inline void ckg__point_put(int D, const double *u, double *U, int ldu, int p)
{
    for (int k = 0; k < D; k++)
        U[(size_t)k * (size_t)ldu + (size_t)p] = u[k];
}

/* U (D×count) ← designs at u, D each in a row: those numbered in rows (count), or (NULL) the first. */
static inline void ckg__point_columns(int D, const double *u, int count, const int *rows, double *U)
{
    for (int p = 0; p < count; p++)
        ckg__point_put(D, u + (size_t)(rows ? rows[p] : p) * (size_t)D, U, count, p);
}

/* How far u (D) is from point p, by the coordinate in which they differ most. */
static inline double ckg__point_distance(int D, const double *u, const double *U, int ldu, int p)
{
    double far = 0;
    for (int k = 0; k < D; k++)
        far = fmax(far, fabs(u[k] - U[(size_t)k * (size_t)ldu + (size_t)p]));
    return far;
}

/* The region's scope where a look into it is due (trust_region.c). */
extern const struct ckg__scope_source ckg__trust_region;

/* The team that a task on `worker` may share its work with. */
struct ckg__workers ckg__search_workers(const struct ckg__search *search, int worker);

/* 1 once the time limit has passed, or the caller wants no result any more. */
int ckg__search_late(const struct ckg__search *search);

/*
 * There is something to suggest. Before that, a search that the time limit overtakes is given up; from here
 * on, what is left of it ends by ckg__search_late with the best that it has.
 */
void ckg__search_secure(const struct ckg__search *search);

/* Chooses the base points: space-filling ones and the data, or every design of a small finite problem. */
int ckg__search_points(struct ckg__search *search);

/*
 * A lookahead for each of the models' beliefs, or for one of them drawn by chance; `alone`: they know the
 * objective and no constraint.
 */
int ckg__search_lookaheads(struct ckg__search *search, int one, int alone);

/* The smallest M of all beliefs, in model units: that of averages. */
double ckg__search_common_penalty(const struct ckg__search *search);

/* M of every belief, and its view of the objective at the base points. */
int ckg__search_penalty(struct ckg__search *search);

/* The beliefs' views of those outcomes at the base points; ckg__search_penalty makes the objective's. */
int ckg__search_view_base(struct ckg__search *search, int first, int outcomes);

/* x_r of every belief, and the rest of its discretisation. */
int ckg__search_recommend(struct ckg__search *search);

/*
 * 1 when a search that has stalled should look at new ground: every second trial, without noise every third.
 */
int ckg__search_turn(const struct ckg__search *search, int noisy);

/*
 * The same for a search without noise that is down to the last digits of a good design: the more parameters,
 * the less there is to hope for from a look at new ground.
 */
int ckg__search_rare_turn(const struct ckg__search *search);

/*
 * `count` space-filling lattice points, D×count into U (leading dimension ldu); the purpose tells sets apart.
 */
int ckg__search_fill(const struct ckg__search *search, uint64_t purpose, int count, double *U, int ldu,
                     struct ckg__arena *arena);

/*
 * `count` space-filling points of which every real goes to the nearer end of its range or stays, at even
 * odds, into columns of U: models know least there. What breaks a rule comes back towards `from` (D). Each
 * `set` is another.
 */
int ckg__search_faces(const struct ckg__search *search, uint64_t set, const double *from, int count,
                      double *U, int ldu);

/*
 * Around x_r, reals alone moved: half of the points at 0.3 … 30 widths along gradients and random directions,
 * half along the edge of the feasible region, where the maximisers after a sample lie: U (D×count).
 */
int ckg__search_around(const struct ckg__search *search, const struct ckg__lookahead *lookahead,
                       uint64_t purpose, int count, double *U, int ldu, struct ckg__arena *arena);

/*
 * The columns of U (D×count) that break a rule go to the nearest point that does not, or back towards `from`
 * (D). scratch (D).
 */
void ckg__search_bring_back(const struct ckg__search *search, const double *from, int count, double *U,
                            int ldu, double *scratch);

/*
 * Lattice neighbours of u (D): steps of integers, other values of categoricals; at most `most`, *count of
 * them.
 */
int ckg__search_neighbours(const struct ckg__search *search, const double *u, uint64_t purpose, int most,
                           double *U, int ldu, struct ckg__arena *arena, int *count);

/*
 * 1 when the design at u may not be suggested: it breaks a rule, is settled or pending. x (d) is its value in
 * the user's units.
 */
int ckg__search_taken(const struct ckg__search *search, const double *u, double *x);

/*
 * Runs tasks 0 … count−1 on the pool and returns the first bad status. What a task takes from the arena of
 * its worker is released after it.
 */
typedef int (*ckg__search_task)(void *context, int index, int worker);
int ckg__search_run(const struct ckg__search *search, int count, ckg__search_task task, void *context);

#endif
