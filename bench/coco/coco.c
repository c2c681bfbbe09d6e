/*
 * ckg on the suite bbob-constrained of COCO: 54 functions with 1 … 100 constraints, in 2 … 40 dimensions, in
 * 15 instances, without noise.
 *
 *     scripts/fetch-coco.sh
 *     cmake -S . -B build && cmake --build build --target bench_coco
 *     build/bench/coco --out FILE [--dimensions 2,3,5] [--functions 1-54] [--instances 1-3] [--budget 20]
 *                      [--policy auto] [--kernel auto] [--settings name=value,…] [--seed 1]
 *                      [--threads-of-runs 1] [--seconds 0] [--label TEXT] [--feasible-start]
 *                      [--initial-designs]
 *
 * The program is static and stripped: it runs on any x86-64 Linux.
 *
 * A run is one study of budget·d evaluations from ckg's own initial design; it has a process of its own and
 * one thread, and --threads-of-runs of them work at a time, those that take longest first. What the suite
 * knows (a feasible start, the optimum) is not told. Feasible means every c <= 0, without tolerance.
 *
 * One line of JSON a run is added to FILE. At every fifth evaluation, at 5d, 10d, 20d and at the end:
 * the best feasible value evaluated so far, and of the recommended design the true objective, the true
 * largest violation, the stated probability of being feasible, and whether it was evaluated. "seconds" is a
 * suggestion's mean, those right after a recommendation left out because its models serve them, too. A run
 * that fails leaves a line with "error" and what it had until then. After --seconds no run begins, and those
 * under way end with what they have and "cut".
 *
 * --settings: the policy's parameters, and of the study fit, preset, samples, warp, penalty, failures.
 * --label: the name on the page, where one build is to be compared with another.
 * --feasible-start: the first evaluation is the suite's own feasible start, which COBYQA begins with.
 * --initial-designs: prints each run's initial design, for other tools to begin with, and evaluates nothing.
 */
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ckg/ckg.h>

#include "../options.h"
#include "base/clock.h"
#include "coco.h"

enum { MOST_SETTINGS = 32, MOST_NUMBERS = 128, EVERY = 5, LAST = 20 };

struct settings {
    const char *dimensions;
    const char *functions;
    const char *instances;
    const char *policy;
    const char *kernel;
    const char *given; /* further settings, as typed */
    const char *label;
    const char *out;
    int budget;
    int seed;
    int workers;
    int initial_designs;
    int feasible_start;
    double seconds;
    double deadline; /* by the clock */
};

/* One run to be made. */
struct job {
    int function;
    int instance;
    int d;
    int K;
    double cost; /* expected, in no unit */
    pid_t worker;
};

/* A run under way. */
struct run {
    const struct settings *set;
    const struct job *job;
    coco_problem_t *problem;
    ckg_study *study;
    FILE *line;         /* the JSON text */
    double *values;     /* (1+K) f, c_1 … c_K */
    double best;        /* the smallest feasible f */
    double *taken;      /* (evaluations) seconds of each suggestion, NAN where it does not count */
    int checkpoints;    /* so far */
    int recommended_at; /* evaluations at the last recommendation */
};

static void *allocate(size_t count, size_t size)
{
    void *out = calloc(count ? count : 1, size);

    if (!out) {
        fprintf(stderr, "coco: out of memory\n");
        exit(1);
    }
    return out;
}

/* --- the command line --- */

/* The numbers of a list such as 1-3,7; returns how many. */
static int read_numbers(const char *text, int *numbers)
{
    int count = 0;

    for (const char *at = text; *at; at += *at == ',') {
        char *end;
        const long first = strtol(at, &end, 10);
        long last = first;
        if (end != at && *end == '-')
            last = strtol(at = end + 1, &end, 10);
        if (end == at || (*end && *end != ',') || first < 1 || last < first ||
            last - first >= MOST_NUMBERS - count) {
            fprintf(stderr, "coco: %s is no list of numbers such as 1-3,7\n", text);
            exit(2);
        }
        for (long i = first; i <= last; i++)
            numbers[count++] = (int)i;
        at = end;
    }
    return count;
}

/* Sets one of the study's options by name; 0 if it has none of that name. */
static int set_option(ckg_options *options, const char *name, const char *value)
{
    const int known = !strcmp(name, "fit") || !strcmp(name, "preset") || !strcmp(name, "samples") ||
                      !strcmp(name, "warp") || !strcmp(name, "penalty") || !strcmp(name, "failures");

    if (!strcmp(name, "fit"))
        options->fit = value;
    if (!strcmp(name, "preset"))
        options->preset = value;
    if (!strcmp(name, "failures"))
        options->failures = value;
    if (!strcmp(name, "samples"))
        options->samples = atoi(value);
    if (!strcmp(name, "warp"))
        options->warp = atoi(value);
    if (!strcmp(name, "penalty"))
        options->penalty = atof(value);
    return known;
}

/* The options of a study; the settings among them point into `text`, a copy that stays. */
static ckg_options study_options(const struct settings *set, const struct job *job)
{
    static ckg_setting settings[MOST_SETTINGS];
    ckg_options options = CKG_OPTIONS_INIT;
    char *text = strcpy(allocate(strlen(set->given) + 1, 1), set->given);
    int count = 0;

    options.policy = set->policy;
    options.kernel = set->kernel;
    options.seed = (uint64_t)set->seed * 1000000u + (uint64_t)job->function * 1000u + (uint64_t)job->instance;

    for (char *name = strtok(text, ","); name; name = strtok(NULL, ",")) {
        char *value = strchr(name, '=');
        if (!value || count == MOST_SETTINGS) {
            fprintf(stderr, "coco: settings are name=value,…, at most %d\n", MOST_SETTINGS);
            exit(2);
        }
        *value++ = '\0';
        if (!set_option(&options, name, value))
            settings[count++] = (ckg_setting){name, atof(value)};
    }
    options.settings_count = count;
    options.settings = settings;
    return options;
}

/* --- the problem --- */

static coco_suite_t *open_suite(const struct settings *set)
{
    char instances[1024];

    snprintf(instances, sizeof instances, "instances: %s", set->instances);
    coco_set_log_level("error");
    return coco_suite("bbob-constrained", instances, "");
}

static coco_problem_t *open_problem(coco_suite_t *suite, const struct job *job)
{
    coco_problem_t *problem = coco_suite_get_problem_by_function_dimension_instance(
        suite, (size_t)job->function, (size_t)job->d, (size_t)job->instance);

    if (!problem) {
        fprintf(stderr, "coco: the suite has no function %d, instance %d with %d dimensions\n", job->function,
                job->instance, job->d);
        exit(2);
    }
    return problem;
}

/* f and the constraints at x; returns the largest violation, 0 for a feasible design. */
static double evaluate(coco_problem_t *problem, int K, const double *x, double *values)
{
    double violation = 0;

    coco_evaluate_function(problem, x, values);
    coco_evaluate_constraint(problem, x, values + 1);
    for (int k = 1; k <= K; k++)
        violation = fmax(violation, values[k]);
    return violation;
}

/* The same to ckg. */
static int describe(ckg_problem **out, const coco_problem_t *problem, const struct job *job)
{
    const double *low = coco_problem_get_smallest_values_of_interest(problem);
    const double *high = coco_problem_get_largest_values_of_interest(problem);
    char name[16];
    int status = ckg_problem_new(out);

    for (int i = 0; !status && i < job->d; i++) {
        snprintf(name, sizeof name, "x%d", i + 1);
        status = ckg_problem_add_real(*out, name, low[i], high[i], CKG_LINEAR);
    }
    if (!status)
        status = ckg_problem_set_objective(*out, "f", CKG_MINIMIZE);
    if (!status)
        status = ckg_problem_set_noise(*out, "f", CKG_NOISE_NONE, 0);
    for (int k = 1; !status && k <= job->K; k++) {
        snprintf(name, sizeof name, "c%d", k);
        status = ckg_problem_add_constraint(*out, name, -INFINITY, 0);
        if (!status)
            status = ckg_problem_set_noise(*out, name, CKG_NOISE_NONE, 0);
    }
    return status;
}

/* --- the line of a run --- */

static void write_number(FILE *line, const char *name, double value)
{
    if (isfinite(value))
        fprintf(line, ", \"%s\": %.17g", name, value);
    else
        fprintf(line, ", \"%s\": null", name);
}

/* Words that need no escapes but these. */
static void write_word(FILE *line, const char *name, const char *word)
{
    fprintf(line, ", \"%s\": \"", name);
    for (; *word; word++)
        if (*word == '"' || *word == '\\' || (unsigned char)*word < ' ')
            fprintf(line, "\\u%04x", (unsigned)*word);
        else
            fputc(*word, line);
    fputc('"', line);
}

static void begin_line(FILE *line, const struct settings *set, const struct job *job)
{
    fprintf(line, "{\"function\": %d, \"instance\": %d, \"d\": %d, \"K\": %d", job->function, job->instance,
            job->d, job->K);
    write_word(line, "tool", "ckg");
    write_word(line, "policy", set->policy);
    write_word(line, "kernel", set->kernel);
    write_word(line, "settings", set->given);
    write_word(line, "label", set->label);
    fprintf(line, ", \"seed\": %d, \"budget\": %d, \"evaluations\": %d", set->seed, set->budget,
            set->budget * job->d);
}

/* Adds the line to the file at once, so that lines of several processes never mix. */
static void append(const struct settings *set, const char *text, size_t length)
{
    const int file = open(set->out, O_WRONLY | O_CREAT | O_APPEND, 0666);

    if (file < 0 || write(file, text, length) != (ssize_t)length) {
        perror(set->out);
        exit(1);
    }
    close(file);
}

static void append_error(const struct settings *set, const struct job *job, const char *what)
{
    char *text = NULL;
    size_t length = 0;
    FILE *line = open_memstream(&text, &length);

    begin_line(line, set, job);
    write_word(line, "error", what);
    fprintf(line, "}\n");
    fclose(line);
    append(set, text, length);
    free(text);
}

/* --- a run --- */

static int was_evaluated(const ckg_study *study, const double *x, int d)
{
    for (int trial = 0; trial < ckg_study_trials(study); trial++) {
        ckg_trial known;
        if (!ckg_study_trial(study, trial, &known) && !memcmp(known.x, x, (size_t)d * sizeof *x))
            return 1;
    }
    return 0;
}

/* Asks for the recommendation after n evaluations, and writes how good it truly is. */
static int checkpoint(struct run *run, int n)
{
    const struct job *job = run->job;
    ckg_recommendation *recommended;
    const int status = ckg_study_recommend(run->study, NULL, &recommended);

    if (status)
        return status;
    const double violation = evaluate(run->problem, job->K, recommended->x, run->values);
    fprintf(run->line, "%s{\"n\": %d", run->checkpoints++ ? ", " : "", n);
    write_number(run->line, "best", run->best);
    write_number(run->line, "f", run->values[0]);
    write_number(run->line, "violation", violation);
    write_number(run->line, "p", recommended->probability_feasible);
    fprintf(run->line, ", \"evaluated\": %s}",
            was_evaluated(run->study, recommended->x, job->d) ? "true" : "false");
    run->recommended_at = n;
    ckg_recommendation_free(recommended);
    return CKG_OK;
}

/* Whether the recommendation is looked at after n evaluations. */
static int is_checkpoint(const struct run *run, int n, int initial)
{
    const int d = run->job->d;

    return n >= initial && (n == initial || n % EVERY == 0 || n == 5 * d || n == 10 * d || n == 20 * d ||
                            n == run->set->budget * d);
}

/* One evaluation, number n from 1. */
static int make_step(struct run *run, int n)
{
    ckg_suggestion *suggestion;
    const double start = app_clock();
    int status = ckg_study_ask(run->study, &suggestion);

    if (status)
        return status;
    run->taken[n - 1] = run->recommended_at == n - 1 ? NAN : app_clock() - start;
    if (evaluate(run->problem, run->job->K, suggestion->x, run->values) <= 0)
        run->best = fmin(run->best, run->values[0]);
    status = ckg_study_tell(run->study, suggestion->trial, run->values);
    ckg_suggestion_free(suggestion);
    return status;
}

/* The suite's own feasible start, as a design that the user brings along: the first evaluation. */
static int make_start(struct run *run)
{
    double *x = allocate((size_t)run->job->d, sizeof *x);
    int trial;

    coco_problem_get_initial_solution(run->problem, x);
    if (evaluate(run->problem, run->job->K, x, run->values) <= 0)
        run->best = run->values[0];
    int status = ckg_study_add(run->study, x, &trial);
    if (!status)
        status = ckg_study_tell(run->study, trial, run->values);
    run->taken[0] = NAN;
    free(x);
    return status;
}

/* The mean of those among the times from..to that count. */
static double mean_taken(const struct run *run, int from, int to)
{
    double sum = 0;
    int count = 0;

    for (int i = from > 0 ? from : 0; i < to; i++)
        if (!isnan(run->taken[i])) {
            sum += run->taken[i];
            count++;
        }
    return count ? sum / count : NAN;
}

/* Ends the line after n evaluations, which is all of them, or trouble or the deadline came before. */
static void end_line(struct run *run, int n, int initial, int status)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    fprintf(run->line, "], \"initial\": %d", initial);
    write_number(run->line, "seconds", mean_taken(run, initial, n));
    write_number(run->line, "seconds_last", mean_taken(run, n - LAST > initial ? n - LAST : initial, n));
    write_number(run->line, "cpu",
                 (double)usage.ru_utime.tv_sec + 1e-6 * (double)usage.ru_utime.tv_usec +
                     (double)usage.ru_stime.tv_sec + 1e-6 * (double)usage.ru_stime.tv_usec);
    if (status)
        write_word(run->line, "error", ckg_error_message());
    else if (n < run->set->budget * run->job->d)
        fprintf(run->line, ", \"cut\": %d", n);
    fprintf(run->line, "}\n");
}

/* As ckg does by default. */
static int initial_of(int d)
{
    return 2 * (d + 1) > 10 ? 2 * (d + 1) : 10;
}

/* All evaluations of a study, until the deadline; what fails is told by the line. */
static int make_run(struct run *run)
{
    const int evaluations = run->set->budget * run->job->d;
    const int initial = initial_of(run->job->d);
    int status = CKG_OK;
    int n = 0;

    begin_line(run->line, run->set, run->job);
    fprintf(run->line, ", \"checkpoints\": [");
    while (!status && n < evaluations && app_clock() < run->set->deadline) {
        status = n == 0 && run->set->feasible_start ? make_start(run) : make_step(run, n + 1);
        n += !status;
        if (!status && is_checkpoint(run, n, initial))
            status = checkpoint(run, n);
    }
    end_line(run, n, initial, status);
    return CKG_OK;
}

/* The initial design as a line of its own. */
static int print_initial(struct run *run)
{
    const int d = run->job->d;
    int status = CKG_OK;

    begin_line(run->line, run->set, run->job);
    fprintf(run->line, ", \"designs\": [");
    for (int i = 0; !status && i < initial_of(d); i++) {
        ckg_suggestion *suggestion;
        status = ckg_study_ask(run->study, &suggestion);
        if (status)
            break;
        for (int j = 0; j < d; j++)
            fprintf(run->line, "%s%.17g", j ? ", " : i ? "], [" : "[", suggestion->x[j]);
        ckg_suggestion_free(suggestion);
    }
    fprintf(run->line, "]]}\n");
    return status;
}

/* A run from its beginning to its line in the file: what a worker process does. */
static void work(const struct settings *set, coco_suite_t *suite, const struct job *job)
{
    const ckg_options options = study_options(set, job);
    char *text = NULL;
    size_t length = 0;
    ckg_problem *problem = NULL;
    struct run run = {
        .set = set,
        .job = job,
        .problem = open_problem(suite, job),
        .line = open_memstream(&text, &length),
        .values = allocate((size_t)job->K + 1, sizeof *run.values),
        .taken = allocate((size_t)(set->budget * job->d), sizeof *run.taken),
        .best = INFINITY,
        .recommended_at = -1,
    };

    /* The study. */
    int status = describe(&problem, run.problem, job);
    if (!status)
        status = ckg_study_new(&run.study, problem, &options);
    if (!status)
        status = set->initial_designs ? print_initial(&run) : make_run(&run);

    /* Its line. */
    fclose(run.line);
    if (status)
        append_error(set, job, ckg_error_message());
    else
        append(set, text, length);
    ckg_study_free(run.study);
    ckg_problem_free(problem);
    coco_problem_free(run.problem);
    free(run.values);
    free(run.taken);
    free(text);
}

/* --- all runs --- */

static int dearer_first(const void *a, const void *b)
{
    const struct job *one = a;
    const struct job *two = b;

    return (one->cost < two->cost) - (one->cost > two->cost);
}

/* The jobs that ckg can do, those that take longest first; returns how many. */
static int list_jobs(const struct settings *set, coco_suite_t *suite, struct job **out)
{
    int dimensions[MOST_NUMBERS];
    int functions[MOST_NUMBERS];
    int instances[MOST_NUMBERS];
    const int ds = read_numbers(set->dimensions, dimensions);
    const int fs = read_numbers(set->functions, functions);
    const int is = read_numbers(set->instances, instances);
    struct job *jobs = allocate((size_t)ds * (size_t)fs * (size_t)is, sizeof *jobs);
    int count = 0;
    int skipped = 0;

    for (int n = 0; n < ds * fs * is; n++) {
        struct job job = {functions[n % fs], instances[n / fs % is], dimensions[n / fs / is], 0, 0, 0};
        coco_problem_t *problem = open_problem(suite, &job);
        const double evaluations = set->budget * job.d;
        job.K = (int)coco_problem_get_number_of_constraints(problem);
        job.cost = evaluations * evaluations * (job.K + 1);
        coco_problem_free(problem);
        if (job.K <= CKG_MAX_CONSTRAINTS)
            jobs[count++] = job;
        else
            skipped++;
    }
    if (skipped)
        fprintf(stderr, "coco: %d runs left out: they have more than %d constraints\n", skipped,
                CKG_MAX_CONSTRAINTS);
    qsort(jobs, (size_t)count, sizeof *jobs, dearer_first);
    *out = jobs;
    return count;
}

/* Waits for a worker to end; 1 if it did not end well, and then the file has a line that says so. */
static int collect(const struct settings *set, const struct job *jobs, int count)
{
    char what[64];
    int state;
    const pid_t worker = wait(&state);

    if (WIFEXITED(state) && !WEXITSTATUS(state))
        return 0;
    if (WIFSIGNALED(state))
        snprintf(what, sizeof what, "the process was ended by signal %d", WTERMSIG(state));
    else
        snprintf(what, sizeof what, "the process ended with status %d", WEXITSTATUS(state));
    for (int i = 0; i < count; i++)
        if (jobs[i].worker == worker)
            append_error(set, &jobs[i], what);
    return 1;
}

/* Starts the worker of a job. */
static void start(const struct settings *set, coco_suite_t *suite, struct job *job)
{
    job->worker = fork();
    if (job->worker < 0) {
        perror("coco: fork");
        exit(1);
    }
    if (!job->worker) {
        work(set, suite, job);
        exit(0);
    }
}

/* Makes all runs, some at a time; returns how many processes ended badly. */
static int run_all(const struct settings *set, coco_suite_t *suite, struct job *jobs, int count)
{
    int begun = 0;
    int busy = 0;
    int bad = 0;

    while (busy || (begun < count && app_clock() < set->deadline)) {
        if (busy < set->workers && begun < count && app_clock() < set->deadline) {
            start(set, suite, &jobs[begun++]);
            busy++;
        } else {
            bad += collect(set, jobs, count);
            busy--;
        }
    }
    fprintf(stderr, "coco: %d of %d runs made, %d processes ended badly\n", begun, count, bad);
    return bad;
}

int main(int argc, char **argv)
{
    struct settings set = {"2,3,5", "1-54", "1-3", "auto", NULL, "", "", NULL, 20, 1, 1, 0, 0, 0, INFINITY};
    const struct bench_option options[] = {
        {"dimensions", BENCH_WORD, &set.dimensions},
        {"functions", BENCH_WORD, &set.functions},
        {"instances", BENCH_WORD, &set.instances},
        {"policy", BENCH_WORD, &set.policy},
        {"kernel", BENCH_WORD, &set.kernel},
        {"settings", BENCH_WORD, &set.given},
        {"label", BENCH_WORD, &set.label},
        {"out", BENCH_WORD, &set.out},
        {"budget", BENCH_INTEGER, &set.budget},
        {"seed", BENCH_INTEGER, &set.seed},
        {"threads-of-runs", BENCH_INTEGER, &set.workers},
        {"seconds", BENCH_REAL, &set.seconds},
        {"initial-designs", BENCH_FLAG, &set.initial_designs},
        {"feasible-start", BENCH_FLAG, &set.feasible_start},
        {0},
    };
    const ckg_options usual = CKG_OPTIONS_INIT;
    struct job *jobs;

    set.kernel = usual.kernel;
    bench_options_read(argc, argv, options);
    if (!set.out || set.budget < 1 || set.workers < 1) {
        fprintf(stderr, "coco: --out FILE is needed; --budget and --threads-of-runs are at least 1\n");
        return 2;
    }
    if (set.seconds > 0)
        set.deadline = app_clock() + set.seconds;

    coco_suite_t *suite = open_suite(&set);
    const int count = list_jobs(&set, suite, &jobs);
    const int bad = run_all(&set, suite, jobs, count);

    coco_suite_free(suite);
    free(jobs);
    return bad != 0;
}
