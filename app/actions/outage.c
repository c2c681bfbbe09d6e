/* Outages, told from designs that fail by how unlikely so many failures in a row would be. */
#include "actions/outage.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/*
 * How many in a row: when nothing has succeeded yet; all for one reason, unless they lie together, as designs
 * do that fail by themselves; at all.
 */
enum { AT_FIRST = 3, ALIKE = 3, AT_ALL = 5 };

/*
 * So rarely do designs that fail by themselves make a study pause, for each row; and where the same has
 * happened before, with successes since, so that it is known to come from designs.
 */
static const double chance = 1e-3;
static const double chance_known = 1e-6;

/* --- reasons --- */

static int is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* The length of the word at `text`; *number: it has a digit, as counters, addresses and names of files do. */
static size_t measure_word(const char *text, int *number)
{
    size_t length = 0;

    *number = 0;
    for (; is_word(text[length]); length++)
        *number |= isdigit((unsigned char)text[length]) != 0;
    return length;
}

int app_same_reason(const char *a, const char *b)
{
    const char *colon = strchr(a, ':');
    const size_t exact = colon ? (size_t)(colon - a) : strlen(a); /* "exit status 3": what we say ourselves */

    if (strncmp(a, b, exact) != 0)
        return 0;
    for (a += exact, b += exact; *a && *b;) {
        int number_a;
        int number_b;
        const size_t length_a = measure_word(a, &number_a);
        const size_t length_b = measure_word(b, &number_b);
        const int same = length_a && length_b
                             ? (number_a && number_b) || (length_a == length_b && !strncmp(a, b, length_a))
                             : *a == *b;

        if (!same)
            return 0;
        a += length_a ? length_a : 1;
        b += length_b ? length_b : 1;
    }
    return !*a && !*b;
}

/* --- rows --- */

/* What a run has evaluated to an end; what people told or imported is theirs. */
static int is_evaluated(const struct app_trial *t)
{
    return t->queued && app_trial_ended(t);
}

/* 1 for a failure; `why` NULL: for any reason. */
static int has_failed(const struct app_trial *t, const char *why)
{
    return t->state == APP_FAILED_TRIAL && (!why || app_same_reason(t->why ? t->why : "", why));
}

/* The failures behind the last success, for this reason (NULL: any). */
static struct app_outage find_row(const struct app_study *n, const char *why)
{
    struct app_outage row = {.alike = 1};

    for (int i = n->count - 1; i >= 0; i--) {
        const struct app_trial *t = &n->trials[i];
        if (!is_evaluated(t))
            continue;
        if (!has_failed(t, why))
            break;

        /* From the last to the first. */
        row.first = t->number;
        if (!row.count++) {
            row.last = t->number;
            row.why = t->why ? t->why : "";
        }
        row.alike &= has_failed(t, row.why);
    }
    return row;
}

/* How many were evaluated before this trial, and how many of them failed for this reason (NULL: any). */
static void count_before(const struct app_study *n, int number, const char *why, int *evaluated, int *failed)
{
    *evaluated = 0;
    *failed = 0;
    for (int i = 0; i < number - 1; i++)
        if (is_evaluated(&n->trials[i])) {
            ++*evaluated;
            *failed += has_failed(&n->trials[i], why);
        }
}

/*
 * 1 when so many failures in a row are too many for designs that fail by themselves, by the share before
 * them: (failed + 1) / (evaluated + 2) is its mean after a uniform prior.
 */
static int is_too_long(const struct app_study *n, const struct app_outage *row, const char *why)
{
    int evaluated;
    int failed;

    count_before(n, row->first, why, &evaluated, &failed);
    return pow((failed + 1.0) / (evaluated + 2.0), row->count) <= (failed ? chance_known : chance);
}

/* --- designs that fail lie together --- */

/* Parameter i of a design between 0 and 1, on its own scale. */
static double place_of(const struct app_parameter *p, double value)
{
    if (p->scale == CKG_LOG)
        return log(value / p->low) / log(p->high / p->low);
    return (value - p->low) / (p->high - p->low);
}

/* The square of the distance between two designs; different categories are as far apart as can be. */
static double distance(const struct app_definition *d, const double *a, const double *b)
{
    double sum = 0;

    for (int i = 0; i < app_dimension(d); i++) {
        const struct app_parameter p = app_parameter_at(d, i);
        const double apart = p.kind == CKG_CATEGORICAL ? a[i] != b[i]
                                                       : place_of(&p, a[i]) - place_of(&p, b[i]);
        sum += apart * apart;
    }
    return sum;
}

/* 1 when what was evaluated nearest to the trial has failed too. */
static int is_among_failures(const struct app_study *n, const struct app_trial *t)
{
    double nearest = INFINITY;
    int failed = 0;

    for (int i = 0; i < n->count; i++) {
        const struct app_trial *other = &n->trials[i];
        if (other == t || !is_evaluated(other))
            continue;
        const double apart = distance(&n->definition, t->x, other->x);
        if (apart < nearest) {
            nearest = apart;
            failed = other->state == APP_FAILED_TRIAL;
        }
    }
    return failed;
}

/* 1 when every one of the row is among failures: they may share a part of the space where no design works. */
static int lie_together(const struct app_study *n, const struct app_outage *row)
{
    for (int i = row->first - 1; i < row->last; i++)
        if (is_evaluated(&n->trials[i]) && !is_among_failures(n, &n->trials[i]))
            return 0;
    return 1;
}

static int are_many_alike(const struct app_study *n, const struct app_outage *row)
{
    return row->count >= ALIKE && is_too_long(n, row, row->why) &&
           (row->count >= AT_ALL || !lie_together(n, row));
}

/* --- the study --- */

static int has_succeeded(const struct app_study *n)
{
    for (int i = 0; i < n->count; i++)
        if (is_evaluated(&n->trials[i]) && n->trials[i].state == APP_COMPLETE)
            return 1;
    return 0;
}

int app_outage_find(const struct app_study *n, struct app_outage *out)
{
    const int given = n->definition.evaluate.pause_after;
    const struct app_outage row = find_row(n, NULL);
    const struct app_outage alike = find_row(n, row.why);
    const int nothing_yet = row.count && !has_succeeded(n);
    int paused = 0;

    /* As the file has it. */
    *out = row;
    if (given >= 0)
        paused = given && row.count >= given;
    else if (nothing_yet)
        paused = row.count >= AT_FIRST;

    /* Else by what has come before; those alike are fewer, and say more. */
    else if (are_many_alike(n, &alike)) {
        *out = alike;
        paused = 1;
    } else
        paused = row.count >= AT_ALL && is_too_long(n, &row, NULL);

    out->nothing_yet = nothing_yet;
    if (!paused)
        *out = (struct app_outage){0};
    return paused;
}

struct app_outage app_outage_streak(const struct app_study *n)
{
    return find_row(n, NULL);
}

int app_outage_has(const struct app_outage *outage, const struct app_trial *t)
{
    return outage->count && t->number >= outage->first && t->number <= outage->last && is_evaluated(t) &&
           t->state == APP_FAILED_TRIAL;
}
