/*
 * The models of a study: one Gaussian process per outcome, or several under sampled hyperparameters, kept in
 * step with the data. They follow from the trials and the seed alone, not from when they were asked for: a
 * study that is rebuilt from its trials goes on as if it had never stopped.
 */
#ifndef CKG_SURROGATE_SURROGATES_H
#define CKG_SURROGATE_SURROGATES_H

#include "base/threads.h"
#include "data/data.h"
#include "data/duplicates.h"
#include "model/fit.h"
#include "model/likelihood.h"
#include "surrogate/belief.h"

enum ckg__fit_method { CKG__FIT_ML, CKG__FIT_MAP, CKG__FIT_SAMPLE, CKG__FIT_AUTO };

enum { CKG__MAX_SAMPLES = 64, CKG__CHAINS = 2, CKG__ANCHORS = 20 };

/*
 * Hyperparameters as fitted to the first `trials` trials when `told` of them had ended. Trials never change
 * once they ended, so the two numbers say which data that was.
 */
struct ckg__fitted {
    int trials, told;
    double theta[CKG_MAX_PARAMETERS + 2], warp;
    int strict; /* 1: a value counts as absurd beyond a narrower gap; −1: none does */
    enum ckg__kernel kernel;
    int linear;                               /* 1: a linear part beside the kernel */
    const struct ckg__likelihood *likelihood; /* NULL: the one that is given */
    void *state;                              /* of the likelihood's state_size; NULL: none */
};

/*
 * One outcome's model. A constraint that repeats another one exactly shares that one's process: it has none
 * of its own, no series and no hyperparameters.
 */
struct ckg__surrogate {
    struct ckg__repeat repeat;
    int place; /* of its process in the beliefs */
    struct ckg__scaling scaling;
    struct ckg__series series; /* in the models' arena */
    struct ckg__fitted fitted; /* what the processes are conditioned with */
    struct ckg__fitted
        *anchor[CKG__ANCHORS]; /* at 16, 32, 64, … trials: where later fits start; NULL: none */
    int samples;               /* processes in use */
    struct ckg__gp **gp;       /* (samples) */
    int room;                  /* processes allocated */
    /* of each process: the factor on standard deviations that were too sure; 1: none */
    double inflation[CKG__MAX_SAMPLES];
    double roughness[CKG__MAX_SAMPLES]; /* of each process: the factor on variances where they are stated */
    double lengthscales[CKG_MAX_PARAMETERS]; /* as last reported */
};

struct ckg__surrogates {
    const struct ckg__data *data;
    enum ckg__kernel kernel; /* of every outcome, or where a choice begins */
    int choose_kernel;       /* 1: each outcome has the kernel that its data favour */
    enum ckg__fit_method method;
    int samples;  /* wanted */
    int warp;     /* 1: allowed */
    int vary;     /* 1: likelihoods may be chosen where the problem does not say: noise may vary */
    int failures; /* 1: a latent constraint models where evaluations fail */
    uint64_t seed;
    struct ckg__pool *pool;
    struct ckg__arena *arena;         /* (threads) */
    struct ckg__arena own;            /* series, inputs and beliefs of the present data */
    int *group;                       /* (D) */
    int most;                         /* the problem's outcomes and one for failures: */
    struct ckg__surrogate *surrogate; /* (most) */
    double **X;                       /* (most) D×n, in `own`: the inputs of each series */
    int outcomes;                     /* in use */
    int processes;                    /* of them, without those that share another's */
    int beliefs;
    struct ckg__belief *belief; /* (beliefs), in `own` */
    uint64_t revision;          /* of the data that the models know; 0: none */
    struct ckg__gp *
        *roughness; /* (most) processes of a second opinion (roughness.c); NULL until it is asked */
    /*
     * Where the fits start, for data whose values change with every trial and leave no anchor standing; NULL:
     * from anchors. It knows the same outcomes and is up to date.
     */
    const struct ckg__surrogates *lead;
    const double *lead_sides; /* (d) logarithms of this cube's sides in the lead's; NULL: all 0 */
    /*
     * Whose hyperparameters, scales and kernels these models take, to draw samples around them; NULL: they
     * fit their own. It knows the same trials and is up to date.
     */
    const struct ckg__surrogates *source;
};

int ckg__surrogates_init(struct ckg__surrogates *models, const struct ckg__data *data, struct ckg__pool *pool,
                         struct ckg__arena *arena);
void ckg__surrogates_free(struct ckg__surrogates *models);

/* Brings the models up to the data of that revision. spare: rows to leave room for (pending designs). */
int ckg__surrogates_update(struct ckg__surrogates *models, uint64_t revision, int spare);

/*
 * Conditions every process on the pending designs at its own mean (kriging believer), as values with noise or
 * certain ones, and undoes it.
 */
int ckg__surrogates_condition(struct ckg__surrogates *models, int certain);
void ckg__surrogates_release(struct ckg__surrogates *models);

/*
 * What the models would believe if every outcome had length-scales `shorter` times as long (below 1), and all
 * else were the same. They are up to date; the belief is good until they change.
 */
int ckg__surrogates_roughen(struct ckg__surrogates *models, double shorter, struct ckg__belief *out);

/* 1 when outcome j shares the process of another one. */
static inline int ckg__surrogates_shared(const struct ckg__surrogates *models, int j)
{
    return models->surrogate[j].repeat.of && models->surrogate[j].repeat.exact;
}

/* The surrogate whose process says what outcome j is: its own, or that of the one it repeats. */
static inline struct ckg__surrogate *ckg__surrogates_of(const struct ckg__surrogates *models, int j)
{
    return &models->surrogate[ckg__surrogates_shared(models, j) ? models->surrogate[j].repeat.of : j];
}

/* The limits of outcome j by themselves, in the units of that process. */
void ckg__surrogates_limits(const struct ckg__surrogates *models, int j, double *lower, double *upper);

/*
 * out ← the same models beside data whose problem has other limits: beliefs of its own, from the arena, and
 * of the models all the rest.
 */
int ckg__surrogates_beside(const struct ckg__surrogates *models, const struct ckg__data *data,
                           struct ckg__arena *arena, struct ckg__surrogates *out);

/*
 * Mean and sd of outcome j in the user's units, where its process has these in model units; of an answer, the
 * probability of a yes and the sd of what will be measured.
 */
void ckg__surrogates_moments(const struct ckg__surrogates *models, int j, double y_mean, double y_sd,
                             double *mean, double *sd);

/* 1 when any outcome's evaluations carry noise. */
int ckg__surrogates_noisy(const struct ckg__surrogates *models);

#endif
