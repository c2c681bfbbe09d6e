/* Progress, drawn. */
#include "run/progress.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/visible.h"
#include "evaluate/child.h"
#include "api/shapes.h"
#include "present/numbers.h"
#include "present/statement.h"
#include "run/milestones.h"
#include "base/markup.h"

/* Recommendations that are only shown may take this share of the time; in lines, which are few, some seconds.
 */
static const double share = 0.1;
static const double seconds_for_lines = 2;

/* In a pipe there is a line for each tenth of the budget, but not for fewer evaluations, and after so many
 * seconds. */
enum { FEWEST_SILENT = 5 };
static const double silence = 60;

/* Evaluations that ended, as the budget counts them. */
static int ended(const struct app_study *n)
{
    return ckg_problem_separate(n->definition.problem) == 1 ? (int)app_study_cost(n) : app_study_ended(n);
}

void app_progress_begin(struct app_progress *p, const struct app_study *n)
{
    *p = (struct app_progress){.kind = p->kind,
                               .name = p->name,
                               .say = p->say,
                               .context = p->context,
                               .started = app_clock(),
                               .at_start = ended(n),
                               .gain = {.next = NAN, .remaining = NAN}};
    p->printed = p->started;
    p->shown_at = p->at_start;
    p->is_searching = app_study_ended(n) >= app_initial_size(&n->definition);
    if (p->kind == APP_PROGRESS_NEWS && p->at_start && p->at_start < n->definition.budget) {
        app_say("continuing after %d of %d evaluations\n", p->at_start, n->definition.budget);
        fflush(stdout);
    }
}

/* --- what is known --- */

/* "cost = 317.9 (trial 32)", or that there is none. */
static void best_text(const struct app_study *n, struct app_text *out)
{
    const struct app_trial *best = app_study_best(n);
    char number[32];

    if (best)
        app_text_print(out, "%s = %s (trial %d)", app_outcome_name(&n->definition, 0),
                       app_number_short(app_trial_value(best, 0), number), best->number);
    else
        app_text_print(out, "none yet");
}

static const char *best_label(const struct app_study *n)
{
    return app_constraints(&n->definition) ? "best feasible: " : "best: ";
}

/* "cost = 331.8 ± 2.1, feasible with probability 0.99" */
static void recommended_text(const struct app_progress *p, const struct app_study *n, struct app_text *out)
{
    const int limits = app_constraints(&n->definition);
    const struct app_outcome objective = app_outcome_at(&n->definition, 0);
    char number[64];

    app_text_print(out, "%s = ", objective.name);
    if (p->trial)
        app_text_print(out, "%s (trial %d)%s", app_number_short(p->value, number), p->trial,
                       limits ? ", feasible as measured" : "");
    else
        app_text_print(out, "%s", app_estimate_text(&objective, p->value, p->sd, number));
    if (p->trial || !limits)
        return;
    app_text_print(out, ", ");
    if (!isnan(p->probability))
        app_text_print(out, "feasible with probability %s", app_probability_text(p->probability, number));
    else
        app_study_unmeasured(n, 1, out);
}

/* The recommendation as it stands, unless such took more than so many seconds already. */
static void recommend(struct app_progress *p, struct app_study *n, double allowed)
{
    const double clock = app_clock();
    ckg_study *engine;
    ckg_recommendation *r;

    if (p->spent > allowed || app_study_engine(n, &engine))
        return;
    if (!app_memory_note(ckg_study_recommend(engine, NULL, &r))) {
        app_withhold_early(n, r);
        p->known = 1;
        p->trial = r->measured ? r->trial + 1 : 0;
        p->value = r->mean[0];
        p->sd = r->sd[0];
        p->probability = r->probability_feasible;
        ckg_recommendation_free(r);
    }
    p->spent += app_clock() - clock;
}

/* --- lines --- */

/* Writes the text as one line, whatever is in it; 0: it is empty. */
static int put(struct app_text *text)
{
    struct app_text line = {0};

    if (text->data)
        app_text_add_line(&line, text->data);
    const int some = line.data != NULL;
    if (some) {
        app_say("%s\n", line.data);
        fflush(stdout);
    }
    app_text_free(&line);
    app_text_free(text);
    return some;
}

/* What became of the trial, values with the digits by which they break a limit. */
static void add_result(struct app_text *out, const struct app_progress *p, const struct app_study *n,
                       const struct app_trial *t)
{
    const struct app_trial *best = app_study_best(n);
    char number[32];

    app_text_print(out, "%s%s%d/%d  trial %d %s", p->name ? p->name : "", p->name ? "  " : "", ended(n),
                   n->definition.budget, t->number,
                   t->state == APP_PENDING ? "to be tried again" : app_state_name(t->state));
    for (int i = 0; i < t->count; i++) {
        const struct app_outcome o = app_outcome_at(&n->definition, t->measured[i].outcome);
        app_text_print(out, "  %s=%s", o.name, app_value_text(&o, t->measured[i].value, 4, number));
    }
    if (t->feasible >= 0)
        app_text_print(out, "  %s", t->feasible ? "feasible" : "infeasible");
    if (t->why)
        app_text_print(out, ": %s", t->why);
    if (best)
        app_text_print(out, "  best %s (trial %d)", app_number_short(app_trial_value(best, 0), number),
                       best->number);
}

/* --- a line where something is learnt --- */

/* The trial has ended and was no result. */
static void add_failure(struct app_text *out, const struct app_trial *t)
{
    app_text_print(out, "trial %d %s", t->number, t->state == APP_PENDING ? "will be tried again" : "failed");
    if (t->why)
        app_text_print(out, ": %s", t->why);
}

/* The initial design in one line. */
static void add_initial(struct app_text *out, const struct app_study *n)
{
    const int feasible = app_count_feasible(n);

    app_text_print(out, "initial design done: ");
    if (app_constraints(&n->definition))
        app_text_print(out, "%d of %d feasible%s", feasible, app_study_ended(n), feasible ? ", " : "");
    if (feasible) {
        app_text_print(out, "best ");
        best_text(n, out);
    }
}

/* How it stands; once there are models, what they recommend. */
static void add_standing(struct app_text *out, struct app_progress *p, struct app_study *n)
{
    p->known = 0;
    if (p->is_searching)
        recommend(p, n, fmax(seconds_for_lines, share * (app_clock() - p->started)));
    app_text_print(out, "%s", p->known ? "recommended: " : best_label(n));
    if (p->known)
        recommended_text(p, n, out);
    else
        best_text(n, out);
}

/* 1 when it is time for a sign of life. */
static int is_standing_due(const struct app_progress *p, const struct app_study *n)
{
    const int budget = n->definition.budget;
    const int silent = budget / 10 > FEWEST_SILENT ? budget / 10 : FEWEST_SILENT;
    const int next = p->is_searching && ended(n) >= p->shown_at + silent;

    return ended(n) < budget && (next || app_clock() - p->printed > silence);
}

/* What this trial has taught, in a line; nothing where that is little and the last line is not long ago. */
static void add_news(struct app_text *out, struct app_progress *p, struct app_study *n,
                     const struct app_trial *t)
{
    const int searching = p->is_searching;
    const int is_best = app_is_new_best(n, t->number);
    const int is_first = is_best && app_constraints(&n->definition) && app_count_feasible(n) == 1;

    p->is_searching |= app_study_ended(n) >= app_initial_size(&n->definition);
    if (t->state != APP_COMPLETE)
        add_failure(out, t);
    else if (p->is_searching && !searching)
        add_initial(out, n);
    else if (is_first || (is_best && searching)) {
        app_text_print(out, "%s", is_first ? "first feasible: " : best_label(n));
        best_text(n, out);
    } else if (is_standing_due(p, n))
        add_standing(out, p, n);
}

static void print_news(struct app_progress *p, struct app_study *n, const struct app_trial *t)
{
    struct app_text news = {0};
    struct app_text line = {0};

    add_news(&news, p, n, t);
    if (news.data)
        app_text_print(&line, "%d/%d  %s", ended(n), n->definition.budget, news.data);
    app_text_free(&news);
    if (!put(&line))
        return;
    p->printed = app_clock();
    p->shown_at = ended(n);
}

/* --- the block --- */

static int columns(void)
{
    struct winsize size = {0};

    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col : 80;
}

static void print_duration(struct app_text *out, double seconds)
{
    const long s = seconds > 0 ? lround(seconds) : 0;

    if (s >= 86400)
        app_text_print(out, "%ld d %ld h", s / 86400, s / 3600 % 24);
    else if (s >= 3600)
        app_text_print(out, "%ld h %02ld min", s / 3600, s / 60 % 60);
    else if (s >= 60)
        app_text_print(out, "%ld min %02ld s", s / 60, s % 60);
    else
        app_text_print(out, "%ld s", s);
}

static int speaks_utf8(void)
{
    const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};

    for (int i = 0; i < 3; i++) {
        const char *value = getenv(names[i]);
        if (value && *value)
            return strstr(value, "UTF-8") || strstr(value, "utf8") || strstr(value, "utf-8");
    }
    return 0;
}

static void print_bar(struct app_text *out, int done, int running, int all)
{
    enum { WIDTH = 30 };
    const int utf8 = speaks_utf8();
    const int full = all ? done * WIDTH / all : WIDTH;
    const int also = all ? (done + running) * WIDTH / all : WIDTH;

    for (int i = 0; i < WIDTH; i++)
        app_text_print(out, "%s",
                       utf8       ? i < full   ? "█"
                                    : i < also ? "▒"
                                               : "░"
                       : i < full ? "#"
                       : i < also ? "+"
                                  : ".");
}

/* Ends a line of the block: cut at the screen's width, so that the block keeps its height. */
static void end_block_line(struct app_progress *p, struct app_text *block, const struct app_text *line,
                           int width)
{
    struct app_text shown = {0};
    int columns = 0;
    size_t at = 0;

    /* Character by character, as a terminal may be given it. */
    app_text_add_line(&shown, line->data ? line->data : "");
    while (at < shown.length) {
        const int length = app_utf8_length((const unsigned char *)shown.data + at, shown.length - at);
        char one[8] = "";

        assert(length);
        memcpy(one, shown.data + at, (size_t)length);
        if (columns + app_columns(one) >= width)
            break;
        columns += app_columns(one);
        at += (size_t)length;
    }

    app_text_add(block, shown.data ? shown.data : "", at);
    app_text_print(block, "\033[K\n");
    app_text_free(&shown);
    assert(p->drawn < APP_BLOCK);
    p->wide[p->drawn++] = columns;
}

/* Back to the block's first column and line. A terminal that has become narrower has parted its lines. */
static void go_up(struct app_progress *p, struct app_text *out, int width)
{
    int rows = 0;

    for (int i = 0; i < p->drawn; i++)
        rows += p->wide[i] > width ? (p->wide[i] + width - 1) / width : 1;
    if (rows)
        app_text_print(out, "\r\033[%dA", rows);
    p->drawn = 0;
}

/* What is waited for, and what to do about it, must be read: over several lines where one is too short. */
static void add_note(struct app_progress *p, struct app_text *block, int width)
{
    struct app_lines parts = {0};

    if (*p->note)
        app_wrap_columns(p->note, width - 3, APP_LINES, &parts);
    for (int i = 0; i < parts.count; i++) {
        struct app_text line = {0};
        app_text_print(&line, "  %s", parts.line[i]);
        end_block_line(p, block, &line, width);
        app_text_free(&line);
    }
}

static void first_line(struct app_text *out, const struct app_study *n)
{
    const int done = app_study_ended(n);
    int tally[APP_STATES];

    app_study_tally(n, tally);
    app_text_print(out, "%s  ", n->definition.name);
    print_bar(out, done, tally[APP_RUNNING], n->definition.budget);
    app_text_print(out, "  %d/%d  %d running", done, n->definition.budget, tally[APP_RUNNING]);
    if (tally[APP_FAILED_TRIAL])
        app_text_print(out, "  %d failed", tally[APP_FAILED_TRIAL]);
}

static void time_line(struct app_text *out, const struct app_progress *p, const struct app_study *n)
{
    const double elapsed = app_clock() - p->started;
    const int done = app_study_ended(n);
    const int here = done - p->at_start;

    app_text_print(out, "  time           ");
    print_duration(out, elapsed);
    if (here > 0 && done < n->definition.budget) {
        app_text_print(out, ", about ");
        print_duration(out, elapsed / here * (n->definition.budget - done));
        app_text_print(out, " left");
    }
}

void app_progress_gain(struct app_progress *p, const ckg_gain *gain)
{
    p->gain = *gain;
}

void app_progress_draw(struct app_progress *p, const struct app_study *n)
{
    enum { LINES = 5 };
    struct app_text block = {0};
    struct app_text line[LINES] = {{0}};

    if (p->kind != APP_PROGRESS_BLOCK)
        return;

    /* How far it is, the best, the recommendation, what is to be gained, the time. */
    first_line(&line[0], n);

    app_text_print(&line[1], "  best feasible  ");
    best_text(n, &line[1]);

    app_text_print(&line[2], "  recommended    %s", p->known ? "" : "-");
    if (p->known)
        recommended_text(p, n, &line[2]);

    app_text_print(&line[3], "  expected gain  ");
    app_gain_text(n, &p->gain, &line[3]);

    time_line(&line[4], p, n);
    const int width = columns();
    const int beside = *p->note && (int)line[4].length + 3 + app_columns(p->note) < width;
    if (beside)
        app_text_print(&line[4], "   %s", p->note);

    /* Over what stands there, in one write; the terminal itself may have written where the cursor was. */
    go_up(p, &block, width);
    for (int i = 0; i < LINES; i++) {
        end_block_line(p, &block, &line[i], width);
        app_text_free(&line[i]);
    }
    if (!beside)
        add_note(p, &block, width);
    app_text_print(&block, "\033[J");
    if (block.data)
        fwrite(block.data, 1, block.length, stdout);
    fflush(stdout);
    app_text_free(&block);
}

/* 1 when a trial before this one has a note of that kind already. */
static int is_known(const struct app_study *n, const struct app_trial *t)
{
    for (int i = 0; i < n->count; i++)
        if (n->trials[i].extra && n->trials[i].notes && n->trials[i].number != t->number)
            return 1;
    return 0;
}

/* The first answer with members that are no outcomes, or without a value of some outcome; both by a slip. */
static void warn_of_answer(struct app_progress *p, const struct app_study *n, const struct app_trial *t)
{
    struct app_text line = {0};

    if (p->kind == APP_PROGRESS_NONE && !p->say)
        return;
    if (t->extra && t->notes && !is_known(n, t))
        app_text_print(&line, "trial %d: %s (said once)", t->number, t->notes);
    else
        app_study_lacking(n, t->number, &line);
    if (line.data)
        app_progress_say(p, n, line.data);
    app_text_free(&line);
}

/* Takes the block off the screen, for a line that stays. */
static void wipe(struct app_progress *p)
{
    struct app_text back = {0};

    if (!p->drawn)
        return;
    go_up(p, &back, columns());
    printf("%s\033[J", back.data ? back.data : "");
    app_text_free(&back);
    fflush(stdout);
}

void app_progress_say(struct app_progress *p, const struct app_study *n, const char *line)
{
    wipe(p);
    if (p->say)
        p->say(p->context, line);
    else if (p->name)
        app_warn("%s: %s\n", p->name, line);
    else
        app_warn("%s\n", line);
    app_progress_draw(p, n);
}

/* The recommendation and what is to be gained, unless such took more than so many seconds already. */
static void recommend_in_block(struct app_progress *p, struct app_study *n, double allowed)
{
    const double clock = app_clock();
    const double before = p->spent;
    ckg_study *engine;

    if (before > allowed)
        return;
    recommend(p, n, allowed);
    if (!(n->definition.stop.gain > 0) &&
        (app_study_engine(n, &engine) || app_memory_note(ckg_study_expected_gain(engine, &p->gain))))
        p->gain.next = NAN;
    p->spent = before + app_clock() - clock;
    p->block_at = ended(n);
}

void app_progress_ended(struct app_progress *p, struct app_study *n, int number)
{
    const struct app_trial *t = &n->trials[number - 1];
    struct app_text line = {0};

    if (p->kind == APP_PROGRESS_LINES)
        add_result(&line, p, n, t);
    if (p->kind == APP_PROGRESS_NEWS)
        print_news(p, n, t);
    if (p->kind == APP_PROGRESS_JSON) {
        app_json_open(&line, NULL, '{');
        if (p->name)
            app_json_add_string(&line, "study", p->name);
        app_trial_add(&n->definition, t, &line);
        app_json_close(&line, '}');
    }
    put(&line);
    warn_of_answer(p, n, t);
    if (p->kind != APP_PROGRESS_BLOCK)
        return;
    recommend_in_block(p, n, share * (app_clock() - p->started));
    if (t->state != APP_COMPLETE) {
        wipe(p);
        add_failure(&line, t);
        put(&line);
    }
    app_progress_draw(p, n);
}

void app_progress_end(struct app_progress *p, struct app_study *n)
{
    /* What stays on the screen should agree with the recommendation that follows. */
    if (p->kind == APP_PROGRESS_BLOCK && ended(n) >= n->definition.budget && p->block_at < ended(n))
        recommend_in_block(p, n, INFINITY);
    p->note[0] = 0;
    app_progress_draw(p, n);
    p->kind = APP_PROGRESS_NONE;
}
