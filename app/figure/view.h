/*
 * What figures and reports are made of: the study, its engine, the recommendation, and the parameters in the
 * order in which they matter. A figure asks the engine for the rest.
 */
#ifndef CKG_APP_VIEW_H
#define CKG_APP_VIEW_H

#include "base/pool.h"
#include "study/record.h"
#include "figure/draw/canvas.h"
#include "present/nearest.h"

struct app_show {
    struct app_study *record;
    const struct app_definition *definition;
    ckg_study *engine;                  /* the record's */
    ckg_recommendation *recommendation; /* NULL: the objective has not been measured yet */
    const struct app_trial *best;       /* NULL: nothing feasible has been measured */
    double *centre;                     /* (d) the recommendation, or the middle of all ranges */
    int *order;                         /* (d) parameters, those that matter most first */
    struct app_nearest outcomes;        /* which of them figures and tables have room for */
    int ended;                          /* trials complete or failed */
    struct app_view_cache *kept;        /* what takes long to find, once it was asked for */
    const char *trials_at;              /* the address of each trial's page but for its number; NULL: none */
    int latest;                         /* how many trials a table has room for, the last; 0: all */
};

int app_show_open(struct app_show *out, struct app_study *record);
void app_show_close(struct app_show *show);

/* --- how trials look --- */

struct app_look {
    enum app_shape shape;
    struct app_pen pen;
    const char *text; /* in legends */
};

enum app_looks {
    APP_LOOK_FEASIBLE,
    APP_LOOK_INFEASIBLE,
    APP_LOOK_UNKNOWN,
    APP_LOOK_FAILED,
    APP_LOOK_PENDING,
    APP_LOOKS
};

extern const struct app_look app_looks[APP_LOOKS];
extern const struct app_pen app_star_pen, app_limit_pen;

/* APP_LOOKS: it was discarded, so it is not drawn. */
enum app_looks app_trial_look(const struct app_trial *trial);

/* "trial 7: wire = 0.31, …; weight = 1.9, …", for those who point at it. */
void app_trial_hint(const struct app_definition *definition, const struct app_trial *trial,
                    struct app_text *out);

/* --- predictions over one or two parameters --- */

enum { APP_MAX_NODES = 128 };

/*
 * Values of one parameter, and where they are drawn: a category or one of few integers is a step as wide
 * as the axis has room for it.
 */
struct app_nodes {
    int count;
    double value[APP_MAX_NODES];
    int drawn;
    double place[2 * APP_MAX_NODES];
    int of[2 * APP_MAX_NODES]; /* which value is drawn there */
    int stepped;
};

void app_nodes_make(struct app_nodes *out, struct app_parameter parameter, int want);

/* What the models say of a grid: of every node of x, row by row along y. */
struct app_grid {
    int count;
    double *X;         /* (count × d) the designs, all other parameters at the centre */
    double *mean, *sd; /* (count × (1 + K)) */
    double *chance;    /* (count) of being feasible; 0 where a rule is broken, whatever else holds */
};

/* Its designs alone; NULL without memory. Parameter y -1: along x alone. */
double *app_grid_designs(struct app_pool *pool, const struct app_show *show, int x,
                         const struct app_nodes *nodes_x, int y, const struct app_nodes *nodes_y);

/* All of it, in the pool. */
int app_grid_predict(struct app_grid *out, struct app_pool *pool, const struct app_show *show, int x,
                     const struct app_nodes *nodes_x, int y, const struct app_nodes *nodes_y);

/* Probabilities of designs being feasible, as a grid has them. */
int app_show_chances(const struct app_show *show, int count, const double *X, double *chance);

/* How fine a grid may be for the engine to answer soon: nodes in one direction out of `directions`. */
int app_show_fineness(const struct app_show *show, int directions);

#endif
