/*
 * A run inside a process that has a life of its own: in threads, beside other children, without a change of
 * the process's signals. What `ckg run` does with a process that is all its own is in test_kill.py and
 * test_evaluators.py.
 */
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "evaluate/child.h"
#include "run/run_study.h"
#include "support/test.h"

#define GOOD "echo '{\"f\": 1, \"c\": -1}'"

/* --- a folder with a study --- */

struct scene {
    char folder[64];
    char file[96];
};

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* The study s whose evaluations are this shell script; more: lines for `evaluate` and further parameters. */
static void set_up(struct scene *s, const char *script, int budget, const char *evaluate,
                   const char *parameters)
{
    struct app_text text = {0};
    char path[128];

    snprintf(s->folder, sizeof s->folder, "/tmp/ckg-run-XXXXXX");
    assert_non_null(mkdtemp(s->folder));
    snprintf(path, sizeof path, "%s/evaluate.sh", s->folder);
    write_file(path, script);

    app_text_print(&text,
                   "name: s\ngoal: minimize\nbudget: %d\npolicy: sobol\nseed: 1\nparameters:\n"
                   "  x: {type: real, low: 0, high: 1}\n%s"
                   "objective: {name: f, noise: none}\nconstraints:\n  c: {max: 0, noise: none}\n"
                   "evaluate:\n  command: [/bin/sh, evaluate.sh]\n%s",
                   budget, parameters, evaluate);
    assert_false(text.failed);
    snprintf(s->file, sizeof s->file, "%s/s.yaml", s->folder);
    write_file(s->file, text.data);
    app_text_free(&text);
}

static void tear_down(struct scene *s)
{
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", s->folder);
    assert_int_equal(system(command), 0);
}

/* The words of a file that evaluations write; how many. */
static int words_of(const struct scene *s, const char *name, int *words, int most)
{
    char path[128];
    int count = 0;

    snprintf(path, sizeof path, "%s/%s", s->folder, name);
    FILE *file = fopen(path, "r");
    while (file && count < most && fscanf(file, "%d", &words[count]) == 1)
        count++;
    if (file)
        fclose(file);
    return count;
}

/* However slow the machine is; minutes are for what hangs. */
static void wait_for_words(const struct scene *s, const char *name, int count)
{
    enum { PATIENCE = 900 };
    const double start = app_clock();
    int words[16];

    while (words_of(s, name, words, 16) < count) {
        assert_true(app_clock() - start < PATIENCE);
        usleep(5000);
    }
}

/* --- a run in a thread --- */

struct runner {
    pthread_t thread;
    struct app_study record;
    struct app_message message;
    struct app_runner_options options;
    enum app_run_end end;
    char said[4096];
    char go[128]; /* the file that is made when something is said: evaluations wait for it */
};

static void hear(void *context, const char *line)
{
    struct runner *r = context;
    strncat(r->said, line, sizeof r->said - strlen(r->said) - 1);
    FILE *go = fopen(r->go, "w");
    if (go)
        fclose(go);
}

static void *run(void *context)
{
    struct runner *r = context;
    app_runner_work(&r->options, &r->end, r->record.message);
    return NULL;
}

static void start(struct runner *r, const struct scene *s, int stop)
{
    const struct app_study_address place = {.file = s->file};

    *r = (struct runner){.options = {.study = &r->record, .stop = stop, .say = hear, .context = r}};
    snprintf(r->go, sizeof r->go, "%s/go", s->folder);
    assert_int_equal(app_study_open(&r->record, &place, APP_COMPARE, &r->message), CKG_OK);
    assert_int_equal(app_study_begin(&r->record), CKG_OK);
    assert_int_equal(pthread_create(&r->thread, NULL, run, r), 0);
}

/* Waits for its end; how many trials are in each state. */
static void join(struct runner *r, enum app_run_end expected, int tally[APP_STATES])
{
    assert_int_equal(pthread_join(r->thread, NULL), 0);
    assert_int_equal(r->end, expected);
    assert_int_equal(app_study_sync(&r->record), CKG_OK);
    app_study_tally(&r->record, tally);
    app_study_close(&r->record);
}

/* --- the process around it --- */

static volatile sig_atomic_t signals_seen;

static void on_signal(int number)
{
    (void)number;
    signals_seen++;
}

static pid_t child_that_ends(int status)
{
    const pid_t child = fork();
    if (!child)
        _exit(status);
    return child;
}

static pid_t child_that_stays(void)
{
    const pid_t child = fork();
    if (!child)
        for (;;)
            pause();
    return child;
}

static void test_leaves_the_process_as_it_is(void **state)
{
    static const int numbers[] = {SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};
    struct sigaction own = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    struct sigaction now;
    struct sigaction before[6];
    struct scene s;
    struct runner r;
    int tally[APP_STATES];
    int adopts;
    int status;
    (void)state;

    /* The process has handlers and children. */
    sigemptyset(&own.sa_mask);
    for (int i = 0; i < 6; i++)
        sigaction(numbers[i], &own, &before[i]);
    const pid_t ended = child_that_ends(7);
    const pid_t stays = child_that_stays();

    set_up(&s, GOOD, 6, "  parallel: 3\n", "");
    start(&r, &s, -1);
    join(&r, APP_RUN_SPENT, tally);
    assert_int_equal(tally[APP_COMPLETE], 6);
    assert_string_equal(r.said, "");

    /* Its handlers are the same, and nobody becomes its child. */
    for (int i = 0; i < 6; i++) {
        sigaction(numbers[i], &before[i], &now);
        assert_true(now.sa_handler == on_signal);
    }
    assert_int_equal(prctl(PR_GET_CHILD_SUBREAPER, &adopts), 0);
    assert_int_equal(adopts, 0);

    /* One of its children can still be waited for, the other lives, and there are no more. */
    assert_int_equal(waitpid(ended, &status, 0), ended);
    assert_int_equal(WEXITSTATUS(status), 7);
    assert_int_equal(waitpid(-1, &status, WNOHANG), 0);
    kill(stays, SIGKILL);
    assert_int_equal(waitpid(stays, &status, 0), stays);
    assert_int_equal(waitpid(-1, &status, WNOHANG), -1);
    tear_down(&s);
}

/* More input than a pipe holds, for an evaluation that does not want it: the process would die of SIGPIPE. */
static void test_input_that_is_not_wanted(void **state)
{
    struct app_text parameters = {0};
    char word[190];
    struct scene s;
    struct runner r;
    int tally[APP_STATES];
    (void)state;

    memset(word, 'a', sizeof word - 1);
    word[sizeof word - 1] = 0;
    for (int i = 0; i < 199; i++)
        app_text_print(&parameters, "  n%d%s: {type: categorical, values: [a%s, b%s]}\n", i, word, word,
                       word);
    assert_false(parameters.failed);
    signals_seen = 0;
    signal(SIGPIPE, on_signal);

    set_up(&s, "exec <&-\nsleep 0.2\n" GOOD "\n", 2, "", parameters.data);
    start(&r, &s, -1);
    join(&r, APP_RUN_SPENT, tally);
    assert_int_equal(tally[APP_COMPLETE], 2);
    assert_int_equal(signals_seen, 0);

    signal(SIGPIPE, SIG_DFL);
    app_text_free(&parameters);
    tear_down(&s);
}

/* Two runs of one study and one of another study of that name: the lock holds between threads too. */
static void test_several_at_once(void **state)
{
    enum { BUDGET = 12 };
    struct scene s;
    struct scene other;
    struct runner r[3];
    int tally[APP_STATES];
    int words[2 * BUDGET];
    int seen[BUDGET + 1] = {0};
    (void)state;

    set_up(&s, "echo $CKG_TRIAL >>begun\nsleep 0.05\n" GOOD "\n", BUDGET, "  parallel: 2\n", "");
    set_up(&other, "echo $CKG_TRIAL >>begun\nsleep 0.05\n" GOOD "\n", BUDGET, "  parallel: 2\n", "");
    start(&r[0], &s, -1);
    start(&r[1], &s, -1);
    start(&r[2], &other, -1);
    for (int i = 0; i < 3; i++) {
        join(&r[i], APP_RUN_SPENT, tally);
        assert_int_equal(tally[APP_COMPLETE], BUDGET);
        assert_string_equal(r[i].said, "");
    }

    /* Every trial was evaluated once. */
    assert_int_equal(words_of(&other, "begun", words, 2 * BUDGET), BUDGET);
    assert_int_equal(words_of(&s, "begun", words, 2 * BUDGET), BUDGET);
    for (int i = 0; i < BUDGET; i++)
        assert_int_equal(seen[words[i]]++, 0);
    tear_down(&other);
    tear_down(&s);
}

/* Asked by these bytes while two evaluations run; how many trials are in each state then. */
static void stop_by(const char *requests, const char *script, int tally[APP_STATES], char said[4096])
{
    struct scene s;
    struct runner r;
    int ends[2];

    assert_int_equal(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
    set_up(&s, script, 8, "  parallel: 2\n", "");
    start(&r, &s, ends[0]);
    wait_for_words(&s, "begun", 2);
    assert_int_equal(write(ends[1], requests, strlen(requests)), (ssize_t)strlen(requests));
    close(ends[1]);
    join(&r, APP_RUN_INTERRUPTED, tally);
    memcpy(said, r.said, sizeof r.said);
    close(ends[0]);
    tear_down(&s);
}

static void test_asked_to_stop(void **state)
{
    static const char soon[] = "echo $CKG_TRIAL >>begun\nuntil test -e go; do sleep 0.02; done\n" GOOD "\n";
    static const char late[] = "echo $CKG_TRIAL >>begun\nsleep 1000000\n" GOOD "\n";
    const char finish[] = {APP_STOP_FINISH, 0};
    const char twice[] = {APP_STOP_FINISH, APP_STOP_FINISH, 0};
    const char kill_it[] = {APP_STOP_KILL, 0};
    char said[4096];
    int tally[APP_STATES];
    (void)state;

    stop_by(finish, soon, tally, said);
    assert_int_equal(tally[APP_COMPLETE], 2);
    assert_non_null(strstr(said, "finishing 2 running evaluations"));
    stop_by(twice, late, tally, said);
    assert_int_equal(tally[APP_PENDING], 2);
    stop_by(kill_it, late, tally, said);
    assert_int_equal(tally[APP_PENDING], 2);
}

/* A request that comes while a design is chosen ends that: there is no trial of it. */
static void test_asked_to_stop_while_choosing(void **state)
{
    const char finish = APP_STOP_FINISH;
    struct scene s;
    struct runner r;
    int tally[APP_STATES];
    int ends[2];
    (void)state;

    assert_int_equal(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
    assert_int_equal(write(ends[1], &finish, 1), 1);
    set_up(&s, GOOD "\n", 8, "", "");
    start(&r, &s, ends[0]);
    join(&r, APP_RUN_INTERRUPTED, tally);
    for (int i = 0; i < APP_STATES; i++)
        assert_int_equal(tally[i], 0);
    assert_string_equal(r.said, "");
    close(ends[0]);
    close(ends[1]);
    tear_down(&s);
}

/* 0 for what has ended, waited for or not. */
static int is_alive(int process)
{
    char path[64];
    char state = 'X';

    snprintf(path, sizeof path, "/proc/%d/stat", process);
    FILE *file = fopen(path, "r");
    const int known = file && fscanf(file, "%*d (%*[^)]) %c", &state) == 1;
    if (file)
        fclose(file);
    return known && state != 'Z' && state != 'X';
}

/*
 * What an evaluation leaves behind in a session of its own ends with it, though it never becomes our child.
 */
static void test_nothing_is_left_behind(void **state)
{
    struct scene s;
    struct runner r;
    int tally[APP_STATES];
    int left[4];
    (void)state;

    set_up(&s,
           "setsid sh -c 'echo $$ >>left; exec sleep 1000000' &\nwhile ! test -s left; do sleep 0.01; "
           "done\n" GOOD,
           2, "", "");
    start(&r, &s, -1);
    join(&r, APP_RUN_SPENT, tally);
    assert_int_equal(tally[APP_COMPLETE], 2);
    const int count = words_of(&s, "left", left, 4);
    assert_in_range(count, 1, 2);
    for (int i = 0; i < count; i++)
        assert_false(is_alive(left[i]));
    tear_down(&s);
}

/*
 * A process that ignores its children's ends never learns of exit statuses; that is a failure with a reason.
 */
static void test_status_taken_by_another(void **state)
{
    struct scene s;
    struct runner r;
    struct app_study_address place = {.file = s.file};
    int tally[APP_STATES];
    (void)state;

    signal(SIGCHLD, SIG_IGN);
    set_up(&s, GOOD, 2, "", "");
    start(&r, &s, -1);
    join(&r, APP_RUN_SPENT, tally);
    signal(SIGCHLD, SIG_DFL);
    assert_int_equal(tally[APP_FAILED_TRIAL], 2);
    assert_int_equal(app_study_open(&r.record, &place, APP_COMPARE, &r.message), CKG_OK);
    assert_non_null(strstr(r.record.trials[0].why, "exit status is unknown"));
    app_study_close(&r.record);
    tear_down(&s);
}

/* --- what a dead run has left --- */

/* A process that takes trials without running them. */
struct taker {
    struct app_study record;
    struct app_message message;
    struct app_runner_options options;
    struct app_slots slots;
    struct app_run_self self;
    struct app_run_study run;
    char said[1024];
};

static void note_line(void *context, const char *line)
{
    struct taker *t = context;

    strncat(t->said, line, sizeof t->said - strlen(t->said) - 1);
}

static void begin_taking(struct taker *t, const struct scene *s)
{
    const struct app_study_address place = {.file = s->file};

    *t = (struct taker){.slots = {.stop = -1, .news = -1}};
    assert_int_equal(app_study_open(&t->record, &place, APP_COMPARE, &t->message), CKG_OK);
    assert_int_equal(app_study_begin(&t->record), CKG_OK);
    t->options.study = &t->record;
    t->run = (struct app_run_study){.n = &t->record,
                                    .slots = &t->slots,
                                    .self = &t->self,
                                    .options = &t->options,
                                    .progress = {.say = note_line, .context = t}};
    assert_int_equal(app_run_enrol(&t->self, t->record.store, &t->message), CKG_OK);
    assert_int_equal(app_spool_open(&t->self.spool, s->folder, t->record.url, &t->self.worker, &t->message),
                     CKG_OK);
}

/* Dies with a trial, whose answer is in the spool and not in the store. */
static void die_with_answer(const struct scene *s)
{
    struct taker t;
    char *path;
    int number;

    begin_taking(&t, s);
    assert_int_equal(app_run_take(&t.run, &number), CKG_OK);
    assert_int_equal(number, 1);
    const struct app_trial result = {.number = number,
                                     .state = APP_COMPLETE,
                                     .starts = 1,
                                     .parameters = t.record.trials[0].parameters,
                                     .outcomes = "{\"f\": 3, \"c\": -1}",
                                     .seconds = 7};
    assert_int_equal(app_spool_put(&t.self.spool, "s", &result, &path, &t.message), CKG_OK);
    _exit(0);
}

/* Whoever takes over its trial finds the answer first, and evaluates another one. */
static void test_an_answer_that_was_left(void **state)
{
    struct scene s;
    struct taker t;
    int number;
    int status;
    (void)state;

    set_up(&s, GOOD, 2, "", "");
    begin_taking(&t, &s);
    const pid_t child = fork();
    if (!child)
        die_with_answer(&s);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);

    assert_int_equal(app_run_sync(&t.run), CKG_OK);
    assert_int_equal(t.record.trials[0].state, APP_RUNNING);
    assert_int_equal(app_run_take(&t.run, &number), CKG_OK);
    assert_int_equal(number, 2);
    assert_int_equal(t.record.trials[0].state, APP_COMPLETE);
    assert_float_equal(t.record.trials[0].measured[0].value, 3, 0);
    assert_null(t.record.trials[0].notes);
    assert_string_equal(t.said, "");

    app_run_hand_back(&t.run, number);
    app_run_leave(&t.self, t.record.store);
    app_study_close(&t.record);
    tear_down(&s);
}

int main(void)
{
    return RUN_TESTS(test_an_answer_that_was_left, test_leaves_the_process_as_it_is,
                     test_input_that_is_not_wanted, test_several_at_once, test_asked_to_stop,
                     test_asked_to_stop_while_choosing, test_nothing_is_left_behind,
                     test_status_taken_by_another);
}
