/* How a design is evaluated: written as JSON of a problem file's shape. */
#include "definition/definition.h"

#include "base/json.h"

static void add_words(struct app_text *out, const char *key, int count, char *const *words)
{
    app_json_open(out, key, '[');
    for (int i = 0; i < count; i++)
        app_json_add_string(out, NULL, words[i]);
    app_json_close(out, ']');
}

/* Nothing where there are none. */
static void add_pairs(struct app_text *out, const char *key, int count, const struct app_need *pairs)
{
    if (!count)
        return;
    app_json_open(out, key, '{');
    for (int i = 0; i < count; i++)
        app_json_add_string(out, pairs[i].name, pairs[i].value);
    app_json_close(out, '}');
}

static void add_cluster(struct app_text *out, const struct app_evaluate *e)
{
    const struct app_cluster *c = &e->cluster;

    app_json_open(out, c->scheduler, '{');
    if (c->partition)
        app_json_add_string(out, "partition", c->partition);
    if (c->time)
        app_json_add_string(out, "time", c->time);
    if (c->cpus)
        app_json_add_integer(out, "cpus", c->cpus);
    add_words(out, "options", c->option_count, c->options);
    app_json_add_integer(out, "concurrent", e->parallel);
    app_json_close(out, '}');
}

static void add_workspace(struct app_text *out, const struct app_workspace *w)
{
    app_json_open(out, "work", '{');
    if (w->folder)
        app_json_add_string(out, "folder", w->folder);
    app_json_add_string(out, "keep", app_keep_names[w->keep]);
    if (w->quota > 0) {
        app_json_member(out, "quota");
        app_text_print(out, "\"%.0f B\"", w->quota);
    }
    if (w->file_count)
        add_words(out, "files", w->file_count, w->files);
    add_pairs(out, "templates", w->template_count, w->templates);
    app_json_close(out, '}');
}

static void add_results(struct app_text *out, const struct app_result_place *r)
{
    app_json_open(out, "results", '{');
    if (r->file)
        app_json_add_string(out, "file", r->file);
    add_pairs(out, "find", r->find_count, r->find);
    app_json_close(out, '}');
}

static void add_parts(struct app_text *out, const struct app_definition *d)
{
    app_json_open(out, "commands", '{');
    for (int i = 0; i < d->evaluate.part_count; i++) {
        const struct app_part *part = &d->evaluate.parts[i];
        add_words(out, app_outcome_name(d, part->outcome), part->count, part->command);
    }
    app_json_close(out, '}');
}

void app_evaluate_write(const struct app_definition *d, struct app_text *out)
{
    const struct app_evaluate *e = &d->evaluate;

    app_json_open(out, "evaluate", '{');

    /* What is run, and what comes before and behind it. */
    if (e->part_count)
        add_parts(out, d);
    else
        add_words(out, "command", e->count, e->command);
    add_pairs(out, "environment", e->environment_count, e->environment);
    if (e->before_count)
        add_words(out, "before", e->before_count, e->before);
    if (e->workspace.used)
        add_workspace(out, &e->workspace);
    if (e->results.file || e->results.find_count)
        add_results(out, &e->results);

    /* Where, how many, how long, how often. */
    if (e->timeout > 0)
        app_json_add_number(out, "timeout", e->timeout);
    if (e->cluster.scheduler)
        add_cluster(out, e);
    else
        app_json_add_integer(out, "parallel", e->parallel);
    app_json_add_integer(out, "retries", e->retries);
    if (e->pause_after >= 0)
        app_json_add_integer(out, "pause_after", e->pause_after);
    if (e->ahead)
        app_json_add_integer(out, "ahead", e->ahead);
    add_pairs(out, "needs", e->needs_count, e->needs);
    app_json_close(out, '}');
}
