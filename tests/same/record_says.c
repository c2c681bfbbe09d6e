/* What studies say, written down to the last bit. */
#include <math.h>
#include <stdio.h>

#include "record.h"

static void put(const char *what, int count, const double *numbers)
{
    printf(" %s", what);
    for (int i = 0; i < count; i++)
        printf(" %a", numbers[i]);
}

void put_suggestion(const ckg_suggestion *s)
{
    printf("ask %d %s %d", s->trial, s->path, s->candidates);
    put("x", s->dimension, s->x);
    put("value", 1, &s->value);
    put("mean", 1 + s->constraints, s->mean);
    put("sd", 1 + s->constraints, s->sd);
    put("p", s->constraints, s->probability);
    put("pf", 1, &s->probability_feasible);
    if (!isnan(s->cost)) {
        printf(" measure");
        for (int i = 0; i < s->measures; i++)
            printf(" %d", s->measure[i]);
        put("cost", 1, &s->cost);
    }
    printf("\n");
}

static void put_recommendation(ckg_study *study, int rule, double probability, int evaluated, int all)
{
    ckg_recommend_options options = CKG_RECOMMEND_OPTIONS_INIT;
    ckg_recommendation *r;

    options.rule = rule;
    options.probability = probability;
    options.evaluated_only = evaluated;
    const int status = ckg_study_recommend(study, &options, &r);
    if (status) {
        printf("recommend %d %g %d status %d\n", rule, probability, evaluated, status);
        return;
    }
    printf("recommend %d %g %d best %d of %d", rule, probability, evaluated, r->best_trial, r->evaluations);
    put("x", r->dimension, r->x);
    put("mean", 1 + r->constraints, r->mean);
    put("sd", 1 + r->constraints, r->sd);
    put("p", r->constraints, r->probability);
    put("pf", 1, &r->probability_feasible);
    put("u", 1, &r->utility);
    put("M", 1, &r->penalty);
    if (all)
        printf(" trial %d measured %d hardest %d", r->trial, r->measured, r->most_violated);
    printf("\n");
    ckg_recommendation_free(r);
}

static void put_inside(ckg_study *study, const struct world *w)
{
    double X[PROBES * MOST_D], mean[PROBES * (1 + MOST_K)], sd[PROBES * (1 + MOST_K)], pf[PROBES], u[PROBES];
    double value[PROBES * (1 + MOST_K)], penalty;
    ckg_model_info model;

    /* Predictions and scores where nobody looked. */
    probe_designs(w, X, PROBES);
    must(ckg_study_predict(study, PROBES, X, mean, sd, pf, u));
    printf("predict");
    put("mean", PROBES * (1 + w->K), mean);
    put("sd", PROBES * (1 + w->K), sd);
    put("pf", PROBES, pf);
    put("u", PROBES, u);
    const int unscored = ckg_study_score(study, NULL, PROBES, X, value);
    printf("\nscore %d", unscored);
    put("value", unscored ? 0 : PROBES, value);
    const int shared = ckg_study_score_outcomes(study, "pesc", PROBES, X, value);
    printf("\nshares %d", shared);
    put("value", shared ? 0 : PROBES * (1 + w->K), value);
    must(ckg_study_penalty(study, &penalty));
    printf("\npenalty");
    put("M", 1, &penalty);

    /* The models. */
    for (int j = 0; j <= w->K; j++) {
        double left[3][200];
        must(ckg_study_model(study, j, &model));
        printf("\nmodel %d %s n %d samples %d", j, model.kernel, model.observations, model.samples);
        put("ell", w->d, model.lengthscales);
        put("sd", 1, &model.signal_sd);
        put("noise", 1, &model.noise_sd);
        put("mean", 1, &model.mean);
        put("ll", 1, &model.log_likelihood);
        put("warp", 1, &model.warp);
        put("nugget", 1, &model.nugget);
        must(ckg_study_leave_one_out(study, j, left[0], left[1], left[2]));
        put("loo", ckg_study_trials(study), left[0]);
        put("sd", ckg_study_trials(study), left[1]);
        put("msd", ckg_study_trials(study), left[2]);
    }
    printf("\n");
}

/* What `put_inside` leaves out, as it did when the first studies were written down. */
static void put_rest(ckg_study *study, const struct world *w)
{
    static const char *const policies[] = {"ckg", "cei", "sur"};
    double X[PROBES * MOST_D], value[PROBES * (1 + MOST_K)], share[3][MOST_D];
    ckg_gain gain;
    ckg_model_info model;

    /* Where nobody looked. */
    probe_designs(w, X, PROBES);
    must(ckg_study_predict_noise(study, PROBES, X, value));
    printf("noise");
    put("sd", PROBES * (1 + w->K), value);
    for (int i = 0; i < 3; i++) {
        const int unscored = ckg_study_score(study, policies[i], PROBES, X, value);
        printf("\nscore %s %d", policies[i], unscored);
        put("value", unscored ? 0 : PROBES, value);
    }
    const int alone = ckg_study_score_outcomes(study, "ckg", PROBES, X, value);
    printf("\nalone %d", alone);
    put("value", alone ? 0 : PROBES * (1 + w->K), value);

    /* What more evaluations gain. */
    must(ckg_study_expected_gain(study, &gain));
    printf("\ngain left %d", gain.left);
    put("by", 5,
        (const double[]){gain.next, gain.remaining, gain.perfect_information, gain.perfect_information_rough,
                         gain.objective});

    /* The models. */
    for (int j = 0; j <= w->K; j++) {
        must(ckg_study_model(study, j, &model));
        printf("\nmodel %d %s %s absurd %d repeats %d shared %d linear %d varies %d", j, model.fit,
               model.scale, model.outliers, model.duplicate_of, model.is_duplicate, model.linear,
               model.noise_varies);
        put("widening", 1, &model.inflation);
        put("noise", 2, (const double[]){model.noise_low, model.noise_high});
        must(ckg_study_importance(study, j, share[0], share[1], share[2]));
        put("importance", w->d, share[0]);
        put("low", w->d, share[1]);
        put("high", w->d, share[2]);
    }
    printf("\n");
}

void put_study(ckg_study *study, const struct world *w, int all)
{
    put_recommendation(study, CKG_RULE_UTILITY, 0.95, 0, all);
    put_recommendation(study, CKG_RULE_UTILITY, 0.95, 1, all);
    put_recommendation(study, CKG_RULE_PROBABILITY, 0.95, 0, all);
    put_recommendation(study, CKG_RULE_PROBABILITY, 0.6, 1, all);
    put_inside(study, w);
    if (all)
        put_rest(study, w);
}

void put_trials(ckg_study *study, const struct world *w)
{
    for (int i = 0; i < ckg_study_trials(study); i++) {
        const double cost = ckg_study_trial_cost(study, i);
        ckg_trial trial;
        must(ckg_study_trial(study, i, &trial));
        printf("trial %d state %d feasible %d wants", i, trial.state, trial.feasible);
        for (int j = 0; j <= w->K; j++)
            printf(" %d", ckg_study_wants(study, i, j));
        put("cost", 1, &cost);
        put("x", w->d, trial.x);
        for (int m = 0; m < trial.count; m++) {
            printf(" of %d", trial.measured[m].outcome);
            put("value", 1, &trial.measured[m].value);
            put("sd", 1, &trial.measured[m].sd);
        }
        printf("\n");
    }
    const double spent = ckg_study_spent(study);
    printf("best %d", ckg_study_best(study));
    put("spent", 1, &spent);
    printf("\n");
}

static void put_parameter(const ckg_problem *problem, int i)
{
    const double step = ckg_problem_parameter_step(problem, i);
    double range[2];

    must(ckg_problem_parameter_range(problem, i, &range[0], &range[1]));
    printf("parameter %s kind %d scale %d", ckg_problem_parameter_name(problem, i),
           ckg_problem_parameter_kind(problem, i), ckg_problem_parameter_scale(problem, i));
    put("range", 2, range);
    put("step", 1, &step);
    for (int v = 0; v < ckg_problem_categories(problem, i); v++)
        printf(" %s", ckg_problem_category(problem, i, v));
    printf("\n");
}

static void put_outcome(const ckg_problem *problem, int j)
{
    const double cost = ckg_problem_cost(problem, j);
    double limits[2], goal[2], sd;

    must(ckg_problem_limits(problem, j, &limits[0], &limits[1]));
    printf("outcome %s equality %d yesno %d noise %d positive %d group %d",
           ckg_problem_outcome_name(problem, j), ckg_problem_equality(problem, j, &goal[0], &goal[1]),
           ckg_problem_yesno(problem, j), ckg_problem_noise(problem, j, &sd),
           ckg_problem_positive(problem, j), ckg_problem_group(problem, j));
    put("limits", 2, limits);
    put("goal", 2, goal);
    put("sd", 1, &sd);
    put("cost", 1, &cost);
    printf("\n");
}

void put_problem(const ckg_problem *problem, const struct world *w)
{
    double X[PROBES * MOST_D], x[MOST_D];

    for (int i = 0; i < w->d; i++)
        put_parameter(problem, i);
    for (int j = 0; j <= w->K; j++)
        put_outcome(problem, j);
    for (int r = 0; r < ckg_problem_rules(problem); r++) {
        double limits[2];
        int count = 0;
        const char *text = ckg_problem_rule(problem, r);
        const double *row = ckg_problem_rule_row(problem, r, &count, &limits[0], &limits[1]);
        printf("rule %s", text ? text : "");
        put("row", row ? count : 0, row);
        put("limits", row ? 2 : 0, limits);
        printf("\n");
    }

    /* What is allowed. */
    probe_designs(w, X, PROBES);
    printf("allowed");
    for (int p = 0; p < PROBES; p++)
        printf(" %d", ckg_problem_check_rules(problem, X + p * w->d));
    must(ckg_problem_find_allowed(problem, x));
    put("x", w->d, x);
    printf("\n");
}
