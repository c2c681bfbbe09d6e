/*
 * The bridge by which Python has the program's record: studies that it begins are the program's, two
 * notebooks of one store keep in step, work of a process that died is taken up, and whatever is wrong comes
 * back as a status with one line.
 */
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "bridge/inside.h"
#include "bridge/study.h"
#include "study/record.h"

#define DEFINITION "{" REST
#define REST                                                                                                 \
    "\"name\": \"s\", \"goal\": \"minimize\", \"seed\": 7, \"parameters\": {\"x\": {\"type\": \"real\", "    \
    "\"low\": 0, \"high\": 1}, \"a \\\"<i9>\": {\"type\": \"categorical\", \"values\": [\"p\", \"q\"]}}, "   \
    "\"objective\": {\"name\": \"f\", \"noise\": \"none\"}, \"constraints\": {\"c\": {\"max\": 0.5, "        \
    "\"noise\": \"none\"}}}"

struct scene {
    char folder[64];
    char store[96];
};

static int set_up(void **state)
{
    struct scene *s = calloc(1, sizeof *s);

    assert_non_null(s);
    snprintf(s->folder, sizeof s->folder, "/tmp/ckg-bridge-XXXXXX");
    assert_non_null(mkdtemp(s->folder));
    snprintf(s->store, sizeof s->store, "%s/s.db", s->folder);
    *state = s;
    return 0;
}

static int tear_down(void **state)
{
    static const char *const names[] = {"s.db", "s.db-wal", "s.db-shm", "s.db-turn", "other"};
    struct scene *s = *state;
    char path[128];

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", s->folder, names[i]);
        unlink(path);
    }
    rmdir(s->folder);
    free(s);
    return 0;
}

static pyckg_study *define(const struct scene *s)
{
    pyckg_study *b;
    const int status = pyckg_study_define(&b, DEFINITION, s->store, 1);

    if (status)
        fail_msg("%s", pyckg_study_message(b));
    return b;
}

static pyckg_study *open_store(const struct scene *s)
{
    pyckg_study *b;
    const int status = pyckg_study_open(&b, s->store, NULL, NULL, 1);

    if (status)
        fail_msg("%s", pyckg_study_message(b));
    return b;
}

/* The call worked. */
static void good(pyckg_study *b, int status)
{
    if (status)
        fail_msg("status %d: %s", status, pyckg_study_message(b));
}

/* It did not, for this reason, said in one line. */
static void refused(pyckg_study *b, int status, int expected, const char *words)
{
    assert_int_equal(status, expected);
    if (!strstr(pyckg_study_message(b), words))
        fail_msg("'%s' is missing in '%s'", words, pyckg_study_message(b));
    assert_null(strchr(pyckg_study_message(b), '\n'));
}

static const char *text(pyckg_study *b)
{
    size_t length;
    const char *found = pyckg_study_text(b, &length);

    assert_int_equal(strlen(found), length);
    return found;
}

static int ask(pyckg_study *b)
{
    ckg_suggestion *s;
    int number = 0;

    good(b, pyckg_study_ask(b, &s, &number));
    assert_non_null(s);
    ckg_suggestion_free(s);
    return number;
}

static int tell(pyckg_study *b, int number, double f, double c)
{
    char in[128];

    snprintf(in, sizeof in, "{\"trial\": %d, \"values\": {\"f\": %g, \"c\": %g}}", number, f, c);
    return pyckg_study_call(b, "tell", in);
}

static pyckg_standing stands(pyckg_study *b)
{
    pyckg_standing found;

    good(b, pyckg_study_stands(b, &found));
    return found;
}

/* --- tests --- */

static void test_in_step(void **state)
{
    pyckg_study *one = define(*state);
    pyckg_study *other = open_store(*state);
    pyckg_trial t;
    ckg_study *engine;

    /* What one asks for, the other tells, and both know. */
    assert_int_equal(ask(one), 1);
    assert_int_equal(ask(other), 2);
    good(one, tell(one, 2, 3.5, 0.25));
    assert_int_equal(stands(other).count, 2);
    good(other, pyckg_study_trial(other, 2, &t));
    assert_string_equal(t.state, "complete");
    assert_int_equal(t.count, 2);
    assert_true(t.measured[0].value == 3.5 && t.measured[1].value == 0.25);
    good(other, pyckg_study_engine(other, &engine));
    assert_int_equal(ckg_study_best(engine), 1);

    /* It was said once; a correction says so, and can be taken back. */
    refused(other, tell(other, 2, 3, 0), CKG_ERR_STATE, "already complete");
    good(other,
         pyckg_study_call(other, "tell",
                          "{\"trial\": 2, \"values\": {\"f\": 3}, \"replace\": true, \"note\": \"a slip\"}"));
    good(one, pyckg_study_call(one, "undo", NULL));
    assert_non_null(strstr(text(one), "--replace"));
    good(one, pyckg_study_call(one, "discard", "{\"trials\": [2]}"));
    assert_int_equal(stands(other).best, 0);
    pyckg_study_close(one);
    pyckg_study_close(other);
}

static void test_program_reads_it(void **state)
{
    const struct scene *s = *state;
    const struct app_study_address place = {.store = s->store};
    struct app_study n;
    struct app_message message;
    pyckg_study *b = define(s);

    ask(b);
    assert_int_equal(app_study_open(&n, &place, APP_COMPARE, &message), CKG_OK);
    assert_string_equal(n.definition.name, "s");
    assert_string_equal(app_parameter_name(&n.definition, 1), "a \"<i9>");
    assert_int_equal(n.count, 1);
    assert_true(n.seed == 7);
    app_study_close(&n);

    /* The same again opens it; another problem of that name is refused. */
    pyckg_study *again = define(s);
    good(again, pyckg_study_call(again, "study", NULL));
    assert_non_null(strstr(text(again), "\"seed\": 7"));
    refused(again, pyckg_study_call(again, "redefine", "{\"definition\": \"{name: s}\"}"), CKG_ERR_INVALID,
            "missing");
    pyckg_study_close(again);
    const int status = pyckg_study_define(&again,
                                          "{name: s, goal: minimize, parameters: {y: {type: real, low: 0, "
                                          "high: 1}}, objective: {name: f}}",
                                          s->store, 1);
    refused(again, status, CKG_ERR_INVALID, "another");
    pyckg_study_close(again);
    pyckg_study_close(b);
}

/* A budget that is given later holds for all. */
static void test_budget(void **state)
{
    pyckg_study *b = define(*state);
    struct app_text in = {0};
    ckg_suggestion *s;
    int number;

    app_json_print(&in, "{definition:%s}", "{\"budget\": 2, " REST);
    good(b, pyckg_study_call(b, "redefine", in.data));
    app_text_free(&in);
    ask(b);
    pyckg_study *other = open_store(*state);
    ask(other);
    refused(other, pyckg_study_ask(other, &s, &number), CKG_ERR_STATE, "budget of 2");
    assert_null(s);
    pyckg_study_close(b);
    pyckg_study_close(other);
}

/* What a process had when it died is taken up by the next one, and nobody else's. */
static void test_taken_up(void **state)
{
    pyckg_study *b = define(*state);
    const ckg_measurement measured[] = {{0, 1, CKG_SD_DEFAULT}, {1, 0, CKG_SD_DEFAULT}};
    pyckg_trial t;
    int number;
    int work;
    int status;

    good(b, pyckg_study_take(b, 2, &number, &work));
    assert_int_equal(number, 1);
    const pid_t child = fork();
    if (!child) {
        pyckg_study *mine = open_store(*state);
        _exit(pyckg_study_take(mine, 2, &number, &work) || number != 2);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);

    good(b, pyckg_study_take(b, 2, &number, &work));
    assert_int_equal(number, 2);
    assert_int_equal(work, PYCKG_TAKEN);
    good(b, pyckg_study_heartbeat(b));
    good(b, pyckg_study_finish(b, 2, 2, measured, NULL, NULL, 0.5));
    refused(b, pyckg_study_finish(b, 2, 2, measured, NULL, NULL, 0.5), CKG_ERR_STATE, "not this process's");
    good(b, pyckg_study_hand_back(b, 1));
    good(b, pyckg_study_take(b, 2, &number, &work));
    assert_int_equal(number, 1);
    good(b, pyckg_study_finish(b, 1, 0, NULL, "it broke", "log", NAN));
    good(b, pyckg_study_trial(b, 1, &t));
    assert_string_equal(t.state, "failed");
    assert_string_equal(t.why, "it broke");
    good(b, pyckg_study_take(b, 2, &number, &work));
    assert_true(number == 0 && work == PYCKG_SPENT);
    assert_true(stands(b).tally[2] == 1 && stands(b).tally[3] == 1);
    pyckg_study_close(b);
}

/* Who is taken for dead, and is not, loses no answer: it stands beside the other. */
static void test_late(void **state)
{
    pyckg_study *b = define(*state);
    pyckg_study *other = open_store(*state);
    const ckg_measurement first[] = {{0, 1, CKG_SD_DEFAULT}, {1, 0, CKG_SD_DEFAULT}};
    const ckg_measurement second[] = {{0, 2, CKG_SD_DEFAULT}, {1, 0, CKG_SD_DEFAULT}};
    int number;
    int work;

    good(b, pyckg_study_take(b, 2, &number, &work));
    assert_int_equal(number, 1);
    app_run_hand_back(&b->run, number);
    good(other, pyckg_study_take(other, 2, &number, &work));
    assert_int_equal(number, 1);
    good(other, pyckg_study_finish(other, 1, 2, first, NULL, NULL, 0.5));
    assert_string_equal(pyckg_study_message(other), "");
    good(b, pyckg_study_finish(b, 1, 2, second, NULL, NULL, 0.5));
    assert_non_null(strstr(pyckg_study_message(b), "this one is in its notes"));
    assert_float_equal(b->study.record.trials[0].measured[0].value, 1, 0);
    assert_non_null(strstr(b->study.record.trials[0].notes, "not used"));
    pyckg_study_close(b);
    pyckg_study_close(other);
}

/* Takes the lock, forks, and dies with it; the child lives on. */
static void die_with_turn(const struct scene *s, int ready)
{
    pyckg_study *b = open_store(s);
    struct app_store *store = b->study.record.store;
    int taken;

    if (app_store_lock(store, b->study.record.id, &taken, &b->study.message) || !taken)
        _exit(1);
    if (!fork()) {
        pyckg_study_forked(b);
        alarm(120); /* should nobody end it */
        if (write(ready, "x", 1) != 1)
            _exit(1);
        for (;;)
            pause();
    }
    for (;;)
        pause();
}

/* A process that dies while it chooses leaves nobody waiting, though it had forked. */
static void test_turn_of_the_dead(void **state)
{
    pyckg_study *b = define(*state);
    int ready[2];
    char byte;

    assert_int_equal(pipe(ready), 0);
    const pid_t child = fork();
    if (!child) {
        setpgid(0, 0);
        die_with_turn(*state, ready[1]);
    }
    setpgid(child, child);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, NULL, 0), child);

    assert_int_equal(ask(b), 1);
    kill(-child, SIGKILL);
    close(ready[0]);
    close(ready[1]);
    pyckg_study_close(b);
}

/* A study that is kept nowhere is shown like another. */
static void test_shown(void **state)
{
    (void)state;
    pyckg_study *b;
    ckg_suggestion *s;
    int number;

    assert_int_equal(pyckg_study_define(&b, DEFINITION, NULL, 1), CKG_OK);
    for (int i = 0; i < 6; i++) {
        const double x = 0.15 * i;
        char in[256];

        snprintf(
            in, sizeof in,
            "{\"state\": \"complete\", \"origin\": \"user\", \"parameters\": {\"x\": %g, \"a \\\"<i9>\": "
            "\"%s\"}, \"values\": {\"f\": %g, \"c\": %g}}",
            x, i % 2 ? "q" : "p", x * x - i % 2, x);
        good(b, pyckg_study_call(b, "put", in));
    }
    good(b, pyckg_study_call(b, "report", NULL));
    assert_non_null(strstr(text(b), "&#60;i9&#62;"));
    assert_null(strstr(text(b), "<i9>"));
    for (int i = 0; pyckg_plot_name(i); i++) {
        char in[64];

        snprintf(in, sizeof in, "{\"kind\": \"%s\"}", pyckg_plot_name(i));
        good(b, pyckg_study_call(b, "plot", in));
        assert_non_null(strstr(text(b), "<svg"));
    }
    good(b, pyckg_study_call(b, "status", NULL));
    assert_non_null(strstr(text(b), "\"store\": null, \"budget\": null, \"evaluations\": 6"));
    good(b, pyckg_study_call(b, "frontier", "{}"));

    refused(b, pyckg_study_call(b, "plot", "{\"kind\": \"pie\"}"), CKG_ERR_NOT_FOUND, "there are sheet, ");
    refused(b, pyckg_study_call(b, "plot", "{\"kind\": \"map\", \"x\": \"x\", \"y\": \"x\"}"),
            CKG_ERR_INVALID, "two different");
    refused(b, pyckg_study_ask(b, &s, &number), CKG_ERR_STATE, "no store");
    pyckg_study_close(b);
}

static void test_wrong(void **state)
{
    const struct scene *s = *state;
    pyckg_study *b;
    pyckg_trial t;
    char path[128];
    int status;

    status = pyckg_study_open(&b, s->store, NULL, NULL, 1);
    refused(b, status, CKG_ERR_INVALID, "No such file");
    refused(b, pyckg_study_trial(b, 1, &t), CKG_ERR_STATE, "not open");
    pyckg_study_close(b);

    snprintf(path, sizeof path, "%s/other", s->folder);
    FILE *file = fopen(path, "w");
    fputs("nonsense: [", file);
    fclose(file);
    status = pyckg_study_open(&b, path, NULL, NULL, 1);
    refused(b, status, CKG_ERR_INVALID, "other:");
    pyckg_study_close(b);
    status = pyckg_study_open(&b, NULL, NULL, NULL, 1);
    refused(b, status, CKG_ERR_INVALID, "which study?");
    pyckg_study_close(b);
    status = pyckg_study_define(&b, DEFINITION, "/nowhere/at/all.db", 1);
    refused(b, status, CKG_ERR_SYSTEM, "No such file");
    pyckg_study_close(b);

    b = define(s);
    ask(b);
    refused(b, pyckg_study_call(b, "tell", "{\"trial\": 9, \"failed\": \"why\"}"), CKG_ERR_NOT_FOUND,
            "there is no trial 9");
    refused(b, pyckg_study_call(b, "tell", "{\"trial\": 1, \"values\": {\"g\": 1}}"), CKG_ERR_INVALID, "'g'");
    refused(b, pyckg_study_call(b, "mangle", NULL), CKG_ERR_NOT_FOUND, "mangle");
    refused(b, pyckg_study_call(b, "retry", "{\"trials\": [9]}"), CKG_ERR_NOT_FOUND, "there is no trial 9");
    refused(b, pyckg_study_call(b, "retry", "{\"failed\": 1}"), CKG_ERR_INVALID, "true or false");
    pyckg_study_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_in_step, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_program_reads_it, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_budget, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_taken_up, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_late, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_turn_of_the_dead, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_shown, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_wrong, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
