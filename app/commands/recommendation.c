/* Prints a recommendation: the design, what is predicted of it, and the best design evaluated. */
#include "commands/recommendation.h"

#include <math.h>
#include <string.h>

#include "base/visible.h"
#include "api/shapes.h"
#include "present/numbers.h"
#include "present/nearest.h"
#include "present/recommended.h"

/* What is printed of a recommendation, and how. */
struct sheet {
    struct app_notebook *n;
    const ckg_recommendation *r;
    int exact; /* 1: all digits of the design */
};

static void print_limits(struct app_outcome o)
{
    struct app_text text = {0};

    app_limits_text(&o, &text);
    app_say("%s", text.data ? text.data : "");
    app_text_free(&text);
}

/* The name, then blanks up to its column; a character of several bytes is one column here. */
static void print_name(const char *name)
{
    int bytes = 20;

    for (const char *c = name; *c; c++)
        bytes += ((unsigned char)*c & 0xC0) == 0x80;
    app_say("  %-*s ", bytes, name);
}

/* The design, with as few digits as will do. */
static int print_design(const struct sheet *sheet)
{
    const struct app_definition *d = &sheet->n->definition;
    const size_t size = (size_t)app_dimension(d) * sizeof(double);
    double shown[CKG_MAX_PARAMETERS];
    struct app_text text = {0};
    int status = CKG_OK;

    memcpy(shown, sheet->r->x, size);
    if (!sheet->exact)
        status = app_design_shorten(sheet->n, sheet->r->x, shown);
    for (int i = 0; !status && i < app_dimension(d); i++) {
        print_name(app_parameter_at(d, i).title);
        text.length = 0;
        app_design_write_text(d, i, shown[i], &text);
        app_say("%s\n", text.data ? text.data : "");
    }
    app_text_free(&text);

    /* What every design has in common. */
    for (int i = 0; !status && i < d->fixed_count; i++) {
        const struct app_fixed *fixed = &d->fixed[i];

        print_name(fixed->label.title ? fixed->label.title : fixed->name);
        app_say("%s (fixed)\n", fixed->text);
    }
    for (int i = 0; !status && i < d->carried_count && app_listed(d, sheet->r->x) >= 0; i++) {
        print_name(d->carried[i].name);
        app_say("%s\n", app_carried_text(d, i, sheet->r->x));
    }
    return status;
}

/* Outcome j: what it is, whether its limits are met, and which they are. */
static void print_outcome(const struct sheet *sheet, int j)
{
    const struct app_definition *d = &sheet->n->definition;
    struct app_recommended_outcome said;

    app_recommended_outcome(d, sheet->r, j, &said);
    print_name(app_outcome_title(d, j));
    app_say("%s%s%s", said.value, *said.value && *said.met ? ", " : "", said.met);
    if (j) {
        app_say(" (");
        print_limits(app_outcome_at(d, j));
        app_say(")");
    }
    app_say("\n");
}

static void print_outcomes(const struct sheet *sheet)
{
    const ckg_recommendation *r = sheet->r;
    struct app_nearest shown;
    char probability[32];

    /* The objective, and the constraints that matter. */
    app_say("%s:\n", app_recommended_ground(&sheet->n->definition, r));
    app_nearest_choose(&shown, sheet->n, r->mean, r->sd);
    for (int i = 0; i < shown.count; i++)
        print_outcome(sheet, shown.outcome[i]);

    /* The others in one line. */
    const double least = app_nearest_others(&shown, &sheet->n->definition, r->probability);
    if (shown.others && isnan(least))
        app_say("  %d others, not measured yet\n", shown.others);
    else if (shown.others)
        app_say("  %d others, farther from their limits; the least sure is met with probability %s\n",
                shown.others, app_probability_text(least, probability));
}

static int print_text(const struct sheet *sheet)
{
    struct app_text words = {0};

    /* The design. */
    app_recommended_heading(sheet->r, &words);
    app_say("%s:\n", words.data ? words.data : "");
    app_text_free(&words);
    const int status = print_design(sheet);
    if (status)
        return status;

    /* What is known of it. */
    print_outcomes(sheet);
    app_recommended_feasible(sheet->n, sheet->r, &words);
    app_text_print(&words, "\n");
    app_recommended_best(sheet->n, sheet->r, &words);
    app_text_print(&words, "\n");
    app_recommended_advice(sheet->n, sheet->r, &words);
    app_say("%s", words.data ? words.data : "");
    app_text_free(&words);
    return CKG_OK;
}

int app_recommend_print(const struct app_arguments *a, struct app_notebook *n,
                        const ckg_recommend_options *how)
{
    ckg_recommendation *r;
    struct app_text line = {0};
    int status = app_notebook_recommend(n, how, &r);

    if (status)
        return status;
    if (a->json) {
        app_recommendation_write(n, r, &line);
        status = app_print(a, &line);
    } else
        status = print_text(&(struct sheet){n, r, app_option(a, "exact") != NULL});
    ckg_recommendation_free(r);
    return status;
}
