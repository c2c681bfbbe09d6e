/*
 * Whether rules leave any design. A small finite problem is gone through. Else: space-filling points; then,
 * where few of them are allowed, descents of the violation (Σ over clauses of what is missing, each in units
 * of its own spread) from the least bad ones, the reals to their nearest allowed point and one parameter
 * after the other to its best value; and walks from what was found. Rules that are functions give nothing to
 * descend by, so for them more points are tried.
 */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/maths.h"
#include "design/allowed.h"
#include "design/sequence.h"
#include "problem/rules.h"

enum {
    ENUMERATED = 1 << 17, /* the largest finite problem that is gone through */
    LISTED = 4096,        /* the most of its allowed designs that are kept as complete */
    KEPT = 256,           /* designs kept otherwise */
    ENOUGH = 64,          /* with so many nobody looks for more */
    POINTS = 2048,        /* space-filling ones */
    FUNCTION_POINTS = 1 << 20,
    DESCENTS = 64,
    LAST_DESCENTS = 512,
    ROUNDS = 12,
    VALUES = 24, /* of a parameter, tried in a descent */
    CHUNK = 32
};

struct observed {
    ckg_problem *problem;
    struct ckg__rng rng;
    double scale[CKG__MAX_CLAUSES];
    int count; /* designs found */
    double *x; /* KEPT × d */
    double *u, *scratch;
    struct ckg__arena arena;
    double nearest; /* the least violation seen, and which rule it broke */
    int most_violated;
};

/* --- how much is broken --- */

/* Σ of what is missing at x (d); 0 where nothing is. *worst is the rule that misses most. */
static double violation(const struct observed *s, const double *x, int *worst)
{
    const struct ckg__rules *rules = s->problem->rules;
    double sum = 0;
    double most = 0;
    int at = 0;

    for (int i = 0; i < rules->count; i++) {
        double broken = rules->rule[i].allowed && ckg__rule_truth(s->problem, &rules->rule[i], x) < 1;

        for (int c = 0; c < rules->rule[i].clauses; c++, at++) {
            const double margin = ckg__rule_margin(s->problem, &rules->rule[i], c, 0, x, NULL);
            if (margin < 0)
                broken += fmin(fmax(-margin / s->scale[at], 1e-12), 1e6);
        }
        sum += broken;
        if (broken > most) {
            most = broken;
            *worst = i;
        }
    }
    return sum;
}

/* The clauses' units: the mean size of their margins over some points. */
static void find_scales(struct observed *s)
{
    enum { SAMPLE = 128 };
    const struct ckg__rules *rules = s->problem->rules;
    double cube[CKG_MAX_PARAMETERS], x[CKG_MAX_PARAMETERS];
    double count[CKG__MAX_CLAUSES] = {0};

    memset(s->scale, 0, sizeof s->scale);
    for (int p = 0; p < SAMPLE; p++) {
        int at = 0;

        ckg__design_sobol(1, p, 1, s->problem->d, cube);
        ckg__problem_on_lattice(s->problem, cube, s->u);
        ckg__problem_from_unit(s->problem, s->u, x);
        for (int i = 0; i < rules->count; i++)
            for (int c = 0; c < rules->rule[i].clauses; c++, at++) {
                const double margin = fabs(ckg__rule_margin(s->problem, &rules->rule[i], c, 0, x, NULL));
                if (!isfinite(margin))
                    continue;
                s->scale[at] += margin;
                count[at]++;
            }
    }
    for (int at = 0; at < rules->clauses; at++)
        s->scale[at] = s->scale[at] > 0 ? s->scale[at] / count[at] : 1;
}

/* --- finding --- */

static void keep(struct observed *s, const double *x)
{
    if (s->count == KEPT)
        return;
    memcpy(s->x + (size_t)s->count * (size_t)s->problem->d, x, (size_t)s->problem->d * sizeof *x);
    s->count++;
}

/* Space-filling points first … last − 1 until enough are kept; how many were allowed. */
static int try_points(struct observed *s, int first, int last, int enough)
{
    double cube[CHUNK * CKG_MAX_PARAMETERS], x[CKG_MAX_PARAMETERS];
    int allowed = 0;

    for (int p = first; p < last && s->count < enough; p++) {
        if ((p - first) % CHUNK == 0)
            ckg__design_sobol(1, p, CHUNK, s->problem->d, cube);
        ckg__problem_on_lattice(s->problem, cube + (size_t)((p - first) % CHUNK) * (size_t)s->problem->d,
                                s->u);
        if (!ckg__allowed(s->problem, s->u, x))
            continue;
        keep(s, x);
        allowed++;
    }
    return allowed;
}

/* A value of parameter i to try in turn t of a descent at x: anywhere, then nearer and nearer. */
static double value_to_try(struct observed *s, int i, int t, double x)
{
    const struct ckg__parameter *q = &s->problem->parameters[i];
    const double chance = ckg__rng_uniform(&s->rng);
    const double reach = t < VALUES / 2 ? 0 : ckg__pow(4, VALUES / 2 - t);

    if (ckg__is_real(q)) {
        double u = chance;
        if (reach > 0) {
            ckg__problem_to_unit(s->problem, s->scratch, s->u);
            u = fmin(fmax(s->u[q->offset] + reach * (2 * chance - 1), 0), 1);
        }
        return ckg__problem_real(s->problem, i, u);
    }
    const double values = ckg__parameter_values(q);
    double number = values <= VALUES ? fmod(t, values) : floor(chance * values);
    if (values > VALUES && reach > 0)
        number = ckg__step_number(q, x) + (t % 2 ? 1 : -1) * ckg__pow(2, (VALUES - 1 - t) / 2);
    return ckg__step_value(q, fmin(fmax(number, 0), values - 1));
}

/* One parameter after the other to the value that breaks least; what is broken then. */
static double descend_once(struct observed *s, double *x, double broken)
{
    int unused = 0;

    for (int i = 0; i < s->problem->d && broken > 0; i++)
        for (int t = 0; t < VALUES && broken > 0; t++) {
            const double had = x[i];

            memcpy(s->scratch, x, (size_t)s->problem->d * sizeof *x);
            x[i] = value_to_try(s, i, t, had);
            const double now = x[i] == had ? broken : violation(s, x, &unused);
            if (now < broken)
                broken = now;
            else
                x[i] = had;
        }
    return broken;
}

/* 1 when a descent from x (d) ends at an allowed design, which is kept. */
static int descend(struct observed *s, double *x)
{
    int rule = 0;
    double broken = violation(s, x, &rule);
    double before = INFINITY;

    for (int round = 0; round < ROUNDS && broken < before; round++) {
        double back[CKG_MAX_PARAMETERS];

        /* The reals at once, where their slopes lead somewhere. */
        ckg__problem_to_unit(s->problem, x, s->u);
        if (ckg__allowed_nearest(s->problem, NULL, NULL, s->u, NULL)) {
            ckg__problem_from_unit(s->problem, s->u, back);
            keep(s, back);
            return 1;
        }

        /* Else one parameter at a time. */
        before = broken;
        broken = descend_once(s, x, broken);
        if (broken > 0 && broken < s->nearest) {
            s->nearest = violation(s, x, &rule);
            s->most_violated = rule;
        }
    }
    return 0;
}

/* Descents from `count` space-filling points on, the least bad of some each time. */
static void try_descents(struct observed *s, int first, int count)
{
    enum { OF = 16 };
    double cube[OF * CKG_MAX_PARAMETERS], x[CKG_MAX_PARAMETERS], best[CKG_MAX_PARAMETERS];

    for (int p = 0; p < count && s->count < ENOUGH; p++) {
        double least = INFINITY;
        int rule = 0;

        ckg__design_sobol(2, first + p * OF, OF, s->problem->d, cube);
        for (int i = 0; i < OF; i++) {
            ckg__problem_on_lattice(s->problem, cube + (size_t)i * (size_t)s->problem->d, s->u);
            ckg__problem_from_unit(s->problem, s->u, x);
            const double broken = violation(s, x, &rule);
            if (broken < least) {
                least = broken;
                memcpy(best, x, sizeof best);
            }
        }
        descend(s, best);
    }
}

/* From what was found on to more of it. */
static int try_walks(struct observed *s)
{
    const int had = s->count;
    double x[CKG_MAX_PARAMETERS];
    int status = CKG_OK;

    for (int i = 0; !status && s->count < ENOUGH; i++) {
        ckg__problem_to_unit(s->problem, s->x + (size_t)(i % had) * (size_t)s->problem->d, s->u);
        if (!ckg__allowed(s->problem, s->u, x) && !ckg__allowed_nearest(s->problem, NULL, NULL, s->u, NULL))
            memcpy(x, s->x + (size_t)(i % had) * (size_t)s->problem->d, sizeof *x * (size_t)s->problem->d);
        else
            status = ckg__allowed_walk(s->problem, &s->rng, NULL, NULL, s->u, &s->arena);
        ckg__problem_from_unit(s->problem, s->u, x);
        if (!status && ckg__rules_allow(s->problem, x))
            keep(s, x);
        else if (i > 4 * ENOUGH)
            break;
    }
    return status;
}

static int has_functions(const ckg_problem *problem)
{
    for (int i = 0; i < problem->rules->count; i++)
        if (problem->rules->rule[i].allowed)
            return 1;
    return 0;
}

/* Allowed designs of a problem that is too large to go through. */
static int look_around(struct observed *s)
{
    find_scales(s);
    s->problem->known.share = (double)try_points(s, 0, POINTS, KEPT) / POINTS;
    if (s->count == KEPT)
        return CKG_OK;

    /* The rules leave little: downhill to it, and on from there. */
    if (s->count < ENOUGH)
        try_descents(s, 0, DESCENTS);
    if (!s->count && has_functions(s->problem))
        try_points(s, POINTS, FUNCTION_POINTS, 1);
    if (!s->count)
        try_descents(s, DESCENTS, LAST_DESCENTS);
    return s->count && s->count < ENOUGH ? try_walks(s) : CKG_OK;
}

/* --- a finite problem, gone through --- */

/* The numbers (most) of the first allowed designs; how many are allowed in all. */
static int go_through(const ckg_problem *problem, double size, int most, double *number)
{
    double x[CKG_MAX_PARAMETERS];
    int allowed = 0;

    for (double i = 0; i < size; i++) {
        ckg__problem_number(problem, i, x);
        if (!ckg__rules_allow(problem, x))
            continue;
        if (allowed < most)
            number[allowed] = i;
        allowed++;
    }
    return allowed;
}

static int refuse(const struct observed *s, int proven)
{
    char words[240];

    if (proven)
        return ckg__fail(CKG_ERR_INVALID, "the rules leave no design: each of the %.0f designs breaks one",
                         ckg__problem_size(s->problem));
    return ckg__fail(CKG_ERR_INVALID,
                     "the rules seem to leave no design: none was found, and the nearest try breaks %s",
                     ckg__rule_words(s->problem, s->most_violated, words, sizeof words));
}

/* Goes through a finite problem; the allowed designs become known where they are few enough. */
static int list_allowed(struct observed *s, double size)
{
    struct ckg__known *known = &s->problem->known;
    const int most = s->problem->designs ? s->problem->designs : LISTED;
    double *number = ckg__alloc((size_t)most, sizeof *number);
    const size_t d = (size_t)s->problem->d;

    if (!number)
        return CKG_ERR_NOMEM;
    const int allowed = go_through(s->problem, size, most, number);
    known->share = allowed / size;
    known->number = number;
    if (!allowed)
        return refuse(s, 1);
    if (allowed > most)
        return look_around(s);

    /* All of them. */
    ckg__free(s->x);
    s->x = ckg__alloc((size_t)allowed * d, sizeof *s->x);
    if (!s->x)
        return CKG_ERR_NOMEM;
    for (int i = 0; i < allowed; i++)
        ckg__problem_number(s->problem, number[i], s->x + (size_t)i * d);
    s->count = allowed;
    known->complete = 1;
    return CKG_OK;
}

/* --- the survey --- */

static int take(struct observed *s)
{
    const size_t D = (size_t)s->problem->D;
    const size_t larger = D > CKG_MAX_PARAMETERS ? D : CKG_MAX_PARAMETERS;

    ckg__arena_init(&s->arena);
    ckg__rng_seed(&s->rng, 0, 0, CKG__FOR_FINDING);
    s->x = ckg__alloc(KEPT * (size_t)s->problem->d, sizeof *s->x);
    s->u = ckg__alloc(larger, sizeof *s->u);
    s->scratch = ckg__alloc(larger, sizeof *s->scratch);
    return s->x && s->u && s->scratch ? CKG_OK : CKG_ERR_NOMEM;
}

int ckg__allowed_find(ckg_problem *problem)
{
    struct observed s = {.problem = problem, .nearest = INFINITY};
    const double size = ckg__problem_size(problem);

    if (!ckg__ruled(problem))
        return CKG_OK;
    int status = take(&s);
    if (!status)
        status = size > 0 && (size <= ENUMERATED || problem->designs) ? list_allowed(&s, size)
                                                                      : look_around(&s);
    if (!status && !s.count)
        status = refuse(&s, 0);

    /* What was found stays with the problem. */
    ckg__free(problem->known.x);
    problem->known.x = status ? NULL : s.x;
    problem->known.count = status ? 0 : s.count;
    if (status)
        ckg__free(s.x);
    ckg__free(s.u);
    ckg__free(s.scratch);
    ckg__arena_free(&s.arena);
    return status;
}

int ckg_problem_find_allowed(const ckg_problem *problem, double *x)
{
    ckg_problem *copy = NULL;

    /* A problem to be surveyed. */
    ckg__error_clear();
    if (!problem || !x || !problem->d)
        return ckg__fail(CKG_ERR_INVALID, "ckg_problem_find_allowed: needs a problem with parameters, and x");
    int status = ckg__problem_copy(&copy, problem);
    if (!status)
        status = ckg__allowed_find(copy);

    /* Its first design where nothing is ruled out. */
    if (!status && copy->known.count)
        memcpy(x, copy->known.x, (size_t)problem->d * sizeof *x);
    for (int i = 0; !status && !copy->known.count && i < problem->d; i++)
        x[i] = problem->designs ? problem->X[i] : problem->parameters[i].low;
    ckg_problem_free(copy);
    return status;
}
