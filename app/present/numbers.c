/*
 * Numbers as people read them. A design is rounded level by level, all reals alike: at level k a real has k
 * digits of its range, or k significant ones on a log scale. The first level that the models find no fault
 * with is then lowered for each real by itself.
 */
#include "present/numbers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Levels to try; a double has no more digits than that. */
enum { LEVELS = 15, FEWEST = 2, ALONE = 20 };

/* --- values and probabilities --- */

/* -1 below the limits, 1 above, 0 within. */
static int side_of(const struct app_outcome *o, double value)
{
    return value < o->min ? -1 : value > o->max;
}

int app_value_digits(const struct app_outcome *o, double value, int digits)
{
    char text[32];

    for (; digits < 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (side_of(o, strtod(text, NULL)) == side_of(o, value))
            break;
    }
    return digits;
}

const char *app_value_text(const struct app_outcome *o, double value, int digits, char buffer[32])
{
    if (!isfinite(value))
        return strcpy(buffer, "-");
    if (o->yesno && (value == 0 || value == 1))
        return strcpy(buffer, value > 0 ? "yes" : "no");
    snprintf(buffer, 32, "%.*g", app_value_digits(o, value, digits), value);
    return buffer;
}

const char *app_estimate_text(const struct app_outcome *o, double value, double sd, char buffer[64])
{
    const int known = sd > 0 && value != 0 && isfinite(value) && isfinite(sd);
    const double digits = known ? floor(log10(fabs(value))) - floor(log10(sd)) + 2 : 5;
    char text[32];

    app_value_text(o, value, (int)fmin(fmax(digits, 2), 8), text);
    snprintf(buffer, 64, "%s ± %.2g", text, sd);
    return buffer;
}

const char *app_probability_text(double probability, char buffer[32])
{
    if (isnan(probability))
        return strcpy(buffer, "not known");
    if (probability > 0.9999)
        return strcpy(buffer, "> 0.9999");
    if (probability < 0.0001)
        return strcpy(buffer, "< 0.0001");
    snprintf(buffer, 32, "%.4g", probability);
    return buffer;
}

void app_withhold_early(const struct app_study *n, ckg_recommendation *r)
{
    enum { FEW = 3 };

    for (int j = 1; j <= app_constraints(&n->definition) && !r->measured; j++) {
        int values = 0;

        for (int i = 0; i < n->count; i++)
            values += !isnan(app_trial_value(&n->trials[i], j));
        if (values >= FEW)
            continue;
        ((double *)r->probability)[j - 1] = NAN;
        r->probability_feasible = r->utility = NAN;
    }
}

int app_study_recommend(struct app_study *n, const ckg_recommend_options *how, ckg_recommendation **out)
{
    ckg_study *engine;
    int status = app_study_engine(n, &engine);

    *out = NULL;
    if (status)
        return status;
    status = ckg_study_recommend(engine, how, out);
    if (status)
        return app_study_fail(n, status);
    app_withhold_early(n, *out);
    return CKG_OK;
}

void app_limits_text(const struct app_outcome *o, struct app_text *out)
{
    char number[32];

    if (o->yesno) {
        app_text_print(out, "= yes");
        return;
    }
    if (o->tolerance > 0) {
        app_text_print(out, "= %s", app_number(o->equal, number));
        app_text_print(out, " ± %s", app_number(o->tolerance, number));
        return;
    }
    if (!isinf(o->min))
        app_text_print(out, ">= %s", app_number(o->min, number));
    if (!isinf(o->max))
        app_text_print(out, "%s<= %s", isinf(o->min) ? "" : " and ", app_number(o->max, number));
}

/* --- a design --- */

/* What is known of a design: the models' word, and what was measured of it without noise. */
struct known {
    double mean[CKG_MAX_CONSTRAINTS + 1];
    double sd[CKG_MAX_CONSTRAINTS + 1];
    double probability;
    const struct app_trial *fact; /* NULL: it is a prediction */
};

/* A design under its short forms. */
struct shortening {
    struct app_study *n;
    ckg_study *engine;
    const double *x;
    struct known known; /* of x */
    struct known other; /* of a shorter one */
};

/* x with that many digits of the parameter's range, within it. */
static double rounded(const struct app_parameter *p, double x, int level)
{
    const int decimals = level - 1 - (int)floor(log10(p->high - p->low));
    const double unit = pow(10, -decimals);
    char text[400];

    if (p->kind != CKG_REAL || p->step > 0 || x == p->low || x == p->high)
        return x;
    if (p->scale == CKG_LOG)
        snprintf(text, sizeof text, "%.*g", level, x);
    else if (decimals >= 0)
        snprintf(text, sizeof text, "%.*f", decimals, x);
    else
        snprintf(text, sizeof text, "%.0f", unit * round(x / unit));
    return fmin(fmax(strtod(text, NULL), p->low), p->high) + 0.0;
}

/* The trial that measured all outcomes of x without noise, or NULL. */
static const struct app_trial *find_fact(const struct app_study *n, const double *x)
{
    const struct app_definition *d = &n->definition;
    const size_t size = (size_t)app_dimension(d) * sizeof *x;

    for (int i = n->count - 1; i >= 0; i--) {
        const struct app_trial *t = &n->trials[i];
        int exact = t->state == APP_COMPLETE && t->count == app_constraints(d) + 1;

        if (!exact || memcmp(t->x, x, size) != 0)
            continue;
        for (int k = 0; exact && k < t->count; k++)
            exact = t->measured[k].sd == 0 ||
                    (t->measured[k].sd < 0 &&
                     ckg_problem_noise(d->problem, t->measured[k].outcome, NULL) == CKG_NOISE_NONE);
        if (exact)
            return t;
    }
    return NULL;
}

static int look_at(struct shortening *s, const double *x, struct known *out)
{
    const int status = ckg_study_predict(s->engine, 1, x, out->mean, out->sd, &out->probability, NULL);

    return status ? app_study_fail(s->n, status) : CKG_OK;
}

/* 1 when the objective is as good, but for what nobody would notice. */
static int is_as_good(const struct shortening *s)
{
    const double change = fabs(s->other.mean[0] - s->known.mean[0]);

    return change <= fmax(1e-4 * fabs(s->known.mean[0]), 0.05 * s->known.sd[0]);
}

/* 1 when no constraint that was measured comes nearer to its limit than by a tenth of what it has left. */
static int keeps_its_distance(const struct shortening *s)
{
    const struct app_definition *d = &s->n->definition;
    int keeps = 1;

    for (int j = 1; keeps && j <= app_constraints(d); j++) {
        const struct app_outcome o = app_outcome_at(d, j);
        const double value = app_trial_value(s->known.fact, j);
        const double shift = s->other.mean[j] - s->known.mean[j];
        const double more = pow(s->other.sd[j], 2) - pow(s->known.sd[j], 2); /* than the models' rounding */
        const double unsure = more > 0 ? 3 * sqrt(more) : 0;

        keeps = (isinf(o.min) || shift - unsure >= -0.1 * (value - o.min)) &&
                (isinf(o.max) || shift + unsure <= 0.1 * (o.max - value));
    }
    return keeps;
}

/* 1 when the rounded design will do as well as x. */
static int is_sound(struct shortening *s, const double *rounded_x, int *status)
{
    /* It must be a design, and the models must know of it. */
    if (ckg_problem_check_rules(s->n->definition.problem, rounded_x))
        return 0;
    *status = look_at(s, rounded_x, &s->other);
    if (*status || !is_as_good(s))
        return 0;

    /* And as likely to be feasible; where that is not known, nothing says that it is not. */
    if (s->known.fact && s->known.fact->feasible == 1)
        return keeps_its_distance(s);
    const double missing = 1 - s->known.probability;
    return isnan(missing) || s->other.probability >= s->known.probability - fmax(1e-4, 0.1 * missing);
}

/* shown ← the first level at which all reals, rounded alike, are sound. */
static int find_level(struct shortening *s, int *level, double *shown)
{
    const struct app_definition *d = &s->n->definition;
    int status = CKG_OK;

    for (*level = FEWEST; !status && *level <= LEVELS; ++*level) {
        for (int i = 0; i < app_dimension(d); i++) {
            const struct app_parameter p = app_parameter_at(d, i);
            shown[i] = rounded(&p, s->x[i], *level);
        }
        if (is_sound(s, shown, &status))
            return CKG_OK;
    }
    memcpy(shown, s->x, (size_t)app_dimension(d) * sizeof *shown);
    return status;
}

/* Fewer digits for parameter i alone, below that level. */
static int shorten_one(struct shortening *s, int i, int level, double *shown)
{
    const struct app_parameter p = app_parameter_at(&s->n->definition, i);
    const double before = shown[i];
    int status = CKG_OK;

    for (int k = 1; !status && p.kind == CKG_REAL && k < level; k++) {
        shown[i] = rounded(&p, s->x[i], k);
        if (shown[i] == before || is_sound(s, shown, &status))
            return status;
    }
    shown[i] = before;
    return status;
}

int app_design_shorten(struct app_study *n, const double *x, double *shown)
{
    struct shortening *s = calloc(1, sizeof *s);
    const int d = app_dimension(&n->definition);
    int level;

    if (!s)
        return app_no_memory(n->message);
    *s = (struct shortening){.n = n, .x = x};

    /* What x is said to be. */
    int status = app_study_engine(n, &s->engine);
    if (!status)
        status = look_at(s, x, &s->known);
    s->known.fact = find_fact(n, x);

    /* All reals alike, then each by itself; of a list of designs every digit counts. */
    const int listed = ckg_problem_designs(n->definition.problem) > 0;
    if (listed)
        memcpy(shown, x, (size_t)d * sizeof *shown);
    if (!status && !listed)
        status = find_level(s, &level, shown);
    for (int i = 0; !status && !listed && d <= ALONE && i < d; i++)
        status = shorten_one(s, i, level, shown);
    free(s);
    return status;
}
