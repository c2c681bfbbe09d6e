/* Which trials are meant: by their numbers, or those that have failed. */
#include "commands/selection.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "actions/action_retry.h"

/* --- when --- */

/* T: from a trial on, or from a moment on. */
struct since {
    int trial;
    double timestamp; /* seconds since 1970, −∞: any */
};

/* A duration such as 90s, 30min, 2h, 3d or 1w, in seconds; NAN: it is none. */
static double read_duration(const char *text)
{
    static const struct {
        const char *name;
        double seconds;
    } units[] = {{"s", 1}, {"sec", 1}, {"m", 60}, {"min", 60}, {"h", 3600}, {"d", 86400}, {"w", 604800}};
    char *stop;
    const double value = strtod(text, &stop);

    while (*stop == ' ')
        stop++;
    for (size_t i = 0; stop != text && value >= 0 && i < sizeof units / sizeof *units; i++)
        if (!strcmp(stop, units[i].name))
            return value * units[i].seconds;
    return NAN;
}

/* A moment of local time, NAN: it is none. A time alone is one of today. */
static double read_timestamp(const char *text)
{
    static const char *const forms[] = {"%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M",
                                        "%Y-%m-%d %H:%M",    "%Y-%m-%d",          "%H:%M"};
    const time_t now = time(NULL);

    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        struct tm timestamp;
        localtime_r(&now, &timestamp);
        timestamp.tm_hour = timestamp.tm_min = timestamp.tm_sec = 0;
        timestamp.tm_isdst = -1;
        const char *stop = strptime(text, forms[i], &timestamp);
        if (stop && !*stop)
            return (double)mktime(&timestamp);
    }
    return NAN;
}

static int read_since(const struct app_arguments *a, struct since *out)
{
    const char *text = app_option(a, "since");

    *out = (struct since){.trial = 1, .timestamp = -INFINITY};
    if (!text)
        return CKG_OK;
    if (*text && strspn(text, "0123456789") == strlen(text) && strlen(text) < 9) {
        out->trial = atoi(text);
        return CKG_OK;
    }

    const double duration = read_duration(text);
    out->timestamp = isnan(duration) ? read_timestamp(text) : (double)time(NULL) - duration;
    return isnan(out->timestamp)
               ? app_wrong(a,
                           "--since takes the number of a trial, a duration like 2h, or a time like "
                           "2026-01-31T14:00, not '%s'",
                           text)
               : CKG_OK;
}

/* --- which --- */

/* A number, or A-B. */
static int read_range(const char *word, long *first, long *last)
{
    char *stop;

    *first = strtol(word, &stop, 10);
    *last = *first;
    if (stop == word || !isdigit((unsigned char)*word))
        return 0;
    if (*stop == '-' && isdigit((unsigned char)stop[1]))
        *last = strtol(stop + 1, &stop, 10);
    return !*stop && *first >= 1 && *last >= *first;
}

int app_selection_check(const struct app_arguments *a)
{
    const int failed = app_option(a, "failed") != NULL;
    struct since since;
    long first;
    long last;

    if (!a->count && !failed)
        return app_wrong(a, "which trials? Give their numbers, or --failed");
    if (a->count && failed)
        return app_wrong(a, "give numbers of trials or --failed, not both");
    if (app_option(a, "since") && !failed)
        return app_wrong(a, "--since goes with --failed");
    for (int i = 0; i < a->count; i++)
        if (!read_range(a->rest[i], &first, &last))
            return app_wrong(a, "'%s' is not the number of a trial, nor a range like 3-7", a->rest[i]);
    return read_since(a, &since);
}

/* What has failed since. */
static int list_failed(const struct app_arguments *a, const struct app_study *n, struct app_selection *out)
{
    const char *text = app_option(a, "since");
    struct since since;
    const int status = read_since(a, &since);

    if (!status)
        out->count = app_study_failed(n, since.trial, since.timestamp, out->number);
    return status || out->count ? status
                                : app_fail(n->message, CKG_ERR_STATE, "no trial has failed%s%s",
                                           text ? " since " : "", text ? text : "");
}

/* What the words name, each once. */
static int list_words(const struct app_arguments *a, const struct app_study *n, struct app_selection *out)
{
    long first;
    long last;

    for (int k = 0; k < a->count; k++)
        if (!read_range(a->rest[k], &first, &last) || last > n->count)
            return app_fail(n->message, CKG_ERR_INVALID, "there is no trial '%s'; `ckg trials` lists them",
                            a->rest[k]);
    for (int number = 1; number <= n->count; number++)
        for (int k = 0; k < a->count; k++)
            if (read_range(a->rest[k], &first, &last) && number >= first && number <= last) {
                out->number[out->count++] = number;
                break;
            }
    return CKG_OK;
}

int app_selection_read(const struct app_arguments *a, const struct app_study *n, struct app_selection *out)
{
    out->count = 0;
    out->number = calloc((size_t)n->count + 1, sizeof *out->number);
    int status = out->number ? CKG_OK : app_no_memory(n->message);

    if (!status)
        status = app_option(a, "failed") ? list_failed(a, n, out) : list_words(a, n, out);
    if (status)
        app_selection_free(out);
    return status;
}

void app_selection_free(struct app_selection *s)
{
    free(s->number);
    *s = (struct app_selection){0};
}
