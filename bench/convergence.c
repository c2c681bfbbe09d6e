/*
 * The paper's convergence theorems, put to the test: on finitely many designs with noise, cKG samples every
 * design infinitely often, and the design it recommends becomes the best one. 25 designs of mystery (x1, x2 =
 * 0, 1.25, …, 5), noise of standard deviation 3 on the objective and 0.5 on the constraint, both estimated:
 *
 *     build/bench/convergence [--replications 30] [--evaluations 3000] [--threads 1] [--fit auto]
 *                             [--noise 3] [--constraint-noise 0.5] [--plot FILE.svg]
 *
 * The best feasible design has f = 9.27, the next 10.09. Six designs are better, and infeasible by as little
 * as half a standard deviation of one measurement. Replications differ by seed; none is left out. Once the
 * best design is almost certain, cKG is positive but smaller than any rounding. Then cEI chooses, and every
 * second trial explores.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "drawing.h"
#include "options.h"
#include "problems/problems.h"

enum { SIDE = 5, DESIGNS = SIDE * SIDE, CHECKS = 64, PATHS = 4 };

static const double step = 1.25;

/* What a suggestion came from. */
static const char *const paths[PATHS] = {"ckg", "cei-fallback", "explore", "random"};

struct replication {
    int counts[CHECKS][DESIGNS], right[CHECKS];
    int path[CHECKS][PATHS + 1]; /* suggestions so far by path; the last: the initial design */
    double seconds;              /* of asking, in all */
};

struct plan {
    int replications, evaluations, threads, checks;
    double noise[2]; /* standard deviations, of the objective and of the constraint */
    const char *fit;
    int check[CHECKS]; /* evaluations after which is looked */
    double X[2 * DESIGNS], f[DESIGNS], c[DESIGNS];
    int best;
    struct replication *done;
};

static void check(int status)
{
    if (status) {
        fprintf(stderr, "convergence: %s\n", ckg_error_message());
        exit(1);
    }
}

/* --- the experiment --- */

static void lay_designs(struct plan *p)
{
    const struct app_problem *mystery = app_problem_named("mystery");

    p->best = -1;
    for (int i = 0; i < DESIGNS; i++) {
        double values[1 + APP_PROBLEM_CONSTRAINTS];
        p->X[2 * i] = step * (i % SIDE);
        p->X[2 * i + 1] = step * (i / SIDE);
        mystery->evaluate(p->X + 2 * i, values);
        p->f[i] = values[0];
        p->c[i] = values[1];
        if (p->c[i] <= 0 && (p->best < 0 || p->f[i] < p->f[p->best]))
            p->best = i;
    }
}

static int index_of(const double *x)
{
    return (int)lround(x[1] / step) * SIDE + (int)lround(x[0] / step);
}

static ckg_study *make_study(const struct plan *p, int replication)
{
    ckg_options options = CKG_OPTIONS_INIT;
    ckg_problem *problem;
    ckg_study *study;

    check(ckg_problem_new(&problem));
    check(ckg_problem_add_real(problem, "x1", 0, 5, CKG_LINEAR));
    check(ckg_problem_add_real(problem, "x2", 0, 5, CKG_LINEAR));
    check(ckg_problem_set_designs(problem, DESIGNS, p->X));
    check(ckg_problem_add_constraint(problem, "c", -INFINITY, 0));
    options.seed = (uint64_t)replication + 1;
    options.fit = p->fit;
    check(ckg_study_new(&study, problem, &options));
    ckg_problem_free(problem);
    return study;
}

static void look(const struct plan *p, ckg_study *study, const int *counts, const int *path,
                 struct replication *out, int at)
{
    ckg_recommendation *r;

    check(ckg_study_recommend(study, NULL, &r));
    out->right[at] = index_of(r->x) == p->best;
    memcpy(out->counts[at], counts, sizeof out->counts[at]);
    memcpy(out->path[at], path, sizeof out->path[at]);
    ckg_recommendation_free(r);
}

static void replicate(const struct plan *p, int replication, struct replication *out)
{
    ckg_study *study = make_study(p, replication);
    int counts[DESIGNS] = {0};
    int path[PATHS + 1] = {0};
    struct ckg__rng rng;

    ckg__rng_seed(&rng, (uint64_t)replication + 1, 0, 77);
    for (int e = 1, at = 0; e <= p->evaluations; e++) {
        const double start = app_clock();
        ckg_suggestion *s;
        check(ckg_study_ask(study, &s));
        out->seconds += app_clock() - start;
        const int i = index_of(s->x);
        const double values[] = {p->f[i] + p->noise[0] * ckg__rng_normal(&rng),
                                 p->c[i] + p->noise[1] * ckg__rng_normal(&rng)};
        int k = 0;
        while (k < PATHS && strcmp(paths[k], s->path) != 0)
            k++;
        path[k]++;
        counts[i]++;
        check(ckg_study_tell(study, s->trial, values));
        ckg_suggestion_free(s);
        if (at < p->checks && p->check[at] == e)
            look(p, study, counts, path, out, at++);
    }
    ckg_study_free(study);
}

static int work(void *context, int index, struct app_message *message)
{
    const struct plan *p = context;
    (void)message;

    replicate(p, index, &p->done[index]);
    fprintf(stderr, "replication %d: %.2f ms per suggestion\n", index + 1,
            1e3 * p->done[index].seconds / p->evaluations);
    return CKG_OK;
}

/* 1, 2, 3, 5, 7 times powers of ten from 20 on, and the last evaluation. */
static void choose_checks(struct plan *p)
{
    static const int steps[] = {10, 15, 20, 30, 50, 70};

    for (int power = 1; p->checks < CHECKS - 8; power *= 10)
        for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
            if (steps[i] * power >= 20 && steps[i] * power < p->evaluations)
                p->check[p->checks++] = steps[i] * power;
            else if (steps[i] * power >= p->evaluations) {
                p->check[p->checks++] = p->evaluations;
                return;
            }
}

/* --- what it says --- */

static int ascending(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

/*
 * Over all replications: the smallest count of any design; the means of the smallest, the middle and the
 * largest; the share of right answers.
 */
struct figures {
    int least;
    double smallest, middle, largest, right;
};

static struct figures describe(const struct plan *p, int at)
{
    struct figures out = {p->evaluations, 0, 0, 0, 0};

    for (int r = 0; r < p->replications; r++) {
        int sorted[DESIGNS];
        memcpy(sorted, p->done[r].counts[at], sizeof sorted);
        qsort(sorted, DESIGNS, sizeof *sorted, ascending);
        out.least = sorted[0] < out.least ? sorted[0] : out.least;
        out.smallest += sorted[0] / (double)p->replications;
        out.middle += sorted[DESIGNS / 2] / (double)p->replications;
        out.largest += sorted[DESIGNS - 1] / (double)p->replications;
        out.right += p->done[r].right[at] / (double)p->replications;
    }
    return out;
}

/* Pairs of replication and design whose count is the same at both looks. */
static int resting(const struct plan *p, int from, int to)
{
    int count = 0;

    for (int r = 0; r < p->replications; r++)
        for (int i = 0; i < DESIGNS; i++)
            count += p->done[r].counts[from][i] == p->done[r].counts[to][i];
    return count;
}

static void print_progress(const struct plan *p)
{
    printf("%11s %9s %9s %9s %9s %9s %9s   %s\n", "evaluations", "least", "smallest", "median", "largest",
           "resting", "right", "suggested by cKG / cEI / explore / random");
    for (int at = 0; at < p->checks; at++) {
        const struct figures f = describe(p, at);
        double share[PATHS] = {0};
        for (int r = 0; r < p->replications; r++)
            for (int k = 0; k < PATHS; k++)
                share[k] += p->done[r].path[at][k] / (double)p->replications;
        int before = 0;
        while (before < at && 3 * p->check[before + 1] <= p->check[at])
            before++;
        printf("%11d %9d %9.1f %9.1f %9.1f ", p->check[at], f.least, f.smallest, f.middle, f.largest);
        if (3 * p->check[before] <= p->check[at])
            printf("%9d ", resting(p, before, at));
        else
            printf("%9s ", "");
        printf("%6.0f/%d  ", f.right * p->replications, p->replications);
        for (int k = 0; k < PATHS; k++)
            printf(" %.0f", share[k]);
        printf("\n");
    }
}

/* The mean count of the design over all replications. */
static double mean_count(const struct plan *p, int at, int design)
{
    double sum = 0;

    for (int r = 0; r < p->replications; r++)
        sum += p->done[r].counts[at][design];
    return sum / p->replications;
}

/* The smallest count of the design in any replication. */
static int least_count(const struct plan *p, int at, int design)
{
    int least = p->evaluations;

    for (int r = 0; r < p->replications; r++)
        if (p->done[r].counts[at][design] < least)
            least = p->done[r].counts[at][design];
    return least;
}

static void print_designs(const struct plan *p)
{
    static const int wanted[] = {100, 300, 1000, 3000};

    printf("\n%6s %6s %8s %8s   mean count after", "x1", "x2", "f", "c");
    for (int w = 0; w < 4; w++)
        printf(" %8d", wanted[w]);
    printf("   smallest at the end\n");
    for (int i = 0; i < DESIGNS; i++) {
        printf("%6.2f %6.2f %8.3f %8.3f %2s %14s", p->X[2 * i], p->X[2 * i + 1], p->f[i], p->c[i],
               i == p->best  ? "*"
               : p->c[i] > 0 ? "x"
                             : "",
               "");
        for (int w = 0; w < 4; w++)
            for (int at = 0; at < p->checks; at++)
                if (p->check[at] == wanted[w])
                    printf(" %8.1f", mean_count(p, at, i));
        printf(" %12d\n", least_count(p, p->checks - 1, i));
    }
    printf("*: the best feasible design; x: infeasible\n");
}

static void print_all(const struct plan *p)
{
    double seconds = 0;

    for (int r = 0; r < p->replications; r++)
        seconds += p->done[r].seconds;
    printf("build/bench/convergence --replications %d --evaluations %d --fit %s --noise %g "
           "--constraint-noise %g\n",
           p->replications, p->evaluations, p->fit, p->noise[0], p->noise[1]);
    printf("mystery on 25 designs, noise %g on the objective and %g on the constraint, both estimated; %.2f "
           "ms per suggestion\n\n",
           p->noise[0], p->noise[1], 1e3 * seconds / p->replications / p->evaluations);
    printf("least: the smallest count of any design in any replication; smallest, median, largest: over the "
           "designs, mean over the replications;\n"
           "resting: designs (of %d in all replications) not evaluated since a third of the evaluations; "
           "right: replications that recommend the "
           "best\n\n",
           DESIGNS * p->replications);
    print_progress(p);
    print_designs(p);
}

/* --- a figure --- */

static double smallest_of(const struct figures *f)
{
    return f->smallest;
}

static double middle_of(const struct figures *f)
{
    return f->middle;
}

static double largest_of(const struct figures *f)
{
    return f->largest;
}

static double least_of(const struct figures *f)
{
    return f->least;
}

static double right_of(const struct figures *f)
{
    return f->right;
}

/* A line over all looks, from where the value is on the axis. */
static void draw_line(const struct app_chart *c, const struct plan *p,
                      double (*value)(const struct figures *), const struct app_key *key)
{
    const struct app_pen mark = {.stroke = key->pen.stroke, .fill = APP_INK_PAPER, .width = 1.3};
    struct app_path path = {0};

    for (int at = 0; at < p->checks; at++) {
        const struct figures f = describe(p, at);
        if (value(&f) >= c->y.low)
            (path.count ? app_path_line : app_path_move)(&path, app_chart_x(c, p->check[at]),
                                                         app_chart_y(c, value(&f)));
    }
    app_draw(c->canvas, &path, &key->pen);
    for (int at = 0; at < p->checks; at++) {
        const struct figures f = describe(p, at);
        if (value(&f) >= c->y.low)
            app_draw_mark(c->canvas, key->shape, app_chart_x(c, p->check[at]), app_chart_y(c, value(&f)), 2.8,
                          &mark, NULL);
    }
}

static void draw(const struct plan *p, const char *path)
{
    static const struct app_key keys[] = {
        {APP_KEY_SERIES,
         APP_TRIANGLE,
         {.stroke = APP_INK_SERIES + 1, .width = 1.6, .dash = APP_LONG_DASHED},
         "most often evaluated"},
        {APP_KEY_SERIES, APP_CIRCLE, {.stroke = APP_INK_SERIES, .width = 1.6}, "median"},
        {APP_KEY_SERIES,
         APP_SQUARE,
         {.stroke = APP_INK_SERIES + 2, .width = 1.6, .dash = APP_DASHED},
         "least often evaluated"},
        {APP_KEY_SERIES,
         APP_DIAMOND,
         {.stroke = APP_INK_SERIES + 6, .width = 1.4, .dash = APP_DOTTED},
         "least of all replications"},
    };

    static double (*const values[])(const struct figures *) = {largest_of, middle_of, smallest_of, least_of};
    struct app_canvas *canvas = drawing_open(
        700, 330, "Counts of 25 designs and right recommendations against evaluations");
    const struct app_axis x = {
        .kind = APP_AXIS_LOG, .low = 20, .high = p->evaluations, .label = "evaluations"};
    struct app_chart counts = {.canvas = canvas, .box = {60, 30, 360, 240}, .left = 50, .x = x, .grid = 1};
    struct app_chart right = counts;

    /* Two charts side by side. */
    counts.title = "(a) how often a design was evaluated";
    right.title = "(b) the best recommended";
    right.box = (struct app_box){500, 30, 186, 240};
    counts.y = (struct app_axis){.kind = APP_AXIS_LOG, .low = 0.5, .high = 1000, .label = "count"};
    right.y = (struct app_axis){.low = 0, .high = 1.03, .label = "share of replications"};

    /* Counts on the left, right answers on the right, one legend. */
    app_chart_axes(&counts);
    for (int k = 0; k < 4; k++)
        draw_line(&counts, p, values[k], &keys[k]);
    app_chart_frame(&counts);
    app_chart_axes(&right);
    draw_line(&right, p, right_of, &keys[1]);
    app_chart_frame(&right);
    app_keys_draw(canvas, keys, 4, 20, 308, 670);
    drawing_close(canvas, path);
}

int main(int argc, char **argv)
{
    struct plan plan = {
        .replications = 30, .evaluations = 3000, .threads = 1, .fit = "auto", .noise = {3, 0.5}};
    const char *figure = NULL;
    struct app_message message;
    const struct bench_option options[] = {
        {"replications", BENCH_INTEGER, &plan.replications},
        {"evaluations", BENCH_INTEGER, &plan.evaluations},
        {"threads", BENCH_INTEGER, &plan.threads},
        {"fit", BENCH_WORD, &plan.fit},
        {"noise", BENCH_REAL, &plan.noise[0]},
        {"constraint-noise", BENCH_REAL, &plan.noise[1]},
        {"plot", BENCH_WORD, &figure},
        {0},
    };

    /* The experiment. */
    bench_options_read(argc, argv, options);
    plan.done = calloc((size_t)plan.replications, sizeof *plan.done);
    lay_designs(&plan);
    choose_checks(&plan);
    app_parallel(plan.replications, plan.threads, work, &plan, &message);

    /* What it says. */
    print_all(&plan);
    if (figure)
        draw(&plan, figure);
    free(plan.done);
    return 0;
}
