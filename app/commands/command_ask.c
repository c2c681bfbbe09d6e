/* ckg ask: designs for evaluations that people or other programs make. */
#include <math.h>

#include "command.h"
#include "json/shapes.h"

static const struct app_option options[] = {
    {"number", 'n', "Q", "how many designs; default: 1", 0},
    {0},
};

/* Every trial counts towards the budget, pending ones included, unless it was discarded. */
static int check_budget(const struct app_notebook *n, int wanted)
{
    const int budget = n->definition.budget;
    const int spent = app_notebook_spent(n);

    if (spent + wanted <= budget)
        return CKG_OK;
    return app_fail(n->message, CKG_ERR_STATE,
                    "%d more trial%s would exceed the budget of %d evaluations: there are %d trials already; "
                    "raise `budget` in the problem file",
                    wanted, wanted == 1 ? "" : "s", budget, spent);
}

/* What is expected of it, as far as it is known. */
static void write_expected(const struct app_notebook *n, const ckg_suggestion *s, struct app_text *out)
{
    app_text_print(out, "  (expected %s %.4g ± %.2g, ", app_outcome_name(&n->definition, 0), s->mean[0],
                   s->sd[0]);
    if (!isnan(s->probability_feasible))
        app_text_print(out, "feasible with probability %.3g", s->probability_feasible);
    else {
        app_text_print(out, "whether it is feasible is not known: ");
        app_notebook_unmeasured(n, 1, out);
    }
    app_text_print(out, ")");
}

/* trial 7: wire=0.31 coils=7  (expected …) */
static void write_line(const struct app_notebook *n, const ckg_suggestion *s, int number, int quiet,
                       struct app_text *out)
{
    const struct app_definition *d = &n->definition;

    app_text_print(out, "trial %d:", number);
    for (int i = 0; i < app_dimension(d); i++) {
        app_text_print(out, " %s=", app_parameter_name(d, i));
        app_design_write_text(d, i, s->x[i], out);
        if (app_parameter_at(d, i).label->unit)
            app_text_print(out, " %s", app_parameter_at(d, i).label->unit);
    }
    if (!quiet && !isnan(s->mean[0]))
        write_expected(n, s, out);
}

/* One design, suggested, recorded and printed. */
static int ask_one(const struct app_arguments *a, struct app_notebook *n)
{
    ckg_suggestion *suggestion;
    struct app_text line = {0};
    int number;
    const int status = app_notebook_suggest(n, 0, &suggestion, &number);

    if (status)
        return status;
    if (a->json)
        app_trial_write(&n->definition, &n->trials[number - 1], &line);
    else
        write_line(n, suggestion, number, a->quiet, &line);
    ckg_suggestion_free(suggestion);
    return app_print(a, &line);
}

static int read_number(const struct app_arguments *a, int *out)
{
    return app_option_integer(a, "number", 1, 100000, 1, out);
}

static int check(const struct app_arguments *a)
{
    int wanted;

    return read_number(a, &wanted);
}

static int run(const struct app_arguments *a, struct app_notebook *n)
{
    int wanted;
    int status = read_number(a, &wanted);

    if (!status)
        status = app_notebook_turn(n);
    if (!status)
        status = check_budget(n, wanted);
    for (int i = 0; !status && i < wanted; i++)
        status = ask_one(a, n);
    return status;
}

const struct app_work app_command_ask = {
    .usage = "STUDY [-n Q]",
    .about = "The designs are pending until `ckg tell` brings their results. Later suggestions take\n"
             "pending designs into account.",
    .traits = APP_TAKES_STUDY | APP_BEGINS_STUDY | APP_HAS_JSON | APP_HAS_THREADS | APP_HAS_MODEL,
    .options = options,
    .check = check,
    .run_study = run,
};
