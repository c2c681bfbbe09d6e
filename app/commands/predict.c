/* ckg predict: what the models say of given designs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "command.h"
#include "table/table.h"

static const struct app_option options[] = {
    {"at", 0, "FILE", "the designs: CSV with a header, or one JSON object per line; - is standard input"},
    {0},
};

struct predictions {
    double *X, *mean, *sd, *probability, *utility;
    int count;
};

static int predict(struct app_notebook *n, struct predictions *p)
{
    const size_t outcomes = (size_t)n->definition.K + 1, count = (size_t)p->count + 1;
    ckg_study *engine;
    p->mean = calloc(count * outcomes, sizeof *p->mean);
    p->sd = calloc(count * outcomes, sizeof *p->sd);
    p->probability = calloc(count, sizeof *p->probability);
    p->utility = calloc(count, sizeof *p->utility);
    if (!p->mean || !p->sd || !p->probability || !p->utility)
        return app_fail(n->message, CKG_ERR_NOMEM, "out of memory");
    int status = app_notebook_engine(n, &engine);
    if (!status && p->count &&
        ckg_study_predict(engine, p->count, p->X, p->mean, p->sd, p->probability, p->utility))
        status = app_notebook_fail(n, CKG_ERR_STATE);
    return status;
}

static void write_point(const struct app_definition *d, const struct predictions *p, int i,
                        struct app_text *out)
{
    const size_t outcomes = (size_t)d->K + 1;
    int first = 1;
    app_text_print(out, "{\"parameters\": ");
    app_design_write(d, p->X + (size_t)i * (size_t)d->d, out);
    app_text_print(out, ", \"outcomes\": {");
    for (size_t j = 0; j < outcomes; j++) {
        app_json_key(out, d->outcomes[j].name, &first);
        app_text_print(out, "{\"mean\": ");
        app_json_number(out, p->mean[(size_t)i * outcomes + j]);
        app_text_print(out, ", \"sd\": ");
        app_json_number(out, p->sd[(size_t)i * outcomes + j]);
        app_text_print(out, "}");
    }
    app_text_print(out, "}, \"probability_feasible\": ");
    app_json_number(out, p->probability[i]);
    app_text_print(out, ", \"utility\": ");
    app_json_number(out, p->utility[i]);
    app_text_print(out, "}");
}

static void print_point(const struct app_definition *d, const struct predictions *p, int i)
{
    const size_t outcomes = (size_t)d->K + 1;
    struct app_text design = {0};
    app_design_write(d, p->X + (size_t)i * (size_t)d->d, &design);
    printf("%s ", design.data ? design.data : "");
    for (size_t j = 0; j < outcomes; j++)
        printf(" %s %.5g ± %.2g,", d->outcomes[j].name, p->mean[(size_t)i * outcomes + j],
               p->sd[(size_t)i * outcomes + j]);
    printf(" feasible with probability %.4g\n", p->probability[i]);
    app_text_free(&design);
}

static int run(const struct app_arguments *arguments)
{
    struct app_message message;
    struct app_notebook n;
    struct predictions p = {0};
    const char *path = app_option(arguments, "at");
    if (!path || arguments->count)
        return app_wrong(arguments, path ? "one word too many" : "at which designs? --at FILE");
    int status = app_open(&n, arguments, APP_READ, &message);
    if (status)
        return status;
    int failed = app_points_read(&n.definition, path, &p.X, &p.count, &message);
    if (!failed)
        failed = predict(&n, &p);
    for (int i = 0; !failed && i < p.count; i++) {
        struct app_text line = {0};
        if (!arguments->json) {
            print_point(&n.definition, &p, i);
            continue;
        }
        write_point(&n.definition, &p, i, &line);
        app_print(&line);
    }
    if (failed)
        status = app_report_failure(&message, failed);
    free(p.X);
    free(p.mean);
    free(p.sd);
    free(p.probability);
    free(p.utility);
    app_notebook_close(&n);
    return status;
}

const struct app_command app_command_predict = {
    .name = "predict",
    .usage = "STUDY --at FILE",
    .title = "predicted outcomes and probability of feasibility at given designs",
    .traits = APP_TAKES_STUDY | APP_HAS_JSON | APP_HAS_THREADS,
    .options = options,
    .run = run,
};
