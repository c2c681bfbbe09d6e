/* One trial, some of them, and what became of them. */
#include "present/trial_text.h"

#include <math.h>
#include <string.h>

#include "actions/action_history.h"
#include "base/timestamp.h"
#include "base/visible.h"
#include "present/numbers.h"
#include "present/trial_table.h"

void app_trial_state_text(const struct app_trial *t, struct app_text *out)
{
    static const char *const feasible[] = {"", " and infeasible", " and feasible"};

    app_text_print(out, "trial %d is %s%s", t->number, app_state_name(t->state), feasible[t->feasible + 1]);
}

void app_trials_named(int count, const int *numbers, struct app_text *out)
{
    enum { FEW = 12 };

    app_text_print(out, "trial%s", count == 1 ? "" : "s");
    for (int i = 0; i < count && count <= FEW; i++)
        app_text_print(out, "%s%d", !i ? " " : i + 1 < count ? ", " : " and ", numbers[i]);
    if (count > FEW)
        app_text_print(out, " %d … %d (%d)", numbers[0], numbers[count - 1], count);
}

/* --- all of one --- */

/* A text of several lines under its title. */
static void add_block(const char *title, const char *text, struct app_text *out)
{
    if (text && *text)
        app_text_print(out, "%s:\n%s%s", title, text, text[strlen(text) - 1] == '\n' ? "" : "\n");
}

/* complete {"yield": 55} */
static void add_side(const struct app_trial *t, struct app_text *out)
{
    app_text_print(out, "%s", app_state_name(t->state));
    if (t->outcomes)
        app_text_print(out, " %s", t->outcomes);
    if (t->why) {
        app_text_add(out, " (", 2);
        app_text_add_line(out, t->why);
        app_text_add(out, ")", 1);
    }
}

/* A few lines for a change that touched the trial; with the designs where it gave the trial another. */
static void add_change(const struct app_touched *touched, struct app_text *out)
{
    static const char *const words[APP_SIDES] = {"was", "became", "put aside"};
    const struct app_trial *before = touched->side[APP_BEFORE];
    const struct app_trial *after = touched->side[APP_AFTER];
    const int has_moved = before && after && strcmp(before->parameters, after->parameters) != 0;
    const struct app_change *c = &touched->change;
    char timestamp[32];

    app_text_print(out, "%s  %s: ckg ", app_timestamp(c->made, timestamp) ? timestamp : "some time", c->who);
    app_text_add_line(out, c->command);
    app_text_add(out, "\n", 1);
    for (int side = 0; side < APP_SIDES; side++)
        if (touched->side[side]) {
            app_text_print(out, "    %-9s ", words[side]);
            add_side(touched->side[side], out);
            if (has_moved)
                app_text_print(out, " at %s", touched->side[side]->parameters);
            app_text_add(out, "\n", 1);
        }
    if (app_timestamp(c->undone, timestamp))
        app_text_print(out, "    undone    %s by %s\n", timestamp, c->undone_by ? c->undone_by : "somebody");
}

int app_trial_text(struct app_study *n, const struct app_trial *t, struct app_text *out)
{
    struct app_trial_history history;
    const int status = app_trial_history_find(n, t->number, &history);
    struct app_text said = {0};
    char timestamp[32];

    /* Its line, and when it was. */
    app_trial_table(n, t->number - 1, 1, out);
    if (app_timestamp(t->asked, timestamp))
        app_text_print(out, "asked for %s", timestamp);
    if (app_timestamp(t->ended, timestamp))
        app_text_print(out, ", its result came %s", timestamp);
    app_text_print(out, "\n");
    if (!isnan(t->seconds))
        app_text_print(out, "%.3g s\n", t->seconds);

    /* Why it was chosen, and who made it. */
    if (t->reason)
        app_text_print(out, "chosen by %s: %s\n", t->chosen_by, t->reason);
    if (t->evaluator)
        app_text_print(out, "evaluated by %s\n", t->evaluator);
    if (t->starts > 1)
        app_text_print(out, "started %d times\n", t->starts);

    /* What it said, and what was said of it. */
    add_block("notes", t->notes, out);
    add_block("beyond the outcomes", t->extra, out);
    add_block("its whole answer", t->answer, out);
    if (t->answer && t->state == APP_FAILED_TRIAL)
        app_text_print(out, "(`ckg tell STUDY %d --from-answer` takes the values from there)\n", t->number);
    add_block("the end of its standard error", t->log, out);
    for (int i = 0; i < history.count; i++)
        add_change(&history.touched[i], &said);
    add_block("what was said of it", said.data, out);
    app_trial_history_free(&history);
    app_text_free(&said);
    return status;
}

/* --- a design to be evaluated --- */

/* What is expected of it, as far as it is known. */
static void add_expected(const struct app_study *n, const ckg_suggestion *s, struct app_text *out)
{
    const struct app_outcome objective = app_outcome_at(&n->definition, 0);
    char estimate[64];
    char probability[32];

    app_text_print(out, "  (expected %s %s, ", objective.name,
                   app_estimate_text(&objective, s->mean[0], s->sd[0], estimate));
    if (!isnan(s->probability_feasible))
        app_text_print(out, "feasible with probability %s",
                       app_probability_text(s->probability_feasible, probability));
    else {
        app_text_print(out, "whether it is feasible is not known: ");
        app_study_unmeasured(n, 1, out);
    }
    app_text_print(out, ")");
}

void app_trial_asked_text(const struct app_study *n, const struct app_trial *t, const ckg_suggestion *s,
                          int brief, struct app_text *out)
{
    const struct app_definition *d = &n->definition;

    app_text_print(out, "trial %d:", t->number);
    for (int i = 0; i < app_dimension(d); i++) {
        app_text_print(out, " %s=", app_parameter_name(d, i));
        app_design_write_text(d, i, t->x[i], out);
        if (app_parameter_at(d, i).label.unit)
            app_text_print(out, " %s", app_parameter_at(d, i).label.unit);
    }
    for (int i = 0; i < d->carried_count && app_listed(d, t->x) >= 0; i++)
        app_text_print(out, " %s=%s", d->carried[i].name, app_carried_text(d, i, t->x));
    if (ckg_problem_separate(d->problem) == 1) {
        app_text_print(out, "  measure ");
        app_wants_words(d, &t->wants, out);
    }
    if (!brief && !s)
        app_text_print(out, "  (a design of your own%s)", t->queued ? ", queued for the next run" : "");
    else if (!brief && !isnan(s->mean[0]))
        add_expected(n, s, out);
}

/* --- an import --- */

void app_imported_text(const struct app_imported *from, struct app_text *out)
{
    const int telling = from->count - from->queued;

    if (from->known && !from->count) {
        app_text_print(out, "%d row%s already there; nothing imported (--again imports %s as %s)\n",
                       from->known, from->known == 1 ? " is" : "s are", from->known == 1 ? "it" : "them",
                       from->known == 1 ? "a repetition" : "repetitions");
        return;
    }
    app_text_print(out, "%d trial%s imported", telling, telling == 1 ? "" : "s");
    if (from->queued)
        app_text_print(out, ", %d design%s queued", from->queued, from->queued == 1 ? "" : "s");
    if (from->known)
        app_text_print(out, ", %d already there skipped (--again imports %s too)", from->known,
                       from->known == 1 ? "it" : "them");
    if (from->discarded)
        app_text_print(out, ", %d discarded skipped", from->discarded);
    if (from->unknown)
        app_text_print(out, ", %d outside the study's ranges skipped", from->unknown);
    app_text_print(out, "\n");
}

/* Outcomes that no row has may be a column that was forgotten. */
static void add_lacking(const struct app_definition *d, const struct app_imported *from, struct app_text *out)
{
    for (int j = 0; from->count && j <= app_constraints(d); j++) {
        int found = 0;
        for (int i = 0; !found && i < from->count; i++)
            found = from->trials[i].state != APP_COMPLETE || !isnan(app_trial_value(&from->trials[i], j));
        if (!found)
            app_text_print(out, "no row has a value of '%s': it counts as not measured there\n",
                           app_outcome_name(d, j));
    }
}

void app_imported_warnings(const struct app_definition *d, const struct app_imported *from, const char *path,
                           struct app_text *out)
{
    int first = 0;
    int count = 0;

    /* Designs that break a rule are data all the same. */
    for (int i = 0; ckg_problem_rules(d->problem) && i < from->count; i++)
        if (ckg_problem_check_rules(d->problem, from->trials[i].x))
            first = count++ ? first : from->trials[i].number;
    if (count)
        app_text_print(out, "%s:%d: %d design%s a rule; the models learn from %s, but never recommend %s\n",
                       path, first, count, count == 1 ? " breaks" : "s break", count == 1 ? "it" : "them",
                       count == 1 ? "it" : "them");
    add_lacking(d, from, out);
}

/* --- changes --- */

void app_undone_text(const struct app_last_change *last, const char *file, struct app_text *out)
{
    char timestamp[32];

    app_text_print(out, "undone: ckg ");
    app_text_add_line(out, last->command.data);
    app_text_print(out, " (%s, %s); ", last->who.data,
                   app_timestamp(last->made, timestamp) ? timestamp : "some time ago");
    if (last->left > 1)
        app_text_print(out, "%d earlier change%s can be undone", last->left - 1, last->left > 2 ? "s" : "");
    else
        app_text_print(out, "nothing is left to undo");
    if (last->definition.length && file)
        app_text_print(out, "\n%s still has the change: change it back, or `ckg change` takes it over again",
                       file);
}

void app_remote_run_text(const struct app_remote_run *e, struct app_text *out)
{
    app_text_print(out, "trial %d belongs to a run on %s, ", e->trial, e->host);
    if (e->age < 0)
        app_text_print(out, "whose clock is %.0f s ahead of ours", -e->age);
    else
        app_text_print(out, "last heard of %.0f s ago by its clock", e->age);
    app_text_print(out, "; waiting %d s for a sign of life", APP_STORE_SILENCE);
}
