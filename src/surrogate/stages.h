/*
 * The stages of bringing models up to date, between the files of this folder; surrogates.c calls them in
 * order:
 *
 *     lay out each outcome's series → fit where it is time (schedule.c: fits.c, form_choice.c,
 * likelihood_choice.c) → sample (chains.c) → condition the processes (condition.c) → believe (surrogates.c)
 */
#ifndef CKG_SURROGATE_STAGES_H
#define CKG_SURROGATE_STAGES_H

#include "surrogate/surrogates.h"

/* Up to so many trials every result leads to a new fit; beyond, one in every 2 %. */
enum { CKG__REFIT_ALWAYS = 100 };

/* --- select.c --- */

/*
 * A process is conditioned on so many designs at most, and where there are more, its hyperparameters are
 * fitted to so many.
 */
enum { CKG__MOST_DESIGNS = 2000, CKG__MOST_FITTED = 1000 };

/*
 * *seen ← which designs a process of the outcome sees of the first `trials` trials: (designs), from the
 * arena, `most` of them; NULL: all, where they are CKG__MOST_DESIGNS or fewer.
 */
int ckg__select(const struct ckg__data *data, int outcome, int trials, int most, struct ckg__arena *arena,
                const unsigned char **seen);

/* --- layout.c --- */

/* What a series is made of: so many trials and designs, on the scale and by the likelihood that was fitted.
 */
struct ckg__layout {
    int outcome, trials, most;
    const struct ckg__fitted *fitted;
};

/* The series of the layout with its scaling and its inputs X (D×n), from the arena. */
int ckg__lay_out(const struct ckg__surrogates *models, const struct ckg__layout *layout,
                 struct ckg__arena *arena, struct ckg__scaling *scaling, struct ckg__series *series,
                 double **X);

/* Every outcome's series of the first `trials` trials, on the scale that it was fitted on. */
int ckg__lay_out_all(struct ckg__surrogates *models, int trials, int most);

/*
 * How a series is fitted. `team`, unless NULL, is filled for the worker and shares the matrices that are
 * large enough.
 */
struct ckg__fit ckg__surrogates_fit(const struct ckg__surrogates *models, const struct ckg__fitted *fitted,
                                    const struct ckg__series *series, const double *X, int worker,
                                    struct ckg__workers *workers);

/* Runs the tasks on the models' pool; the first bad status with its message. */
int ckg__surrogates_run(const struct ckg__surrogates *models, int count, ckg__task task, void *context,
                        const int *status);

/* --- fits.c, form_choice.c --- */

/*
 * Fits the hyperparameters of all outcomes to the series as laid out, from what the surrogates hold; for an
 * anchor from every start.
 */
int ckg__fit_all(struct ckg__surrogates *models, int anchor);

/* Chooses outcome j's kernel for the series as laid out by the density, in favour of the one it has. */
int ckg__choose_kernel(struct ckg__surrogates *models, int j);

/* Whether outcome j has a linear part beside its kernel, likewise. */
int ckg__choose_trend(struct ckg__surrogates *models, int j);

/* Chooses outcome j's warp for these trials by the density, beginning with the fit on the present scale. */
int ckg__choose_warp(struct ckg__surrogates *models, int j, int trials);

/* --- likelihood_choice.c --- */

/* Chooses the likelihood of every outcome for the first `trials` trials, by the evidence. */
int ckg__choose_likelihoods(struct ckg__surrogates *models, int trials);

/*
 * *to ← *from, with a state of its own (zeroed where there is none to copy); what `to` held is freed. On
 * failure it has none.
 */
int ckg__fitted_copy(struct ckg__fitted *to, const struct ckg__fitted *from);
void ckg__fitted_free(struct ckg__fitted *fitted);

/* --- schedule.c --- */

/* How many of the first `trials` trials have ended. */
int ckg__told(const struct ckg__data *data, int trials);

/* Fits to the trials that are due, if they are. */
int ckg__fit_when_due(struct ckg__surrogates *models);

/* --- chains.c --- */

/* Hyperparameter samples of all outcomes; one where none are drawn: the optimum. */
struct ckg__chains {
    const struct ckg__surrogates *models;
    int count;                    /* tasks */
    int dim;                      /* numbers in one sample */
    double *samples;              /* outcomes × models->samples × dim */
    int rough[CKG__MAX_OUTCOMES]; /* so many samples of each outcome, the last, are of the roughest kernel */
    int status[CKG__MAX_OUTCOMES * CKG__CHAINS];
    int outcome[CKG__MAX_OUTCOMES * CKG__CHAINS];
};

/* Draws them, and says how many processes each outcome and how many beliefs the models have. */
int ckg__sample_all(struct ckg__surrogates *models, struct ckg__chains *chains);

/* Sample i of outcome j, and the kernel that it is of. */
double *ckg__sample_of(const struct ckg__chains *chains, int j, int i);
enum ckg__kernel ckg__sample_kernel(const struct ckg__chains *chains, int j, int i);

/* --- condition.c --- */

/* 1 when every process can take `spare` more rows. */
int ckg__surrogates_have_room(const struct ckg__surrogates *models, int spare);

/* Conditions every process on its series with its sample, with room for `spare` more rows. */
int ckg__condition_all(struct ckg__surrogates *models, const struct ckg__chains *chains, int spare);

#endif
