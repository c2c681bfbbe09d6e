/*
 * What is recommended by CKG_RULE_PROBABILITY, the best mean among designs that are feasible with some
 * probability, for a row of probabilities. A design that reaches a higher probability
 * reaches the lower ones too, so it replaces what a search for a lower one found where that is worse.
 */
#include "actions/frontier.h"

const double app_frontier_chances[APP_FRONTIER] = {0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 0.999};

/* 1 where the first is the better one. */
static int is_better(const struct app_study *n, const ckg_recommendation *a, const ckg_recommendation *b)
{
    return ckg_problem_goal(n->definition.problem) == CKG_MAXIMIZE ? a->mean[0] > b->mean[0]
                                                                   : a->mean[0] < b->mean[0];
}

/* Keeps it where it reaches the probability and is better than what there is; else frees it. */
static void consider(const struct app_study *n, double probability, ckg_recommendation *r,
                     ckg_recommendation **best)
{
    const int reached = r->probability_feasible >= probability - 1e-6;

    if (reached && (!*best || is_better(n, r, *best))) {
        ckg_recommendation_free(*best);
        *best = r;
    } else
        ckg_recommendation_free(r);
}

/* The best for one probability: of all designs, of those that were evaluated, or what is recommended anyway.
 */
static int find_one(struct app_study *n, ckg_study *engine, double probability, ckg_recommendation **best)
{
    ckg_recommend_options how = CKG_RECOMMEND_OPTIONS_INIT;
    const ckg_recommend_options *const ways[] = {&how, &how, NULL};

    how.rule = CKG_RULE_PROBABILITY;
    how.probability = probability;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        ckg_recommendation *r;
        how.evaluated_only = i == 1;
        const int status = ckg_study_recommend(engine, ways[i], &r);
        if (status)
            return app_study_fail(n, status);
        consider(n, probability, r, best);
    }
    return CKG_OK;
}

int app_frontier_find(struct app_frontier *out, struct app_study *n, ckg_study *engine)
{
    const ckg_recommendation *above = NULL;
    int status = CKG_OK;

    /* From the highest probability down: what was found for a higher one may be better than what is found
     * here. */
    *out = (struct app_frontier){{0}, {0}};
    for (int k = APP_FRONTIER - 1; !status && k >= 0; k--) {
        status = find_one(n, engine, app_frontier_chances[k], &out->own[k]);
        const ckg_recommendation *here = out->own[k];
        out->at[k] = !here || (above && is_better(n, above, here)) ? above : here;
        above = out->at[k];
    }
    if (status)
        app_frontier_free(out);
    return status;
}

void app_frontier_free(struct app_frontier *f)
{
    for (int k = 0; k < APP_FRONTIER; k++)
        ckg_recommendation_free(f->own[k]);
    *f = (struct app_frontier){{0}, {0}};
}
