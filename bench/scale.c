/*
 * Many workers on one study, by a simulation of events: evaluations that last, designs that are chosen one
 * after the other, each of which takes its time, and workers that wait for one.
 *
 *     build/bench/scale                                      how busy the workers are
 *     build/bench/scale --regret --problem mystery …         what it costs that designs know less
 *
 * The first needs no models: a design takes `choose` seconds, whatever it is. The second has the real ones,
 * with everything that is under way pending, and a clock of its own.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ckg/ckg.h>

#include "bench/replicate.h"
#include "bench/spread.h"
#include "options.h"

enum { MOST_WORKERS = 1000, MOST_AHEAD = 100, MOST_SEEDS = 100, MOST_MARKS = 8 };

/* What is simulated. */
struct plan {
    int workers;
    double evaluation; /* seconds on average */
    double spread;     /* of its logarithm */
    double choose;     /* seconds for a design */
    int ahead;
};

/* Somebody who evaluates; until INFINITY: nobody is there. */
struct busy {
    double until;
    int trial;
};

/* A simulation as it stands. */
struct state {
    const struct plan *plan;
    double now;
    int idle;          /* workers without a design */
    struct busy *busy; /* (workers) a heap, the first to end on top */
    int busy_count;
    int ready; /* designs that wait, the oldest first */
    int design[MOST_AHEAD + MOST_WORKERS];
    double chosen;   /* when the design being chosen is there, INFINITY: none is */
    int choosing;    /* which it is */
    double worked;   /* seconds of evaluations, summed over workers, as far as they lie in the window */
    double from, to; /* the window */
    unsigned long long noise;
};

/* --- chance --- */

static double uniform(struct state *s)
{
    s->noise = s->noise * 6364136223846793005ull + 1442695040888963407ull;
    return ((double)(s->noise >> 11) + 0.5) / 9007199254740992.0;
}

/* A duration, lognormal with the plan's mean. */
static double duration(struct state *s)
{
    const double sd = s->plan->spread;
    const double z = sqrt(-2 * log(uniform(s))) * cos(2 * 3.14159265358979323846 * uniform(s));

    return s->plan->evaluation * exp(sd * z - sd * sd / 2);
}

/* --- who is busy, as a heap --- */

static void swap(struct busy *a, struct busy *b)
{
    const struct busy kept = *a;

    *a = *b;
    *b = kept;
}

static void push(struct state *s, struct busy one)
{
    int i = s->busy_count++;

    s->busy[i] = one;
    for (; i && s->busy[i].until < s->busy[(i - 1) / 2].until; i = (i - 1) / 2)
        swap(&s->busy[i], &s->busy[(i - 1) / 2]);
}

static struct busy pop(struct state *s)
{
    const struct busy first = s->busy[0];
    int i = 0;

    s->busy[0] = s->busy[--s->busy_count];
    for (;;) {
        int least = i;
        for (int child = 2 * i + 1; child <= 2 * i + 2 && child < s->busy_count; child++)
            least = s->busy[child].until < s->busy[least].until ? child : least;
        if (least == i)
            return first;
        swap(&s->busy[i], &s->busy[least]);
        i = least;
    }
}

/* --- events --- */

/* Those without a design get one, as far as there are some. */
static void hand_out(struct state *s)
{
    while (s->idle && s->ready) {
        const struct busy one = {.until = s->now + duration(s), .trial = s->design[0]};

        memmove(s->design, s->design + 1, (size_t)--s->ready * sizeof *s->design);
        s->idle--;
        push(s, one);
        s->worked += fmax(0, fmin(one.until, s->to) - fmax(s->now, s->from));
    }
}

/* 1 when another design should be chosen: somebody waits for it, or fewer wait than should. */
static int wants_design(const struct state *s)
{
    return isinf(s->chosen) && (s->idle > s->ready || s->ready < s->plan->ahead);
}

static void start_choosing(struct state *s, int trial)
{
    s->choosing = trial;
    s->chosen = s->now + s->plan->choose;
}

/* The next event; the trial that has ended, -1: a design was chosen instead. */
static int advance(struct state *s)
{
    if (s->busy_count && s->busy[0].until < s->chosen) {
        const struct busy ended = pop(s);
        s->now = ended.until;
        s->idle++;
        return ended.trial;
    }
    s->now = s->chosen;
    s->chosen = INFINITY;
    s->design[s->ready++] = s->choosing;
    return -1;
}

static struct state begin(const struct plan *plan, unsigned long long seed)
{
    struct state s = {.plan = plan, .idle = plan->workers, .chosen = INFINITY, .noise = seed};

    s.busy = calloc((size_t)plan->workers, sizeof *s.busy);
    if (!s.busy)
        exit(1);
    return s;
}

/* --- how busy workers are --- */

/* The share of their time that they evaluate, from the sixth mean evaluation to the twentieth. */
static double utilisation(const struct plan *plan)
{
    struct state s = begin(plan, 1);
    const double ramp = plan->workers * plan->choose; /* until everybody has had a design */

    s.from = ramp + 5 * plan->evaluation;
    s.to = ramp + 20 * plan->evaluation;
    while (s.now < s.to) {
        hand_out(&s);
        if (wants_design(&s))
            start_choosing(&s, 0);
        advance(&s);
    }
    free(s.busy);
    return s.worked / (plan->workers * (s.to - s.from));
}

static void print_utilisation(void)
{
    static const int workers[] = {10, 30, 100, 300, 1000};
    static const int ahead[] = {0, 2, 10};
    static const double choose[] = {0.01, 0.1, 1};
    static const double evaluation[] = {1, 10, 60, 600, 3600};

    printf("per cent of their time that workers evaluate, by seconds of an evaluation (spread 0.3)\n");
    printf("%8s %6s %8s", "choose", "ahead", "workers");
    for (int t = 0; t < 5; t++)
        printf(" %7g s", evaluation[t]);
    printf("\n");
    for (int c = 0; c < 3; c++)
        for (int a = 0; a < 3; a++)
            for (int w = 0; w < 5; w++) {
                printf("%6g s %6d %8d", choose[c], ahead[a], workers[w]);
                for (int t = 0; t < 5; t++) {
                    const struct plan plan = {workers[w], evaluation[t], 0.3, choose[c], ahead[a]};
                    printf(" %9.1f", 100 * utilisation(&plan));
                }
                printf("\n");
            }
}

/* --- what it costs that designs know less --- */

struct regret {
    const struct app_problem *problem;
    const char *policy;
    double noise;
    int budget;
    int mark_count;
    int marks[MOST_MARKS]; /* after so many evaluations */
};

struct outcome {
    double cost[MOST_MARKS];
    double time[MOST_MARKS]; /* in mean evaluations */
};

static void fail(const char *what)
{
    fprintf(stderr, "%s: %s\n", what, ckg_error_message());
    exit(1);
}

static void tell(ckg_study *study, const struct regret *r, int trial, uint64_t seed)
{
    double values[1 + APP_PROBLEM_CONSTRAINTS];
    ckg_trial t;

    if (ckg_study_trial(study, trial, &t))
        fail("trial");
    app_problem_evaluate(r->problem, t.x, values);
    values[0] += r->noise * app_problem_noise(seed, (uint64_t)trial, 0);
    if (ckg_study_tell(study, trial, values))
        fail("tell");
}

static int ask(ckg_study *study)
{
    ckg_suggestion *suggestion;

    if (ckg_study_ask(study, &suggestion))
        fail("ask");
    const int trial = suggestion->trial;
    ckg_suggestion_free(suggestion);
    return trial;
}

static double cost_now(const struct regret *r, ckg_study *study)
{
    struct app_score score;

    if (app_score(r->problem, study, &score))
        fail("recommend");
    ckg_recommendation_free(score.recommendation);
    return score.cost;
}

static ckg_study *make_study(const struct regret *r, uint64_t seed, ckg_problem **problem)
{
    ckg_options options = CKG_OPTIONS_INIT;
    ckg_study *study;

    options.policy = r->policy;
    options.seed = seed;
    options.threads = 1;
    options.budget = r->budget;
    *problem = app_problem_describe(r->problem, r->noise > 0);
    if (!*problem || ckg_study_new(&study, *problem, &options))
        fail("study");
    return study;
}

/* A whole study by these workers. */
static struct outcome simulate(const struct regret *r, const struct plan *plan, uint64_t seed)
{
    struct state s = begin(plan, seed);
    struct outcome out = {{0}, {0}};
    ckg_problem *problem;
    ckg_study *study = make_study(r, seed, &problem);
    int asked = 0;
    int telling = 0;

    for (int mark = 0; mark < r->mark_count;) {
        /* Who has nothing to do gets a design; a further one is chosen by what is known now. */
        hand_out(&s);
        if (asked < r->budget && wants_design(&s)) {
            start_choosing(&s, ask(study));
            asked++;
        }

        /* A result comes in. */
        const int ended = advance(&s);
        if (ended < 0)
            continue;
        tell(study, r, ended, seed);
        if (++telling == r->marks[mark]) {
            out.cost[mark] = cost_now(r, study);
            out.time[mark++] = s.now / plan->evaluation;
        }
    }
    free(s.busy);
    ckg_study_free(study);
    ckg_problem_free(problem);
    return out;
}

/* One line: medians over the seeds. */
static void print_regret(const struct regret *r, const struct plan *plan, int seeds)
{
    static struct outcome each[MOST_SEEDS];
    double values[MOST_SEEDS];

    for (int s = 0; s < seeds; s++)
        each[s] = simulate(r, plan, (uint64_t)s + 1);
    printf("%-15s %-4s %5g %8d %6d", r->problem->name, r->policy, r->noise, plan->workers, plan->ahead);
    for (int m = 0; m < r->mark_count; m++) {
        for (int s = 0; s < seeds; s++)
            values[s] = each[s].cost[m];
        const double cost = app_spread_of(values, seeds).median;
        for (int s = 0; s < seeds; s++)
            values[s] = each[s].time[m];
        printf("  %8.1e %7.1f", cost, app_spread_of(values, seeds).median);
    }
    printf("\n");
    fflush(stdout);
}

/* "50,110,200" into the numbers; how many. */
static int read_list(const char *word, int most, int *out)
{
    int count = 0;

    for (char *end; count < most; word = end + 1) {
        out[count++] = (int)strtol(word, &end, 10);
        if (*end != ',')
            return count;
    }
    return count;
}

int main(int argc, char **argv)
{
    int regrets = 0;
    int seeds = 10;
    int workers[MOST_MARKS];
    int ahead[MOST_MARKS];
    const char *problem = "mystery";
    const char *worker_list = "1,10,40";
    const char *ahead_list = "0";
    const char *mark_list = "50,110";
    struct regret r = {.policy = "auto"};
    struct plan plan = {.evaluation = 60, .spread = 0.3, .choose = 0.1};
    const struct bench_option options[] = {
        {"regret", BENCH_FLAG, &regrets},
        {"problem", BENCH_WORD, &problem},
        {"policy", BENCH_WORD, &r.policy},
        {"noise", BENCH_REAL, &r.noise},
        {"workers", BENCH_WORD, &worker_list},
        {"ahead", BENCH_WORD, &ahead_list},
        {"at", BENCH_WORD, &mark_list},
        {"seeds", BENCH_INTEGER, &seeds},
        {"seconds", BENCH_REAL, &plan.evaluation},
        {"choose", BENCH_REAL, &plan.choose},
        {NULL, 0, NULL},
    };

    bench_options_read(argc, argv, options);
    if (!regrets) {
        print_utilisation();
        return 0;
    }

    r.problem = app_problem_named(problem);
    r.mark_count = read_list(mark_list, MOST_MARKS, r.marks);
    r.budget = r.marks[r.mark_count - 1];
    const int sizes = read_list(worker_list, MOST_MARKS, workers);
    const int aheads = read_list(ahead_list, MOST_MARKS, ahead);
    if (!r.problem || seeds < 1 || seeds > MOST_SEEDS) {
        fprintf(stderr, "scale: --problem is one of `ckg problems`, --seeds from 1 to %d\n", MOST_SEEDS);
        return 2;
    }

    printf("%-15s %-4s %5s %8s %6s", "problem", "", "noise", "workers", "ahead");
    for (int m = 0; m < r.mark_count; m++)
        printf("  after %4d at t/T", r.marks[m]);
    printf("\n");
    for (int w = 0; w < sizes; w++)
        for (int a = 0; a < aheads; a++) {
            plan.workers = workers[w];
            plan.ahead = ahead[a];
            if (plan.workers >= 1 && plan.workers <= MOST_WORKERS && plan.ahead <= MOST_AHEAD)
                print_regret(&r, &plan, seeds);
        }
    return 0;
}
