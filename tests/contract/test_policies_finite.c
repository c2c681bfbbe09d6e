/*
 * Every policy on 200 random models, most of them degenerate in some way: whatever legal data it is given,
 * its values are finite at random designs, at data and where it would recommend, and it suggests a design
 * that is legal, new and described by finite predictions, until there is none left. A light run has one model
 * of each sort.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "support/policies.h"
#include "support/scale.h"

enum { MODELS = 200, MOST_N = 12, MOST_D = 4, LISTED = 15, WAVES = 6, MOST_UNIT = 16 };
enum { RANDOM_PROBES = 2, DATA_PROBES = 2, PROBES = RANDOM_PROBES + DATA_PROBES + 1 };

/* --- what a model is made of --- */

enum shape { CUBE, LOGARITHMIC, MIXED, LATTICE, LIST, SHAPES };

struct recipe {
    const char *name;
    enum shape shape;
    int d, K, n;
    enum ckg_noise noise;
    int distinct;       /* trials go through so many designs in turn; 0: each has its own */
    int flat_objective; /* 1: the objective is constant */
    /* 1: feasible and constant, 2: infeasible and constant, 3: constant at the limit */
    int flat_constraints;
    int infeasible;      /* 1: every value is beyond its limits, 2: far beyond */
    int partly;          /* 1: trials measure some outcomes alone, 2: no trial measures the objective */
    int failing;         /* every so many trials fail; 0: none */
    int pending;         /* trials without a result */
    int everything;      /* 1: every design of the finite problem was evaluated */
    int band;            /* 1: constraints have two limits, 2: very close ones */
    double unit, origin; /* of all values */
    int tail;            /* 1: a few values are enormous */
    double spread;       /* designs lie within this share of the box; 0: anywhere */
    double penalty, time_limit;
    const char *fit, *kernel, *preset;
};

/* Designs: few, all of them, repeated, close together, of several kinds. */
static void degenerate_designs(struct recipe *r, int i)
{
    switch (i) {
    case 0:
        r->name = "one observation";
        r->n = 1;
        break;
    case 5:
        r->name = "every design evaluated";
        r->shape = r->n % 2 ? LATTICE : LIST;
        r->everything = 1;
        break;
    case 8:
        r->name = "repeated designs";
        r->noise = CKG_NOISE_AUTO;
        r->distinct = 1 + r->n % 3;
        break;
    case 9:
        r->name = "mixed parameters";
        r->shape = MIXED;
        break;
    case 10:
        r->name = "a finite list";
        r->shape = LIST;
        break;
    case 19:
        r->name = "designs close together";
        r->shape = r->n % 2 ? CUBE : MIXED;
        r->spread = 1e-7;
        break;
    }
}

/* Constraints: constant, none, many, never met, narrow. */
static void degenerate_constraints(struct recipe *r, int i)
{
    switch (i) {
    case 1:
        r->name = "constant constraints";
        r->K = r->K ? r->K : 1;
        r->flat_constraints = 1 + r->n % 3;
        break;
    case 4:
        r->name = "everything infeasible";
        r->K = r->K ? r->K : 1;
        r->infeasible = 1 + r->n % 2;
        break;
    case 6:
        r->name = "no constraint";
        r->K = 0;
        break;
    case 7:
        r->name = "twenty constraints";
        r->K = 20;
        r->n = 1 + r->n / 3;
        break;
    case 14:
        r->name = "two limits";
        r->K = r->K ? r->K : 2;
        r->band = 1 + r->n % 2;
        break;
    case 22:
        r->name = "twenty constraints, failures";
        r->K = 20;
        r->n = 4;
        r->failing = 2;
        break;
    }
}

/* Values: constant, of odd size, with heavy tails. */
static void degenerate_values(struct recipe *r, int i)
{
    switch (i) {
    case 2:
        r->name = "constant objective";
        r->flat_objective = 1;
        break;
    case 3:
        r->name = "everything constant";
        r->flat_objective = 1;
        r->flat_constraints = 1 + r->n % 3;
        break;
    case 15:
        r->name = "odd units";
        r->unit = r->n % 2 ? 1e-100 : 1e140;
        break;
    case 16:
        r->name = "a far origin";
        r->origin = 1e9;
        break;
    case 17:
        r->name = "heavy tails";
        r->n = MOST_N;
        r->tail = 1;
        break;
    }
}

/* Trials that say little, and settings. */
static void degenerate_others(struct recipe *r, int i)
{
    switch (i) {
    case 11:
        r->name = "partly measured";
        r->partly = 1 + (r->n % 4 == 0);
        break;
    case 12:
        r->name = "failed trials";
        r->failing = 1 + r->n % 3;
        break;
    case 13:
        r->name = "pending trials";
        r->pending = 2;
        break;
    case 18:
        r->name = "sampled hyperparameters";
        r->fit = "sample";
        break;
    case 20:
        r->name = "a given M";
        r->K = r->K ? r->K : 1;
        r->penalty = r->n % 2 ? 1e6 : -1e6;
        break;
    case 21:
        r->name = "the paper's settings";
        r->preset = "paper";
        break;
    case 23:
        r->name = "no time";
        r->time_limit = 1e-9;
        break;
    }
}

/* The i-th way to be degenerate; the rest of the recipe is drawn at random. */
static void degenerate(struct recipe *r, int i)
{
    r->name = "ordinary";
    degenerate_designs(r, i);
    degenerate_constraints(r, i);
    degenerate_values(r, i);
    degenerate_others(r, i);
}

enum { WAYS = 25 };

static struct recipe draw_recipe(int model, struct ckg__rng *rng)
{
    static const char *const fits[] = {"auto", "map", "ml"}, *const kernels[] = {"rbf", "matern52",
                                                                                 "matern32"};
    static const enum ckg_noise noises[] = {CKG_NOISE_NONE, CKG_NOISE_AUTO, CKG_NOISE_KNOWN};
    struct recipe r = {.unit = 1, .penalty = NAN, .preset = "default"};
    r.shape = (enum shape)ckg__rng_below(rng, SHAPES);
    r.d = 1 + ckg__rng_below(rng, 3);
    r.K = ckg__rng_below(rng, 4);
    r.n = 2 + ckg__rng_below(rng, MOST_N - 1);
    r.noise = noises[ckg__rng_below(rng, 3)];
    r.fit = fits[ckg__rng_below(rng, 3)];
    r.kernel = kernels[ckg__rng_below(rng, 3)];
    r.pending = ckg__rng_below(rng, 4) == 0;
    r.failing = ckg__rng_below(rng, 8) ? 0 : 3;
    degenerate(&r, model % WAYS);
    return r;
}

/* --- its problem --- */

static void add_parameters(ckg_problem *p, const struct recipe *r)
{
    static const char *const names[] = {"x0", "x1", "x2", "x3"}, *const values[] = {"p", "q", "r"};
    for (int i = 0; i < r->d; i++) {
        if (r->shape == LOGARITHMIC)
            must(ckg_problem_add_real(p, names[i], 1e-5, 1e5, CKG_LOG));
        else if (r->shape == CUBE || r->shape == LIST)
            must(ckg_problem_add_real(p, names[i], -1, 2, CKG_LINEAR));
        else if (i % 2)
            must(ckg_problem_add_categorical(p, names[i], 3, values));
        else
            must(ckg_problem_add_integer(p, names[i], -2, 2));
    }
    if (r->shape == MIXED)
        must(ckg_problem_add_real(p, names[r->d], -1, 2, CKG_LINEAR));
}

static ckg_problem *make_problem(const struct recipe *r, struct ckg__rng *rng)
{
    ckg_problem *p;
    char name[16];
    double X[LISTED * MOST_D];
    must(ckg_problem_new(&p));
    add_parameters(p, r);
    must(ckg_problem_set_objective(p, "f", r->n % 2 ? CKG_MINIMIZE : CKG_MAXIMIZE));
    must(ckg_problem_set_noise(p, "f", r->noise, 0.1 * r->unit));
    for (int j = 0; j < r->K; j++) {
        const double low = r->band == 2 ? 0.2999 : -0.4;
        snprintf(name, sizeof name, "c%d", j);
        must(ckg_problem_add_constraint(p, name,
                                        r->band || j % 3 == 1 ? r->origin + low * r->unit : -INFINITY,
                                        j % 3 == 1 && !r->band ? INFINITY : r->origin + 0.3 * r->unit));
        must(ckg_problem_set_noise(p, name, r->noise, 0.1 * r->unit));
    }
    for (int i = 0; i < LISTED * r->d; i++)
        X[i] = -1 + 3 * ckg__rng_uniform(rng);
    if (r->shape == LIST)
        must(ckg_problem_set_designs(p, LISTED, X));
    return p;
}

/* A design at random, within a share of the box unless that is 0. */
static void draw_design(const ckg_problem *p, double spread, struct ckg__rng *rng, double *x)
{
    double c[MOST_D], u[MOST_UNIT];
    if (p->designs) {
        memcpy(x, p->X + (size_t)ckg__rng_below(rng, p->designs) * (size_t)p->d, (size_t)p->d * sizeof *x);
        return;
    }
    for (int i = 0; i < p->d; i++)
        c[i] = spread > 0 ? 0.5 + spread * (ckg__rng_uniform(rng) - 0.5) : ckg__rng_uniform(rng);
    ckg__problem_from_cube(p, c, u);
    ckg__problem_from_unit(p, u, x);
}

/* --- its data --- */

/* Smooth random outcomes: waves of random direction and phase in the unit cube. */
struct waves {
    double direction[WAVES][MOST_UNIT], phase[WAVES];
};

static void draw_waves(struct waves *w, struct ckg__rng *rng)
{
    for (int i = 0; i < WAVES; i++) {
        w->phase[i] = 6.283185307 * ckg__rng_uniform(rng);
        for (int k = 0; k < MOST_UNIT; k++)
            w->direction[i][k] = 3 * ckg__rng_normal(rng);
    }
}

static double waves_at(const struct waves *w, int D, const double *u)
{
    double sum = 0;
    for (int i = 0; i < WAVES; i++) {
        double angle = w->phase[i];
        for (int k = 0; k < D; k++)
            angle += w->direction[i][k] * u[k];
        sum += cos(angle) / sqrt(WAVES);
    }
    return sum;
}

static double outcome(const struct recipe *r, const struct waves *w, int D, const double *u, int j, int trial,
                      struct ckg__rng *rng)
{
    static const double constants[] = {0, 0, 1, 0.3};
    double value = waves_at(w, D, u);
    if (r->noise != CKG_NOISE_NONE)
        value += 0.1 * ckg__rng_normal(rng);
    if (r->tail && trial % 5 == 4)
        value = j ? 1e4 : -1e8;
    if (j && r->infeasible)
        value = (r->infeasible == 1 ? 2 : 1e6) * (j % 3 == 1 && !r->band ? -1 : 1) + 0.3 * value;
    if (j ? r->flat_constraints : r->flat_objective)
        value = j ? constants[r->flat_constraints] : 1.7;
    return r->origin + r->unit * value;
}

static int wants(const struct recipe *r, int trial, int j)
{
    return !r->partly || (r->partly == 1 ? (trial + j) % 2 == 0 || (trial == 0 && j == 0) : j > 0);
}

static void tell(ckg_study *s, const struct recipe *r, const struct waves *waves, int trial, const double *x,
                 struct ckg__rng *rng)
{
    ckg_measurement measured[1 + CKG_MAX_CONSTRAINTS];
    double u[MOST_UNIT];
    int count = 0;
    ckg__problem_to_unit(s->problem, x, u);
    for (int j = 0; j <= r->K; j++)
        if (wants(r, trial, j))
            measured[count++] = (ckg_measurement){j, outcome(r, &waves[j], s->problem->D, u, j, trial, rng),
                                                  CKG_SD_DEFAULT};
    if (!count || (r->failing && trial % r->failing == r->failing - 1))
        must(ckg_study_tell_failed(s, trial));
    else
        must(ckg_study_tell_measured(s, trial, count, measured));
}

static void add_trials(ckg_study *s, const struct recipe *r, struct ckg__rng *rng)
{
    struct waves waves[1 + CKG_MAX_CONSTRAINTS];
    double X[MOST_N * MOST_D], x[MOST_D];
    const int n = r->everything ? (int)ckg__problem_size(s->problem) : r->n;
    for (int j = 0; j <= r->K; j++)
        draw_waves(&waves[j], rng);
    for (int i = 0; i < MOST_N; i++)
        draw_design(s->problem, r->spread, rng, X + (size_t)i * (size_t)s->problem->d);
    for (int t = 0; t < n + r->pending; t++) {
        int trial;
        memcpy(x, X + (size_t)(t % (r->distinct ? r->distinct : MOST_N)) * (size_t)s->problem->d,
               (size_t)s->problem->d * sizeof *x);
        if (r->everything)
            ckg__problem_number(s->problem, t % n, x);
        must(ckg_study_add(s, x, &trial));
        if (t < n)
            tell(s, r, waves, trial, x, rng);
    }
}

static ckg_study *make_study(const char *policy, int model, struct recipe *r)
{
    struct ckg__rng rng;
    ckg_options options = CKG_OPTIONS_INIT;
    ckg_study *s;
    ckg__rng_seed(&rng, 2026, (uint64_t)model, 0);
    *r = draw_recipe(model, &rng);
    ckg_problem *p = make_problem(r, &rng);
    options.policy = policy;
    options.seed = 1 + (uint64_t)model;
    options.initial = 0;
    options.samples = 2;
    options.fit = r->fit;
    options.kernel = r->kernel;
    options.preset = r->preset;
    options.penalty = r->penalty;
    options.time_limit = r->time_limit;
    must(ckg_study_new(&s, p, &options));
    ckg_problem_free(p);
    add_trials(s, r, &rng);
    return s;
}

/* --- what must hold --- */

/* What one row did wrong, the first few times in words, and how often it was asked. */
struct complaints {
    const struct ckg__policy *row;
    int model, count;
    const struct recipe *recipe;
    int values, chosen, others, exhausted;
};

static void complain(struct complaints *c, const char *format, ...)
{
    va_list arguments;
    char text[160];
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (c->count++ < 8)
        print_error("%s, model %d (%s; shape %d, d = %d, K = %d, n = %d, noise %d, %s): %s\n", c->row->name,
                    c->model, c->recipe->name, (int)c->recipe->shape, c->recipe->d, c->recipe->K,
                    c->recipe->n, (int)c->recipe->noise, c->recipe->fit, text);
}

/*
 * The design that would be recommended, under all outcomes or as the row sees it, if it has such a design: x
 * (d).
 */
static int recommended(ckg_study *s, const struct ckg__policy *row, double *x)
{
    struct ckg__search search;
    must(ckg__study_begin_search(s, row, &search));
    const int has = search.lookahead && search.lookahead[0].x_r;
    if (has)
        ckg__problem_from_unit(s->problem, search.lookahead[0].x_r, x);
    ckg__study_end_search(s, CKG_OK);
    return has;
}

/* X ← random designs, data and x_r; the number of rows. */
static int choose_probes(ckg_study *s, const struct ckg__policy *row, struct ckg__rng *rng, double *X)
{
    const size_t d = (size_t)s->problem->d;
    int count = 0;
    for (; count < RANDOM_PROBES; count++)
        draw_design(s->problem, 0, rng, X + (size_t)count * d);
    for (int i = 0; i < DATA_PROBES && i < s->data.designs; i++)
        memcpy(X + (size_t)count++ * d, s->data.x + (size_t)i * d, d * sizeof *X);
    if (!recommended(s, row, X + (size_t)count * d))
        recommended(s, NULL, X + (size_t)count * d);
    return count + 1;
}

static void check_scores(ckg_study *s, const struct ckg__policy *row, struct ckg__rng *rng,
                         struct complaints *c)
{
    double X[PROBES * MOST_D], value[PROBES];
    if (!policy_has_values(row)) {
        draw_design(s->problem, 0, rng, X);
        if (ckg_study_score(s, NULL, 1, X, value) != CKG_ERR_INVALID ||
            !strstr(ckg_error_message(), row->name))
            complain(c, "has no values, yet the score says '%s'", ckg_error_message());
        return;
    }
    const int count = choose_probes(s, row, rng, X), status = ckg_study_score(s, NULL, count, X, value);
    if (status)
        complain(c, "score gives %d, '%s'", status, ckg_error_message());
    c->values += status ? 0 : count;
    for (int p = 0; !status && p < count; p++)
        if (!isfinite(value[p]))
            complain(c, "the value is %g at %s", value[p],
                     p < RANDOM_PROBES ? "a random design"
                     : p < count - 1   ? "a datum"
                                       : "x_r");
}

/* 1 when x may be suggested: legal, of the list where there is one, neither settled nor pending. */
static int may_be_suggested(const ckg_study *s, int trials, const double *x)
{
    int listed = !s->problem->designs;
    for (int i = 0; i < s->problem->designs; i++)
        listed |= !memcmp(s->problem->X + (size_t)i * (size_t)s->problem->d, x,
                          (size_t)s->problem->d * sizeof *x);
    if (!listed || ckg__problem_check_design(s->problem, x))
        return 0;
    const int design = ckg__data_find(&s->data, x);
    for (int t = 0; design >= 0 && t < trials; t++)
        if (s->data.trial[t].design == design && s->data.trial[t].state == CKG_PENDING)
            return 0;
    return design < 0 || !ckg__data_settled(&s->data, design);
}

/* 1 when a finite problem has no design left. */
static int exhausted(const ckg_study *s)
{
    const double size = ckg__problem_size(s->problem);
    int left = size == 0;
    for (double i = 0; i < size && !left; i++) {
        double x[MOST_D];
        ckg__problem_number(s->problem, i, x);
        left = may_be_suggested(s, s->data.trials, x);
    }
    return !left;
}

static int objective_measured(const ckg_study *s)
{
    for (int t = 0; t < s->data.trials; t++)
        for (int i = 0; i < s->data.trial[t].count; i++)
            if (s->data.trial[t].measured[i].outcome == 0)
                return 1;
    return 0;
}

/* Where no policy chose, there is no value. */
static int chosen(const ckg_suggestion *a)
{
    return strcmp(a->path, "design") != 0 && strcmp(a->path, "random") != 0 &&
           strcmp(a->path, "explore") != 0;
}

static void check_suggestion(const ckg_study *s, const struct ckg__policy *row, const ckg_suggestion *a,
                             struct complaints *c)
{
    const int modelled = objective_measured(s) && !(row->traits & CKG__TRAIT_NO_MODEL);
    if (!may_be_suggested(s, a->trial, a->x))
        complain(c, "suggests (%g, %g, …), which may not be suggested", a->x[0],
                 a->dimension > 1 ? a->x[1] : 0);
    for (int j = 0; modelled && j <= a->constraints; j++)
        if (!isfinite(a->mean[j]) || !(a->sd[j] >= 0 && isfinite(a->sd[j])))
            complain(c, "outcome %d is predicted %g with sd %g", j, a->mean[j], a->sd[j]);
    for (int j = 0; modelled && j < a->constraints; j++)
        if (!(a->probability[j] >= 0 && a->probability[j] <= 1))
            complain(c, "constraint %d is met with probability %g", j, a->probability[j]);
    if (modelled && !(a->probability_feasible >= 0 && a->probability_feasible <= 1))
        complain(c, "feasible with probability %g", a->probability_feasible);
    if (modelled && chosen(a) && policy_has_values(row) && !isfinite(a->value))
        complain(c, "the suggestion by '%s' has the value %g", a->path, a->value);
    if (isinf(a->value))
        complain(c, "the suggestion's value is %g", a->value);
}

static void check_ask(ckg_study *s, const struct ckg__policy *row, struct complaints *c)
{
    const int none = exhausted(s);
    ckg_suggestion *a;
    const int status = ckg_study_ask(s, &a);
    if (status != (none ? CKG_ERR_EXHAUSTED : CKG_OK))
        complain(c, "ask gives %d, '%s'%s", status, ckg_error_message(),
                 none ? ", though no design is left" : "");
    c->exhausted += none;
    if (status)
        return;
    check_suggestion(s, row, a, c);
    *(chosen(a) ? &c->chosen : &c->others) += 1;
    ckg_suggestion_free(a);
}

/*
 * Scores and a suggestion, and once more with that suggestion pending; the scores of every fourth model
 * alone, for the sake of time.
 */
static void finite_on_random_models(const struct ckg__policy *row)
{
    struct complaints c = {.row = row};
    for (int model = 0; model < test_scale(MODELS, WAYS); model++) {
        struct recipe recipe;
        struct ckg__rng rng;
        ckg_study *s = make_study(row->name, model, &recipe);
        c.model = model;
        c.recipe = &recipe;
        ckg__rng_seed(&rng, 2027, (uint64_t)model, 0);
        for (int pass = 0; pass < (model % 4 ? test_scale(2, 1) : 2); pass++) {
            if (!pass || model % 4 == 0)
                check_scores(s, row, &rng, &c);
            check_ask(s, row, &c);
        }
        ckg_study_free(s);
    }
    print_message("%s: %d values, %d suggestions of its own and %d others, %d times no design was left\n",
                  row->name, c.values, c.chosen, c.others, c.exhausted);
    if (c.count)
        fail_msg("%s: %d complaints", row->name, c.count);
}

int main(void)
{
    static const struct policy_contract contracts[] = {{"finite on random models", finite_on_random_models}};
    return policies_run(1, contracts);
}
