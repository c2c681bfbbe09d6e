/*
 * What is said of feasibility, and what comes true.
 *
 *     scripts/fetch-coco.sh
 *     cmake -S . -B build && cmake --build build --target bench_reliability
 *     build/bench/reliability --out FILE [--suites coco,problems,failures] [--noise 0,1,2] [--policy auto]
 *                             [--dimensions 2,3,5] [--functions 1-54] [--instances 1-1] [--seeds 3]
 *                             [--first-seed 1] [--kernel auto] [--fit auto] [--workers 1] [--seconds 0]
 *
 * Studies on COCO's constrained suite, on the problems of `ckg problems`, and on two problems whose best
 * designs fail (those of bench/failures). Noise: 0 none; 1 on the objective; 2 on the constraints, too: a
 * tenth of the interquartile range of that outcome over random designs, unknown to the study.
 *
 * Every tenth evaluation the study states probabilities of feasibility, and each is compared with the truth:
 *
 *     recommended      the recommendation, where it was not evaluated or carries noise
 *     rule 0.9, 0.99   the best predicted design that is feasible with this probability
 *     near             20 designs around the recommendation, within a twentieth of the ranges
 *     random           20 designs anywhere
 *
 * and before every evaluation
 *
 *     asked            the suggestion
 *
 * One line of JSON a study is added to FILE, with all its statements: [kind, evaluations, probability, held].
 * page.py makes the page of them.
 */
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ckg/ckg.h>

#include "../options.h"
#include "base/clock.h"
#include "coco.h"
#include "problems/problems.h"

enum { EVERY = 10, POINTS = 20, MOST_JOBS = 20000, MOST = 1 + CKG_MAX_CONSTRAINTS, MOST_D = 40 };

enum kind { RECOMMENDED, RULE_90, RULE_99, ASKED, NEAR, ANYWHERE };

static const char *const kind_names[] = {"recommended", "rule 0.9", "rule 0.99", "asked", "near", "random"};

struct settings {
    const char *suites;
    const char *noise;
    const char *policy;
    const char *dimensions;
    const char *functions;
    const char *instances;
    const char *kernel;
    const char *fit;
    const char *out;
    int seeds;
    int first_seed;
    int workers;
    double seconds;
    double deadline; /* by the clock */
};

/* One study to be made. */
struct job {
    enum { COCO, REGISTRY, FAILURES } suite;
    int which;    /* function of COCO, row of the registry, problem that fails */
    int instance; /* of COCO */
    int d;
    int K;
    int noise;
    int seed;
};

/* A study under way. */
struct run {
    const struct settings *set;
    const struct job *job;
    coco_problem_t *coco; /* NULL: another suite */
    double low[MOST_D], high[MOST_D];
    double sd[MOST]; /* of the noise */
    ckg_study *study;
    FILE *line;
    int statements;
    uint64_t random;
};

static void check(int status)
{
    if (status) {
        fprintf(stderr, "reliability: %s\n", ckg_error_message());
        exit(1);
    }
}

/* Random numbers that are the same everywhere (splitmix64), in [0, 1). */
static double uniform(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

static double normal(uint64_t *state)
{
    const double radius = sqrt(-2 * log(1 - uniform(state)));
    return radius * cos(6.283185307179586 * uniform(state));
}

/* --- problems --- */

/* The bowl of bench/failures; 1 where its evaluation fails. */
static int bowl(int which, const double *x, double *values)
{
    values[0] = pow(x[0] - 0.6, 2) + pow(x[1] - 0.55, 2) + 0.03 * sin(11 * x[0]) * cos(8 * x[1]);
    values[1] = x[0] + 0.6 * x[1] - 1.05 + 0.1 * sin(6 * x[1]);
    return which ? x[0] - 0.4 * x[1] + 0.05 * sin(9 * x[1]) > 0.3
                 : pow(x[0] - 0.6, 2) + pow(x[1] - 0.55, 2) < 0.04;
}

/* The true values at x; 1 where the evaluation fails. */
static int evaluate(const struct run *run, const double *x, double *values)
{
    if (run->job->suite == FAILURES)
        return bowl(run->job->which, x, values);
    if (run->job->suite == REGISTRY)
        app_problems[run->job->which]->evaluate(x, values);
    if (run->coco) {
        coco_evaluate_function(run->coco, x, values);
        coco_evaluate_constraint(run->coco, x, values + 1);
    }
    return 0;
}

static int holds(const struct run *run, const double *x)
{
    double values[MOST];
    int held = !evaluate(run, x, values);

    for (int k = 1; k <= run->job->K; k++)
        held &= values[k] <= 0;
    return held;
}

static void draw_anywhere(struct run *run, double *x)
{
    for (int i = 0; i < run->job->d; i++)
        x[i] = run->low[i] + (run->high[i] - run->low[i]) * uniform(&run->random);
}

static int by_size(const void *a, const void *b)
{
    return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

/* The standard deviations of the noise: a tenth of each outcome's interquartile range. */
static void find_noise(struct run *run)
{
    enum { SAMPLE = 400 };
    static double sample[MOST][SAMPLE];
    double x[MOST_D];
    double values[MOST];

    for (int i = 0; i < SAMPLE; i++) {
        draw_anywhere(run, x);
        evaluate(run, x, values);
        for (int j = 0; j <= run->job->K; j++)
            sample[j][i] = values[j];
    }
    for (int j = 0; j <= run->job->K; j++) {
        qsort(sample[j], SAMPLE, sizeof **sample, by_size);
        run->sd[j] = run->job->noise > (j > 0) ? 0.1 * (sample[j][3 * SAMPLE / 4] - sample[j][SAMPLE / 4])
                                               : 0;
    }
}

static void find_box(struct run *run)
{
    const struct job *job = run->job;

    for (int i = 0; i < job->d; i++) {
        run->low[i] = 0;
        run->high[i] = 1;
        if (job->suite == REGISTRY) {
            run->low[i] = app_problems[job->which]->low[i];
            run->high[i] = app_problems[job->which]->high[i];
        }
        if (run->coco) {
            run->low[i] = coco_problem_get_smallest_values_of_interest(run->coco)[i];
            run->high[i] = coco_problem_get_largest_values_of_interest(run->coco)[i];
        }
    }
}

static void set_noise(ckg_problem *problem, const char *name, double sd)
{
    check(ckg_problem_set_noise(problem, name, sd > 0 ? CKG_NOISE_AUTO : CKG_NOISE_NONE, 0));
}

static ckg_study *new_study(const struct run *run)
{
    ckg_options options = CKG_OPTIONS_INIT;
    ckg_problem *problem;
    ckg_study *study;
    char name[16];

    /* The problem. */
    check(ckg_problem_new(&problem));
    for (int i = 0; i < run->job->d; i++) {
        snprintf(name, sizeof name, "x%d", i + 1);
        check(ckg_problem_add_real(problem, name, run->low[i], run->high[i], CKG_LINEAR));
    }
    check(ckg_problem_set_objective(problem, "f", CKG_MINIMIZE));
    set_noise(problem, "f", run->sd[0]);
    for (int k = 1; k <= run->job->K; k++) {
        snprintf(name, sizeof name, "c%d", k);
        check(ckg_problem_add_constraint(problem, name, -INFINITY, 0));
        set_noise(problem, name, run->sd[k]);
    }

    /* Its study. */
    options.policy = run->set->policy;
    options.kernel = run->set->kernel;
    options.fit = run->set->fit;
    options.threads = 1;
    options.seed = (uint64_t)run->job->seed * 1000 + (uint64_t)run->job->which;
    check(ckg_study_new(&study, problem, &options));
    ckg_problem_free(problem);
    return study;
}

/* --- statements --- */

static void state(struct run *run, enum kind kind, int n, double stated, const double *x)
{
    if (isnan(stated))
        return;
    fprintf(run->line, "%s[\"%s\", %d, %.7g, %d]", run->statements++ ? ", " : "", kind_names[kind], n, stated,
            holds(run, x));
}

/* 1 when x was evaluated without noise on the constraints: then it is a fact, and no statement. */
static int is_fact(const struct run *run, const double *x)
{
    for (int trial = 0; run->job->noise < 2 && trial < ckg_study_trials(run->study); trial++) {
        ckg_trial known;
        if (!ckg_study_trial(run->study, trial, &known) &&
            !memcmp(known.x, x, (size_t)run->job->d * sizeof *x))
            return 1;
    }
    return 0;
}

/* A recommendation by a rule; its design is left in x. */
static void question(struct run *run, enum kind kind, int n, double probability, double *x)
{
    ckg_recommend_options options = CKG_RECOMMEND_OPTIONS_INIT;
    ckg_recommendation *r;

    options.rule = probability > 0 ? CKG_RULE_PROBABILITY : CKG_RULE_UTILITY;
    options.probability = probability > 0 ? probability : options.probability;
    check(ckg_study_recommend(run->study, &options, &r));
    if (!is_fact(run, r->x))
        state(run, kind, n, r->probability_feasible, r->x);
    memcpy(x, r->x, (size_t)run->job->d * sizeof *x);
    ckg_recommendation_free(r);
}

/* Predictions around x, and anywhere. */
static void look_around(struct run *run, int n, const double *x)
{
    static double X[2 * POINTS * MOST_D];
    double stated[2 * POINTS];
    const size_t d = (size_t)run->job->d;

    for (size_t p = 0; p < 2 * POINTS; p++) {
        draw_anywhere(run, X + p * d);
        for (size_t i = 0; p < POINTS && i < d; i++) {
            const double step = 0.05 * (run->high[i] - run->low[i]) * normal(&run->random);
            X[p * d + i] = fmin(fmax(x[i] + step, run->low[i]), run->high[i]);
        }
    }
    check(ckg_study_predict(run->study, 2 * POINTS, X, NULL, NULL, stated, NULL));
    for (size_t p = 0; p < 2 * POINTS; p++)
        state(run, p < POINTS ? NEAR : ANYWHERE, n, stated[p], X + p * d);
}

/* One evaluation, number n from 1. */
static void make_step(struct run *run, int n)
{
    ckg_suggestion *s;
    double values[MOST];

    check(ckg_study_ask(run->study, &s));
    state(run, ASKED, n - 1, s->probability_feasible, s->x);
    if (evaluate(run, s->x, values)) {
        check(ckg_study_tell_failed(run->study, s->trial));
    } else {
        for (int j = 0; j <= run->job->K; j++)
            values[j] += run->sd[j] > 0 ? run->sd[j] * normal(&run->random) : 0;
        check(ckg_study_tell(run->study, s->trial, values));
    }
    ckg_suggestion_free(s);
}

/* --- studies --- */

static const char *name_of(const struct job *job)
{
    static char name[32];

    if (job->suite == REGISTRY)
        return app_problems[job->which]->name;
    if (job->suite == FAILURES)
        return job->which ? "edge" : "disc";
    snprintf(name, sizeof name, "f%d i%d", job->which, job->instance);
    return name;
}

static int evaluations_of(const struct job *job)
{
    return job->d <= 3 ? 40 : job->d <= 5 ? 60 : 80;
}

static void make_run(struct run *run)
{
    static const char *const suites[] = {"coco", "problems", "failures"};
    const struct job *job = run->job;
    double x[MOST_D];

    fprintf(run->line,
            "{\"suite\": \"%s\", \"problem\": \"%s\", \"d\": %d, \"K\": %d, \"noise\": %d, \"seed\": %d, "
            "\"statements\": [",
            suites[job->suite], name_of(job), job->d, job->K, job->noise, job->seed);
    for (int n = 1; n <= evaluations_of(job); n++) {
        make_step(run, n);
        if (n < 10 || n < 2 * (job->d + 1) || n % EVERY)
            continue;
        question(run, RULE_90, n, 0.9, x);
        question(run, RULE_99, n, 0.99, x);
        question(run, RECOMMENDED, n, 0, x);
        look_around(run, n, x);
    }
    fprintf(run->line, "]}\n");
}

/* A study from its beginning to its line in the file. */
static void work(const struct settings *set, const struct job *job)
{
    struct run run = {.set = set, .job = job};
    coco_suite_t *suite = NULL;
    char *text = NULL;
    size_t length = 0;
    char instance[32];

    /* The problem and its study. */
    run.random = (uint64_t)job->seed * 1000003 + (uint64_t)job->which * 7919 + (uint64_t)job->suite;
    if (job->suite == COCO) {
        snprintf(instance, sizeof instance, "instances: %d", job->instance);
        suite = coco_suite("bbob-constrained", instance, "");
        run.coco = coco_suite_get_problem_by_function_dimension_instance(
            suite, (size_t)job->which, (size_t)job->d, (size_t)job->instance);
    }
    find_box(&run);
    find_noise(&run);
    run.study = new_study(&run);
    run.line = open_memstream(&text, &length);

    /* Its line, at once, so that lines of several processes never mix. */
    make_run(&run);
    fclose(run.line);
    const int file = open(set->out, O_WRONLY | O_CREAT | O_APPEND, 0666);
    if (file < 0 || write(file, text, length) != (ssize_t)length) {
        perror(set->out);
        exit(1);
    }
    close(file);

    ckg_study_free(run.study);
    if (suite) {
        coco_problem_free(run.coco);
        coco_suite_free(suite);
    }
    free(text);
}

/* --- which studies --- */

/* 1 when the list, such as 1-3,7, names the number. */
static int lists(const char *list, int number)
{
    for (const char *at = list; *at; at += *at == ',') {
        char *end;
        const long first = strtol(at, &end, 10);
        const long last = *end == '-' ? strtol(end + 1, &end, 10) : first;
        if (end == at || (*end && *end != ',')) {
            fprintf(stderr, "reliability: %s is no list of numbers such as 1-3,7\n", list);
            exit(2);
        }
        if (number >= first && number <= last)
            return 1;
        at = end;
    }
    return 0;
}

/* Adds a job for each seed. */
static void add_jobs(const struct settings *set, struct job job, struct job *jobs, int *count)
{
    for (int s = 0; s < set->seeds && *count < MOST_JOBS; s++) {
        job.seed = set->first_seed + s;
        jobs[(*count)++] = job;
    }
}

/* COCO's: its instances are what differs, so one seed each. */
static void add_coco(const struct settings *set, int noise, struct job *jobs, int *count)
{
    coco_suite_t *suite = coco_suite("bbob-constrained", "instances: 1", "");

    for (int d = 2; d <= MOST_D; d++)
        for (int f = 1; lists(set->dimensions, d) && f <= 54; f++)
            for (int i = 1; lists(set->functions, f) && i <= 15; i++) {
                struct job job = {COCO, f, i, d, 0, noise, set->first_seed + i};
                coco_problem_t *p = coco_suite_get_problem_by_function_dimension_instance(suite, (size_t)f,
                                                                                          (size_t)d, 1);
                job.K = (int)coco_problem_get_number_of_constraints(p);
                coco_problem_free(p);
                if (lists(set->instances, i) && *count < MOST_JOBS)
                    jobs[(*count)++] = job;
            }
    coco_suite_free(suite);
}

/* All jobs; returns how many. */
static int list_jobs(const struct settings *set, struct job *jobs)
{
    int count = 0;

    for (int noise = 2; noise >= 0; noise--) {
        if (!lists(set->noise, noise))
            continue;
        for (int i = 0; strstr(set->suites, "problems") && app_problems[i]; i++)
            add_jobs(set, (struct job){REGISTRY, i, 0, app_problems[i]->d, app_problems[i]->K, noise, 0},
                     jobs, &count);
        for (int i = 0; strstr(set->suites, "failures") && !noise && i < 2; i++)
            add_jobs(set, (struct job){FAILURES, i, 0, 2, 1, 0, 0}, jobs, &count);
        if (strstr(set->suites, "coco"))
            add_coco(set, noise, jobs, &count);
    }
    return count;
}

/* Takes jobs until there are none left, each in a process of its own. */
static void keep_working(const struct settings *set, const struct job *jobs, int count, int *next)
{
    for (int i; (i = __atomic_fetch_add(next, 1, __ATOMIC_RELAXED)) < count && app_clock() < set->deadline;)
        work(set, &jobs[i]);
}

int main(int argc, char **argv)
{
    struct settings set = {"coco,problems,failures",
                           "0,1,2",
                           "auto",
                           "2,3,5",
                           "1-54",
                           "1",
                           "auto",
                           "auto",
                           NULL,
                           3,
                           1,
                           1,
                           0,
                           INFINITY};
    const struct bench_option options[] = {
        {"suites", BENCH_WORD, &set.suites},
        {"noise", BENCH_WORD, &set.noise},
        {"policy", BENCH_WORD, &set.policy},
        {"dimensions", BENCH_WORD, &set.dimensions},
        {"functions", BENCH_WORD, &set.functions},
        {"instances", BENCH_WORD, &set.instances},
        {"kernel", BENCH_WORD, &set.kernel},
        {"fit", BENCH_WORD, &set.fit},
        {"out", BENCH_WORD, &set.out},
        {"seeds", BENCH_INTEGER, &set.seeds},
        {"first-seed", BENCH_INTEGER, &set.first_seed},
        {"workers", BENCH_INTEGER, &set.workers},
        {"seconds", BENCH_REAL, &set.seconds},
        {0},
    };
    static struct job jobs[MOST_JOBS];
    int state = 0;
    int bad = 0;

    bench_options_read(argc, argv, options);
    if (!set.out || set.workers < 1) {
        fprintf(stderr, "reliability: --out FILE is needed\n");
        return 2;
    }
    if (set.seconds > 0)
        set.deadline = app_clock() + set.seconds;
    coco_set_log_level("error");
    const int count = list_jobs(&set, jobs);

    /* Workers share nothing but the number of the next job. */
    int *next = mmap(NULL, sizeof *next, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    for (int w = 0; w < set.workers; w++)
        if (!fork()) {
            keep_working(&set, jobs, count, next);
            exit(0);
        }
    while (wait(&state) > 0)
        bad |= state != 0;
    fprintf(stderr, "reliability: %d of %d studies begun\n", *next < count ? *next : count, count);
    return bad;
}
