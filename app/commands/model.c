/* ckg model: the fitted hyperparameters of every outcome. */
#include <math.h>
#include <stdio.h>

#include "command.h"

static void write_model(const struct app_definition *d, const ckg_model_info *m, struct app_text *out)
{
    int first = 1;
    app_text_print(out, "{\"kernel\": \"%s\", \"lengthscales\": [", m->kernel);
    for (int i = 0; i < d->d; i++, first = 0) {
        app_text_print(out, first ? "" : ", ");
        app_json_number(out, m->lengthscales[i]);
    }
    const struct {
        const char *name;
        double value;
    } numbers[] = {{"signal_sd", m->signal_sd},           {"noise_sd", m->noise_sd}, {"mean", m->mean},
                   {"log_likelihood", m->log_likelihood}, {"warp", m->warp},         {"nugget", m->nugget}};
    app_text_print(out, "], \"observations\": %d, \"samples\": %d", m->observations, m->samples);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        app_text_print(out, ", \"%s\": ", numbers[i].name);
        app_json_number(out, numbers[i].value);
    }
    app_text_print(out, "}");
}

static void print_model(const struct app_definition *d, int outcome, const ckg_model_info *m)
{
    printf("%s: %s, %d observations, %s\n", d->outcomes[outcome].name, m->kernel, m->observations,
           m->samples > 1 ? "the first of several hyperparameter samples"
                          : "hyperparameters at their maximum");
    printf("  mean %.5g, signal sd %.4g, noise sd %.4g, log likelihood %.6g%s\n", m->mean, m->signal_sd,
           m->noise_sd, m->log_likelihood, m->warp > 0 ? ", on a warped scale" : "");
    printf("  lengthscales in the unit cube:");
    for (int i = 0; i < d->d; i++)
        printf(" %s %.3g", d->parameters[i].name, m->lengthscales[i]);
    printf("\n");
}

static int show(struct app_notebook *n, int json)
{
    const struct app_definition *d = &n->definition;
    ckg_study *engine;
    struct app_text line = {0};
    double penalty = NAN;
    int status = app_notebook_engine(n, &engine), first = 1;
    if (!status && ckg_study_penalty(engine, &penalty))
        penalty = NAN; /* nothing has been measured yet */
    app_text_print(&line, "{");
    for (int j = 0; !status && j <= d->K; j++) {
        ckg_model_info model;
        status = ckg_study_model(engine, j, &model);
        if (status) {
            app_text_free(&line);
            return app_notebook_fail(n, status);
        }
        app_json_key(&line, d->outcomes[j].name, &first);
        write_model(d, &model, &line);
        if (!json)
            print_model(d, j, &model);
    }
    app_json_key(&line, "penalty", &first);
    app_json_number(&line, penalty);
    app_text_print(&line, "}");
    if (!status && json)
        return app_print(&line) ? CKG_ERR_NOMEM : CKG_OK;
    if (!status && !isnan(penalty))
        printf("penalty M: %.6g\n", penalty);
    app_text_free(&line);
    return status;
}

static int run(const struct app_arguments *arguments)
{
    struct app_message message;
    struct app_notebook n;
    if (arguments->count)
        return app_wrong(arguments, "'%s' is one word too many", arguments->rest[0]);
    int status = app_open(&n, arguments, APP_READ, &message);
    if (status)
        return status;
    const int failed = show(&n, arguments->json);
    if (failed)
        status = app_report_failure(&message, failed);
    app_notebook_close(&n);
    return status;
}

const struct app_command app_command_model = {
    .name = "model",
    .usage = "STUDY",
    .title = "the fitted models and the penalty M",
    .traits = APP_TAKES_STUDY | APP_HAS_JSON | APP_HAS_THREADS,
    .run = run,
};
