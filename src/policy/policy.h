/*
 * Policies: how the next design is chosen. One file and one row each; the registry in policy.c is the only
 * list.
 *
 * A policy whose value can be computed design by design gives `acquire`, and the search for its maximum, its
 * scores and the average over hyperparameter samples are common (maximise.h). One that searches in its own
 * way gives `suggest` and, where it has values, `score`.
 */
#ifndef CKG_POLICY_POLICY_H
#define CKG_POLICY_POLICY_H

#include <ckg/policy.h>

#include "search/choice.h"
#include "search/maximise.h"
#include "search/search.h"
#include "policy/settings.h"

/* What a policy asks of the search it gets. */
enum ckg__trait {
    /* no beliefs, no points, no x_r: only the problem, the data and the streams of numbers */
    CKG__TRAIT_NO_MODEL = 1,
    /* the lookaheads' beliefs know the objective alone; lookahead->full knows all outcomes */
    CKG__TRAIT_OBJECTIVE_ONLY = 2,
    /* a pending design is believed without noise: nothing is expected of a second evaluation there */
    CKG__TRAIT_CERTAIN = 4,
    CKG__TRAIT_ONE_BELIEF = 8, /* one lookahead: that of a hyperparameter sample drawn by chance */
    CKG__TRAIT_POINTS = 16,    /* its setting `points` is the size of the discretisation */
    CKG__TRAIT_WEIGHTED = 32   /* search->weighted */
};

/* What the values of a policy are measured in. */
enum ckg__unit {
    CKG__UNIT_OWN,          /* as its row says; the user's units change nothing */
    CKG__UNIT_OBJECTIVE,    /* amounts of the objective: reported in its units */
    CKG__UNIT_LOG_OBJECTIVE /* logarithms of such amounts, on the models' scale */
};

struct ckg__policy {
    const char *name, *title, *reference;
    const char *value;                      /* what its value of a design is, in words; NULL: it has none */
    enum ckg__unit unit;                    /* and what it is measured in */
    const ckg_policy_parameter *parameters; /* (count) from the list of its settings (settings.h) */
    int count;
    unsigned traits;
    const char *reason; /* why it chooses a design, for people; NULL: because its value is the largest */
    const struct ckg__scope_source *narrow; /* NULL: it sees what the study sees */
    /* The row that chooses in its place, and whose values it gives; NULL: it does so itself. */
    const struct ckg__policy *(*acting)(const struct ckg__search *search);
    /* What else it changes in search->effort before any point is laid; may be NULL. */
    void (*prepare)(struct ckg__search *search);
    /* Fills the acquisition: memory from search->results. NULL: the policy has `suggest`. */
    int (*acquire)(struct ckg__search *search, struct ckg__acquisition *acquisition);
    /* Fills choice; choice->u is on the lattice and not taken, unless nothing is worth suggesting. */
    int (*suggest)(struct ckg__search *search, struct ckg__choice *choice);
    /* 1 when the choice shows that the search has stalled; NULL: it never does. */
    int (*stalled)(const struct ckg__search *search, const struct ckg__choice *choice);
    /* What is done then: changes the choice, or leaves it as it is. */
    int (*fallback)(struct ckg__search *search, struct ckg__choice *choice);
    /* The value (count) at points U (D×count). With neither this nor `acquire` a policy has no values. */
    int (*score)(struct ckg__search *search, int count, const double *U, double *value);
    /*
     * What measuring one outcome alone is worth, (count × (1+K)): a share of the value where that is a sum
     * over outcomes. NULL: the policy does not say.
     */
    int (*score_outcomes)(struct ckg__search *search, int count, const double *U, double *value);
};

/* The registry: every policy, the default first. Declarations and the public list are made from it. */
/* clang-format off */
#define CKG__POLICY_LIST(X) \
    X(auto) X(ckg) X(cei) X(nei) X(kg) X(pkg) X(cts) X(scbo) X(pesc) X(cmes) X(pes) X(bagheri) \
    X(al) X(alslack) X(sur) X(rollout) X(svmcbo) X(random) X(sobol)
/* clang-format on */

#define CKG__POLICY_DECLARE(name) extern const struct ckg__policy ckg__policy_##name;
CKG__POLICY_LIST(CKG__POLICY_DECLARE)
#undef CKG__POLICY_DECLARE

/*
 * The most parameters that a row has, and the name of the one that is M: it holds for the recommendation too.
 */
enum { CKG__MAX_SETTINGS = 16 };
#define CKG__PENALTY "M"

/* The row of that name, or NULL. */
const struct ckg__policy *ckg__policy_find(const char *name);

/*
 * given (count of the row) ← the values given, NAN for the rest; or a status and a message that names the
 * culprit.
 */
int ckg__policy_settings(const struct ckg__policy *policy, int count, const ckg_setting *settings,
                         double *given);

/*
 * setting (count of the row) ← what was given (NULL: nothing), else the row's defaults for a problem of d
 * parameters.
 */
void ckg__policy_resolve(const struct ckg__policy *policy, int d, int sampled, const double *given,
                         double *setting);

/* The same for the search, which becomes one of the row. */
int ckg__policy_set(const struct ckg__policy *policy, const double *given, struct ckg__search *search);

/* The most rows that there can be, a row's number among them, and the policy of a study that names none. */
enum { CKG__MAX_POLICIES = 32 };
int ckg__policy_index(const struct ckg__policy *policy);
const struct ckg__policy *ckg__policy_default(void);

/*
 * Begins the search of a policy, which has its settings already, or of a recommendation (NULL): how hard to
 * look and in which scope; then its beliefs, the points, M and x_r.
 */
int ckg__policy_narrow(const struct ckg__policy *policy, struct ckg__search *search);
int ckg__policy_begin(const struct ckg__policy *policy, struct ckg__search *search);

/* As far as M alone, in the scope that the search has. */
int ckg__policy_price(const struct ckg__policy *policy, struct ckg__search *search);

/* kept (CKG__MAX_POLICIES) of the policies' scopes: their conditioning undone; all of it freed. */
void ckg__policy_release_kept(void **kept);
void ckg__policy_free_kept(void **kept);

/*
 * The policy's choice and its values, by whichever of its functions there is. Where the search began for
 * another row, this one sees a search with settings of its own, their defaults.
 */
int ckg__policy_suggest(const struct ckg__policy *policy, struct ckg__search *search,
                        struct ckg__choice *choice);
int ckg__policy_score(const struct ckg__policy *policy, struct ckg__search *search, int count,
                      const double *U, double *value);

int ckg__policy_score_outcomes(const struct ckg__policy *policy, struct ckg__search *search, int count,
                               const double *U, double *value);

/* The row whose values ckg__policy_score gives: the policy's own, or the one that chooses in its place. */
const struct ckg__policy *ckg__policy_acting(const struct ckg__policy *policy,
                                             const struct ckg__search *search);

/* Leaves the choice to another policy, over all outcomes; the seconds spent so far are kept. */
int ckg__policy_hand_over(const struct ckg__policy *to, const struct ckg__way *way,
                          struct ckg__search *search, struct ckg__choice *choice);

/* Where a look ahead promises nothing, to the expected improvement. */
int ckg__policy_fall_back(struct ckg__search *search, struct ckg__choice *choice);

/*
 * The design by which one more evaluation would gain most, and that gain: of a recommendation that is
 * `known`, a design in hand, its improvement; else by a look ahead (policy_auto.c).
 */
int ckg__policy_next_gain(struct ckg__search *search, int known, struct ckg__choice *choice);

/* A value of the policy in the unit that it is measured in. */
double ckg__policy_in_units(const struct ckg__policy *policy, const struct ckg__surrogates *models,
                            double value);

/* Stalled by the mark that the policy left in the choice. */
int ckg__choice_stalled(const struct ckg__search *search, const struct ckg__choice *choice);

/*
 * Constrained expected improvement under every lookahead, in logarithms, as the acquisition of policies that
 * go by it (policy_cei.c; acquisition/cei.h has the formula). favour: what a constraint's probability counts
 * as (surrogate/belief.h); 0: as it is.
 */
int ckg__improvement_acquire(struct ckg__search *search, double favour, struct ckg__acquisition *acquisition);

/*
 * The choice and the scores of constrained Thompson sampling over all designs (policy_cts.c), and the effort
 * it wants.
 */
int ckg__cts_suggest(struct ckg__search *search, struct ckg__choice *choice);
int ckg__cts_score(struct ckg__search *search, int count, const double *U, double *value);
void ckg__cts_size(struct ckg__search *search);

#endif
