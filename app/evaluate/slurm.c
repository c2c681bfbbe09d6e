/*
 * Slurm, by its commands: sbatch submits arrays, squeue says how they are, scontrol what became of those that
 * have ended, scancel ends them. sacct is not used: many clusters have it disabled.
 */
#include "definition/scheduler.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "evaluate/call.h"

/* Seconds that a command may take; slurmctld may be busy, but a run must go on meanwhile. */
static const double patience = 15;

/* --- its keys in a problem file --- */

enum { MOST_CPUS = 100000, MOST_OPTIONS = 100, LONGEST_WORD = 200 };

/* `slurm: {partition: short, time: "01:00:00", concurrent: 40}` */
struct slurm {
    char *partition, *time;   /* NULL: the cluster's own */
    int cpus;                 /* of each job, 0: the cluster's own */
    struct app_words options; /* further ones of sbatch */
};

/* How many numbers with a colon between two of them the text consists of; 0: of something else. */
static int count_parts(const char *text)
{
    int parts = 0;

    while (isdigit((unsigned char)*text)) {
        while (isdigit((unsigned char)*text))
            text++;
        parts++;
        if (!*text)
            return parts;
        if (*text++ != ':')
            return 0;
    }
    return 0;
}

/* minutes, minutes:seconds, hours:minutes:seconds, days-hours, days-hours:minutes or down to seconds. */
static int is_time(const char *text)
{
    const size_t days = strspn(text, "0123456789");
    const int after_days = days && text[days] == '-';
    const int parts = count_parts(after_days ? text + days + 1 : text);

    return strlen(text) < LONGEST_WORD && parts >= 1 && parts <= 3;
}

static int read_time(struct app_reader *r, const yaml_node_t *node)
{
    if (!app_node_is_text(node) || !is_time(app_node_text(node)))
        return app_node_expect(
            r, node, "a time limit: minutes, \"hours:minutes:seconds\" or \"days-hours:minutes:seconds\"");
    struct slurm *out = r->into;
    return app_reader_keep(r, app_node_text(node), &out->time);
}

/* The option that sets what the program itself sets, NULL: none of them. */
static const char *find_own(const char *word)
{
    static const char *const own[] = {
        "--array",     "--parsable", "--output", "--error", "--input", "--job-name", "--export", "--wrap",
        "--test-only", "--wait",     "-a",       "-o",      "-e",      "-i",         "-J",       "-W"};

    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        const size_t length = strlen(own[i]);
        const int is_long = own[i][1] == '-';
        if (!strncmp(word, own[i], length) && (!is_long || !word[length] || word[length] == '='))
            return own[i];
    }
    return NULL;
}

static int check_option(struct app_reader *r, const yaml_node_t *key, const yaml_node_t *node, char **option)
{
    const char *own = find_own(*option);

    (void)key;
    if (own)
        return app_node_complain(r, node, "`ckg` sets %s itself", own);
    if ((*option)[0] != '-')
        return app_node_complain(r, node,
                                 "an option begins with a dash; write one with its value as \"--mem=2G\"");
    return CKG_OK;
}

/* A partition's name; several with commas are a choice. */
static int check_partition(struct app_reader *r, const yaml_node_t *node)
{
    return strchr(app_node_text(node), ' ') ? app_node_expect(r, node, "the name of a partition") : CKG_OK;
}

static const struct app_key slurm_keys[] = {
    {"partition", "a name", "the cluster's default", "where jobs run", .kind = APP_KEY_LINE,
     .at = offsetof(struct slurm, partition), .high = LONGEST_WORD, .what = "a partition",
     .check = check_partition},
    {"time", "minutes, `\"01:00:00\"`, `\"1-12:00:00\"`", "the partition's",
     "a job that takes longer is ended by Slurm, and its evaluation has failed", .kind = APP_KEY_LINE,
     .at = offsetof(struct slurm, time), .read = read_time},
    {"cpus", "an integer", "the cluster's default", "processors of a job", .kind = APP_KEY_WHOLE,
     .at = offsetof(struct slurm, cpus), .low = 1, .high = MOST_CPUS},
    {"options", "`[\"--mem=2G\", …]`", "none", "further options of `sbatch`, a word each",
     .kind = APP_KEY_LINES, .at = offsetof(struct slurm, options), .low = MOST_OPTIONS, .high = LONGEST_WORD,
     .always = 1, .what = "an option", .expected = "a list of at most 100 options such as [\"--mem=2G\"]",
     .each = check_option},
    APP_CONCURRENT_KEY,
};

const struct app_schema app_schema_slurm = {"`slurm`", "A Slurm cluster", "evaluate: {slurm: {…}}",
                                            APP_KEYS(slurm_keys)};

/* --- what went wrong --- */

static int says(const struct app_call *call, const char *words)
{
    return call->err.data && strstr(call->err.data, words) != NULL;
}

/* slurmctld is restarted, busy or out of reach; the network is; a limit of its own is reached for now. */
static int is_passing(const struct app_call *call)
{
    static const char *const words[] = {
        "Unable to contact", "imed out",  "temporarily", "Connection refused", "onnect failure", "Zero Bytes",
        "Protocol auth",     "try again", "in standby",  "Transport endpoint", "Munge",          "munge"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (says(call, words[i]))
            return 1;
    return 0;
}

/* The user, the account or the cluster has as many jobs as it may have. */
static int is_full(const struct app_call *call)
{
    return says(call, "ubmit limit") || says(call, "MaxSubmit") || says(call, "QOS policy") ||
           says(call, "maximum number of jobs") || says(call, "MaxJobCount");
}

/* The first line that it wrote on standard error, which says why. */
static int complain(const struct app_call *call, const char *program, struct app_message *message)
{
    const char *text = call->err.data ? call->err.data : "";
    const int length = (int)strcspn(text, "\n");
    const int status = is_passing(call) ? CKG_ERR_STATE : is_full(call) ? CKG_ERR_EXHAUSTED : CKG_ERR_INVALID;
    const int named = !strncmp(text, program, strlen(program));

    return app_fail(message, status, "%s%s%.*s", named ? "" : program, named ? "" : ": ",
                    length ? length : 22, length ? text : "it failed without a word");
}

/* --- submitting --- */

enum { OWN_WORDS = 16 };

/* sbatch with its options. */
static char **make_words(struct app_pool *pool, const struct app_batch *b)
{
    const struct slurm *c = b->options;
    char **words = app_pool_new(pool, OWN_WORDS + (size_t)c->options.count, sizeof *words);
    int count = 0;

    if (!words)
        return NULL;

    /* A preempted job, and one of a node that failed, are to be queued again: Slurm does so by itself. */
    words[count++] = "sbatch";
    words[count++] = "--parsable";
    words[count++] = app_pool_print(pool, "--array=0-%d", b->count - 1);
    words[count++] = app_pool_print(pool, "--job-name=%s", b->name);
    words[count++] = app_pool_print(pool, "--comment=%s", b->comment);
    words[count++] = app_pool_print(pool, "--output=%s%%a.log", b->log);
    words[count++] = "--export=ALL,CKG_WORKER=";
    words[count++] = "--requeue";
    words[count++] = "--open-mode=append";
    if (c->partition)
        words[count++] = app_pool_print(pool, "--partition=%s", c->partition);
    if (c->time)
        words[count++] = app_pool_print(pool, "--time=%s", c->time);
    if (c->cpus)
        words[count++] = app_pool_print(pool, "--cpus-per-task=%d", c->cpus);
    for (int i = 0; i < count; i++)
        if (!words[i])
            return NULL;

    /* Options of the problem file come last, and win. */
    for (int i = 0; i < c->options.count; i++)
        words[count++] = c->options.word[i];
    return words;
}

/* The number at the start of a line; a cluster's name may follow. */
static int read_number(const struct app_text *text, char base[APP_JOB_ID])
{
    const char *digits = text->data ? text->data : "";
    const size_t length = strspn(digits, "0123456789");

    base[0] = 0;
    if (length && length < APP_JOB_ID)
        snprintf(base, APP_JOB_ID, "%.*s", (int)length, digits);
    return base[0] != 0;
}

static int submit(const struct app_batch *batch, char base[APP_JOB_ID], struct app_message *message)
{
    struct app_pool pool = {0};
    struct app_call call = {0};
    char **words = make_words(&pool, batch);
    int status = words ? app_call(&call, words, batch->environment, batch->script, patience, message)
                       : app_no_memory(message);

    if (!status && !app_call_worked(&call))
        status = complain(&call, "sbatch", message);
    else if (!status && !read_number(&call.out, base))
        status = app_fail(message, CKG_ERR_INVALID, "sbatch did not say the number of the job");

    app_call_free(&call);
    app_pool_free(&pool);
    return status;
}

static int find(const char *name, char base[APP_JOB_ID], struct app_message *message)
{
    char option[APP_JOB_NAME + 16];
    struct app_call call;

    base[0] = 0;
    snprintf(option, sizeof option, "--name=%s", name);
    char *const words[] = {"squeue", "-h", "-t", "all", "-o", "%F", option, NULL};
    int status = app_call(&call, words, NULL, NULL, patience, message);
    if (!status && !app_call_worked(&call))
        status = complain(&call, "squeue", message);
    if (!status)
        read_number(&call.out, base);
    app_call_free(&call);
    return status;
}

static void task(const char *base, int index, char id[APP_JOB_ID])
{
    snprintf(id, APP_JOB_ID, "%.50s_%d", base, index);
}

/* --- looking --- */

/* Words of Slurm's states for jobs that are over; all others are of jobs that wait, run or will again. */
static enum app_job_phase phase_of(const char *state)
{
    static const struct {
        const char *state;
        enum app_job_phase phase;
    } ends[] = {
        {"COMPLETED", APP_JOB_ENDED},    {"FAILED", APP_JOB_ENDED},      {"TIMEOUT", APP_JOB_LIMITED},
        {"DEADLINE", APP_JOB_LIMITED},   {"OUT_OF_ME", APP_JOB_LIMITED}, {"CANCELLED", APP_JOB_CANCELLED},
        {"NODE_FAIL", APP_JOB_LOST},     {"BOOT_FAIL", APP_JOB_LOST},    {"PREEMPTED", APP_JOB_LOST},
        {"LAUNCH_FAILED", APP_JOB_LOST}, {"REVOKED", APP_JOB_LOST},      {"RECONFIG_FAIL", APP_JOB_LOST},
    };

    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (!strncmp(state, ends[i].state, strlen(ends[i].state)))
            return ends[i].phase;
    return APP_JOB_ALIVE;
}

/* A held job waits for somebody to release it. */
static int is_held(const char *reason)
{
    return strstr(reason, "Held") || strstr(reason, "_held") || strstr(reason, "HoldMaxRequeue");
}

/* "12_3|RUNNING|None", which it changes, into the view of that job, if it is one of them. */
static void read_line(char *line, int count, struct app_job_view *views)
{
    char *state = strchr(line, '|');
    char *reason = state ? strchr(state + 1, '|') : NULL;

    if (!reason)
        return;
    *state++ = 0;
    *reason++ = 0;
    for (int i = 0; i < count; i++) {
        struct app_job_view *v = &views[i];
        if (strcmp(v->id, line) != 0)
            continue;
        v->phase = phase_of(state);
        if (v->phase == APP_JOB_ALIVE)
            snprintf(v->what, sizeof v->what, "%s", is_held(reason) ? reason : "");
        else
            snprintf(v->what, sizeof v->what, "%s", state);
    }
}

/* The value of "key=value" in a line of scontrol's, up to the next space. */
static void read_field(const char *line, const char *key, char *out, size_t size)
{
    const char *at = strstr(line, key);

    out[0] = 0;
    if (at)
        snprintf(out, size, "%.*s", (int)strcspn(at + strlen(key), " \n"), at + strlen(key));
}

/* How a job has ended: its exit status, and which limit. One that is gone by now stays as it is. */
static int look_closer(struct app_job_view *v, struct app_message *message)
{
    struct app_call call;
    char code[32];
    char limit[64];
    int number = 0;
    int signal = 0;

    char *const words[] = {"scontrol", "show", "job", "-o", (char *)v->id, NULL};
    const int status = app_call(&call, words, NULL, NULL, patience, message);
    const char *line = !status && app_call_worked(&call) ? call.out.data : NULL;
    if (line) {
        read_field(line, " ExitCode=", code, sizeof code);
        read_field(line, " TimeLimit=", limit, sizeof limit);
        if (sscanf(code, "%d:%d", &number, &signal) == 2)
            v->code = signal ? 128 + signal : number;
        if (!strncmp(v->what, "TIMEOUT", 7))
            snprintf(v->what, sizeof v->what, "over its time limit of %s", limit);
    }
    if (!strncmp(v->what, "TIMEOUT", 7))
        snprintf(v->what, sizeof v->what, "over its time limit");
    else if (!strncmp(v->what, "OUT_OF_ME", 9))
        snprintf(v->what, sizeof v->what, "over its limit of memory");
    app_call_free(&call);
    return status;
}

/* "1_0,1_1": the option of squeue's. */
static char *list_ids(int count, const struct app_job_view *views)
{
    struct app_text list = {0};

    for (int i = 0; i < count; i++)
        app_text_print(&list, "%s%s", i ? "," : "", views[i].id);
    if (list.failed)
        app_text_free(&list);
    return list.data;
}

static int poll(int count, struct app_job_view *views, struct app_message *message)
{
    struct app_call call = {0};
    char *ids = list_ids(count, views);
    int status = ids ? CKG_OK : app_no_memory(message);

    /* One question for all of them. */
    char *const words[] = {"squeue", "-h", "-r", "-t", "all", "-o", "%i|%T|%r", "-j", ids, NULL};
    if (!status)
        status = app_call(&call, words, NULL, NULL, patience, message);
    if (!status && !app_call_worked(&call) && !says(&call, "Invalid job id"))
        status = complain(&call, "squeue", message) == CKG_ERR_NOMEM ? CKG_ERR_NOMEM : CKG_ERR_STATE;

    /* Those that it does not list are forgotten. */
    for (int i = 0; !status && i < count; i++) {
        views[i].phase = APP_JOB_FORGOTTEN;
        views[i].what[0] = 0;
    }
    for (char *line = status ? NULL : call.out.data, *next; line && *line; line = next) {
        next = line + strcspn(line, "\n");
        next += *next ? 1 : 0;
        if (next > line && next[-1] == '\n')
            next[-1] = 0;
        read_line(line, count, views);
    }

    /* And one for each that has ended. */
    for (int i = 0; !status && i < count; i++)
        if (views[i].phase == APP_JOB_ENDED || views[i].phase == APP_JOB_LIMITED)
            status = look_closer(&views[i], message);
    app_call_free(&call);
    free(ids);
    return status;
}

static int cancel(int count, const char *const *ids, struct app_message *message)
{
    char **words = calloc((size_t)count + 3, sizeof *words);
    struct app_call call = {0};

    if (!words)
        return app_no_memory(message);
    words[0] = "scancel";
    words[1] = "--quiet";
    for (int i = 0; i < count; i++)
        words[i + 2] = (char *)ids[i];

    int status = app_call(&call, words, NULL, NULL, patience, message);
    if (!status && !app_call_worked(&call) && is_passing(&call))
        status = complain(&call, "scancel", message);
    app_call_free(&call);
    free(words);
    return status;
}

const struct app_scheduler app_scheduler_slurm = {
    .name = "slurm",
    .index = "SLURM_ARRAY_TASK_ID",
    .program = "sbatch",
    .keys = &app_schema_slurm,
    .options_size = sizeof(struct slurm),
    .submit = submit,
    .find = find,
    .task = task,
    .poll = poll,
    .cancel = cancel,
};
