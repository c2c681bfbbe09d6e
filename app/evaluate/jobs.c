/* The life of jobs: queued here, submitted together, looked at, read, cancelled. */
#include "evaluate/jobs.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "evaluate/command_line.h"
#include "evaluate/job_files.h"
#include "evaluate/workspace.h"

/*
 * Seconds: between looks at the files of a job; between questions to the scheduler, where much changes and
 * where little does; until it is asked again after it did not answer; for files to appear that another
 * machine has written; for the scheduler to change its mind about a job that it has lost; for a job to end
 * that was cancelled.
 */
static const double glance = 0.25;
static const double soonest = 1;
static const double latest = 30;
static const double first_retry = 2;
static const double longest_retry = 60;
static const double lag = 20;
static const double settle = 2;
static const double cancel_patience = 30;

/* So often a job may be lost, or cancelled by somebody, before its trial has failed. */
enum { MOST_LOST = 5, MOST_CANCELLED = 2 };

/* So many are submitted or cancelled by one call. */
enum { MOST_AT_ONCE = 1000 };

struct app_job {
    struct app_jobs *jobs;
    struct app_child *child;
    struct app_job *next;
    int trial;
    char made[PATH_MAX]; /* the folder of its files */
    struct app_ticket ticket;
    char id[APP_JOB_ID]; /* "": it waits here to be submitted */
    enum app_job_phase phase;
    int code;
    char what[128];
    double ended; /* when we first heard that it is not alive, NAN: it is */
    int held;     /* it was said that it is held */
    int lost, cancelled;
    int doubtful;       /* it may have been submitted under its ticket's name: that is to be found out */
    double cancel_sent; /* NAN: not cancelled by us */
};

struct app_jobs {
    const struct app_scheduler *scheduler;
    const struct app_definition *definition;
    const char *worker;
    char *folder; /* of all jobs' files */
    struct app_job *first;
    int most;                 /* so many are submitted at once */
    double submit_at, ask_at; /* not before that */
    double changed;           /* when something last changed */
    double retry;             /* how long to wait after another failure */
    int silent;               /* the scheduler does not answer */
    struct app_message news;
    int has_news;
};

/* --- what people hear --- */

static void tell(struct app_jobs *s, const char *format, const char *first, const char *second)
{
    struct app_text line = {0};

    app_text_print(&line, format, first, second);
    if (!line.failed)
        app_fail(&s->news, 0, "%s", line.data);
    s->has_news = !line.failed;
    app_text_free(&line);
}

int app_jobs_news(struct app_jobs *s, struct app_message *line)
{
    const int has = s->has_news;

    *line = s->news;
    s->has_news = 0;
    return has;
}

/* The scheduler does not answer: once that is said, and it is asked again later. */
static void wait_longer(struct app_jobs *s, double now, const char *why)
{
    if (!s->silent)
        tell(s, "%s; waiting for it%s", why, "");
    s->silent = 1;
    s->retry = fmin(fmax(2 * s->retry, first_retry), longest_retry);
    s->submit_at = now + s->retry;
    s->ask_at = now + s->retry;
}

static void hear(struct app_jobs *s)
{
    if (s->silent)
        tell(s, "`%s` answers again%s", s->scheduler->name, "");
    s->silent = 0;
    s->retry = 0;
}

/* --- submitting --- */

static int is_queued(const struct app_job *job)
{
    return !job->id[0] && !job->doubtful && !job->child->refused && !job->child->killed;
}

/* The log that the scheduler writes about a task; 0: there is none. */
static int find_log(const struct app_jobs *s, const struct app_ticket *ticket, char path[PATH_MAX])
{
    char name[APP_JOB_NAME + 32];

    snprintf(name, sizeof name, "%s-%d.log", ticket->name, ticket->index);
    return ticket->name[0] && app_path_from(s->folder, name, path);
}

static void drop_log(const struct app_jobs *s, const struct app_ticket *ticket)
{
    char log[PATH_MAX];

    if (find_log(s, ticket, log))
        unlink(log);
}

/* Back to those that wait here. */
static void queue_again(struct app_job *job, double now)
{
    struct app_jobs *s = job->jobs;

    drop_log(s, &job->ticket);
    job->id[0] = 0;
    job->ticket = (struct app_ticket){0};
    job->phase = APP_JOB_ALIVE;
    job->ended = NAN;
    app_job_clear(job->made);
    s->submit_at = fmax(s->submit_at, now + soonest);
}

/* It is known to the scheduler as a task of this batch. */
static void admit(struct app_job *job, double now)
{
    job->jobs->scheduler->task(job->ticket.base, job->ticket.index, job->id);
    job->phase = APP_JOB_ALIVE;
    job->ended = NAN;
    job->jobs->changed = now;
    job->jobs->ask_at = fmin(job->jobs->ask_at, now + soonest);
}

/* A name that nobody else's job has: of the study as far as plain letters go, and chance. */
static void make_name(const struct app_jobs *s, char name[APP_JOB_NAME])
{
    enum { SHOWN = 24 };
    char shown[SHOWN + 1];
    uint64_t chance = 0;
    int length = 0;

    for (const char *c = s->definition->name; *c && length < SHOWN; c++)
        shown[length++] = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9')
                              ? *c
                              : '-';
    shown[length] = 0;
    if (getrandom(&chance, sizeof chance, 0) != sizeof chance)
        chance = (uint64_t)(1e9 * app_clock()) ^ ((uint64_t)getpid() << 40);
    snprintf(name, APP_JOB_NAME, "ckg-%s-%016llx", shown, (unsigned long long)chance);
}

/* The script of an array: each task finds its trial by its number. */
static void write_script(struct app_jobs *s, int count, struct app_job *const *batch, struct app_text *out)
{
    const char *shell = app_job_shell(s->definition);

    app_text_print(out, "#!%s\ncase $%s in\n", shell, s->scheduler->index);
    for (int i = 0; i < count; i++)
        app_text_print(out, "%d) trial=%d ;;\n", i, batch[i]->trial);
    app_text_print(out, "esac\nexec %s ", shell);
    app_word_quote(out, s->folder);
    app_text_print(out, "/\"$trial\"/run\n");
}

/* Calls the scheduler. */
static int call_submit(struct app_jobs *s, int count, struct app_job *const *batch, char base[APP_JOB_ID],
                       struct app_message *message)
{
    struct app_text script = {0};
    struct app_pool pool = {0};

    write_script(s, count, batch, &script);
    const struct app_batch tasks = {
        .options = s->definition->evaluate.cluster.options,
        .name = batch[0]->ticket.name,
        .comment = app_pool_print(&pool, "ckg: study %s, trials %d to %d", s->definition->name,
                                  batch[0]->trial, batch[count - 1]->trial),
        .script = script.data,
        .log = app_pool_print(&pool, "%s/%s-", s->folder, batch[0]->ticket.name),
        .count = count,
        .environment = app_environment_make(&pool, s->definition, batch[0]->trial, s->worker, NULL)};
    const int status = tasks.comment && tasks.log && !script.failed && tasks.environment
                           ? s->scheduler->submit(&tasks, base, message)
                           : app_no_memory(message);

    app_pool_free(&pool);
    app_text_free(&script);
    return status;
}

/* 1 for a job of that batch of which the scheduler's own name is not known. */
static int is_unnamed(const struct app_job *job, const char *name)
{
    return !job->id[0] && !strcmp(job->ticket.name, name);
}

/* The scheduler has all jobs of that batch; their tickets say so. */
static void admit_all(struct app_jobs *s, const char *name, const char *base, double now)
{
    struct app_message unheard; /* without it they are found by their name */

    for (struct app_job *job = s->first; job; job = job->next) {
        if (!is_unnamed(job, name))
            continue;
        snprintf(job->ticket.base, sizeof job->ticket.base, "%s", base);
        app_ticket_write(job->made, &job->ticket, &unheard);
        job->doubtful = 0;
        admit(job, now);
    }
    hear(s);
}

/* Nothing came of the batch: its jobs wait here, or are refused for that reason. */
static void dissolve(struct app_jobs *s, const char *name, const char *why)
{
    for (struct app_job *job = s->first; job; job = job->next) {
        if (!is_unnamed(job, name))
            continue;
        job->ticket = (struct app_ticket){0};
        job->doubtful = 0;
        job->child->refused = why != NULL;
        if (why)
            snprintf(job->child->fault, sizeof job->child->fault, "%.250s", why);
    }
}

/* Was the job submitted, by a call that did not say so? 0: it is still not known. */
static int resolve_submission(struct app_job *job, double now)
{
    struct app_jobs *s = job->jobs;
    struct app_message why;
    char name[APP_JOB_NAME];
    char base[APP_JOB_ID];

    snprintf(name, sizeof name, "%s", job->ticket.name);
    if (s->scheduler->find(name, base, &why)) {
        wait_longer(s, now, why.text);
        return 0;
    }
    if (base[0])
        admit_all(s, name, base, now);
    else
        dissolve(s, name, NULL);
    return 1;
}

/* What came of a call for a batch of that name. */
static void judge_submission(struct app_jobs *s, int status, const char *name, const char *base,
                             const char *why, double now)
{
    int count = 0;

    for (struct app_job *job = s->first; job; job = job->next) {
        count += is_unnamed(job, name);
        job->doubtful |= status == CKG_ERR_STATE && is_unnamed(job, name);
    }
    if (!status) {
        s->most = 2 * count > s->most ? 2 * count : s->most;
        s->most = s->most < MOST_AT_ONCE ? s->most : MOST_AT_ONCE;
        admit_all(s, name, base, now);
    } else if (status == CKG_ERR_STATE)
        wait_longer(s, now, why);
    else if (status == CKG_ERR_EXHAUSTED) { /* fewer, or later */
        dissolve(s, name, NULL);
        s->most = count > 1 ? count / 2 : 1;
        if (count == 1)
            wait_longer(s, now, why);
    } else
        dissolve(s, name, why);
}

/* Submits those that wait here, as one array. */
static void submit_queued(struct app_jobs *s, double now)
{
    struct app_job *batch[MOST_AT_ONCE];
    struct app_message why = {""};
    char name[APP_JOB_NAME];
    char base[APP_JOB_ID] = "";
    int count = 0;
    int status = CKG_OK;

    /* Who they are. */
    for (struct app_job *job = s->first; job; job = job->next)
        if (job->doubtful && !resolve_submission(job, now))
            return;
    for (struct app_job *job = s->first; job && count < s->most; job = job->next)
        if (is_queued(job))
            batch[count++] = job;
    if (!count)
        return;

    /* Under which name, on the disk before it is done. */
    make_name(s, name);
    for (int i = 0; !status && i < count; i++) {
        batch[i]->ticket.index = i;
        snprintf(batch[i]->ticket.name, sizeof batch[i]->ticket.name, "%s", name);
        status = app_ticket_write(batch[i]->made, &batch[i]->ticket, &why);
    }
    if (!status)
        status = call_submit(s, count, batch, base, &why);
    judge_submission(s, status, name, base, why.text, now);
}

/* --- looking --- */

/* What the scheduler says of one of them. */
static void learn(struct app_job *job, const struct app_job_view *view, double now)
{
    struct app_jobs *s = job->jobs;
    char trial[16];

    if (job->phase != view->phase)
        s->changed = now;
    job->phase = view->phase;
    job->code = view->code;
    snprintf(job->what, sizeof job->what, "%s", view->what);
    if (view->phase == APP_JOB_ALIVE)
        job->ended = NAN;
    else if (isnan(job->ended))
        job->ended = now;

    /* One that will wait for ever, unless somebody does something. */
    if (view->phase == APP_JOB_ALIVE && view->what[0] && !job->held) {
        snprintf(trial, sizeof trial, "%d", job->trial);
        tell(s, "the job of trial %s is held (%s); release it, or cancel it", trial, view->what);
        job->held = 1;
    }
}

/* One question for all jobs. */
static void ask_about_all(struct app_jobs *s, double now)
{
    struct app_message why;
    int count = 0;

    for (struct app_job *job = s->first; job; job = job->next)
        count += job->id[0] != 0;
    struct app_job_view *views = count ? calloc((size_t)count, sizeof *views) : NULL;
    count = 0;
    for (struct app_job *job = s->first; views && job; job = job->next)
        if (job->id[0])
            views[count++].id = job->id;

    /* Answered or not, the next one comes later, and later still where nothing changes. */
    const int status = views ? s->scheduler->poll(count, views, &why) : CKG_OK;
    s->ask_at = now + fmin(fmax(0.1 * (now - s->changed), soonest), latest);
    if (status)
        wait_longer(s, now, why.text);
    else if (views)
        hear(s);
    count = 0;
    for (struct app_job *job = s->first; views && !status && job; job = job->next)
        if (job->id[0])
            learn(job, &views[count++], now);
    free(views);
}

static double watch_job(struct app_child *p, double now)
{
    struct app_jobs *s = p->job->jobs;

    if (now >= s->submit_at)
        submit_queued(s, now);
    if (now >= s->ask_at)
        ask_about_all(s, now);
    return now + glance;
}

static int poll_job(const struct app_child *p, struct pollfd *fds)
{
    (void)p;
    (void)fds;

    return 0; /* there is nothing to wait for but the clock */
}

static void serve_job(struct app_child *p)
{
    (void)p;
}

/* --- cancelling --- */

/* All that are to be cancelled, by one call. */
static void cancel_killed(struct app_jobs *s, double now)
{
    const char *ids[MOST_AT_ONCE];
    struct app_message why;
    int count = 0;

    for (struct app_job *job = s->first; job && count < MOST_AT_ONCE; job = job->next) {
        if (!job->child->killed || !job->id[0] || !isnan(job->cancel_sent))
            continue;
        ids[count++] = job->id;
        job->cancel_sent = now;
    }
    if (count && s->scheduler->cancel(count, ids, &why))
        tell(s, "%s; jobs may still run, and the next run finds them%s", why.text, "");
    s->changed = now;
    s->ask_at = fmin(s->ask_at, now + glance);
}

/* One that has ended by itself is not cut off any more. */
static void kill_job(struct app_child *p)
{
    double seconds;
    int code;

    p->killed = !app_job_ended(p->job->made, &code, &seconds);
}

/* 1 when a job that was cancelled is gone, or will not go. */
static int is_cancelled(struct app_job *job, double now)
{
    struct app_child *p = job->child;

    if (!job->id[0]) {
        p->unkept = job->ticket.name[0] != 0; /* it may have been submitted: its ticket stays */
        return 1;
    }
    if (isnan(job->cancel_sent))
        cancel_killed(job->jobs, now);
    if (job->phase == APP_JOB_ALIVE && now >= job->jobs->ask_at)
        ask_about_all(job->jobs, now);
    if (job->phase != APP_JOB_ALIVE)
        return 1;
    p->unkept = now - job->cancel_sent > cancel_patience; /* the next run finds it by its ticket */
    return p->unkept;
}

/* --- the end --- */

/* What it wrote, and how long it took where that is known. */
static void collect(struct app_job *job, double seconds)
{
    struct app_child *p = job->child;
    char log[PATH_MAX];

    app_job_collect(job->made, find_log(job->jobs, &job->ticket, log) ? log : NULL, p);
    app_answer_end(&p->answer);
    p->ended = app_clock();
    if (!isnan(seconds))
        p->started = p->ended - seconds;
}

/* As waitpid would say it. */
static int as_status(int code)
{
    return code > 128 && code < 128 + 65 ? code - 128 : (code & 0xff) << 8;
}

static int fail(struct app_job *job, const char *format, const char *what)
{
    collect(job, NAN);
    snprintf(job->child->fault, sizeof job->child->fault, format, what);
    return 1;
}

/* The cluster ended it, and not the design: it goes back into the queue, unless that goes on for ever. */
static int judge_lost(struct app_job *job, double now)
{
    if (job->phase == APP_JOB_CANCELLED && ++job->cancelled >= MOST_CANCELLED)
        return fail(job, "its job was cancelled by somebody, twice%s", "");
    if (job->phase != APP_JOB_CANCELLED && ++job->lost > MOST_LOST)
        return fail(job, "its job was lost again and again (%s)", job->what[0] ? job->what : "unknown");
    queue_again(job, now);
    return 0;
}

/*
 * Its script has ended, and the command not by itself, which the files would say. A signal that nobody sent
 * to the script is the command's own; an exit status is the script's, that could not begin, or Slurm's own
 * for one that could not be started.
 */
static int judge_ended(struct app_job *job, double now)
{
    if (job->code > 128) {
        collect(job, NAN);
        job->child->status = as_status(job->code);
        return 1;
    }
    if (now - job->ended < lag)
        return 0;
    if (job->code)
        return judge_lost(job, now);
    return fail(job, "its job has ended, but what it wrote is not in %.150s; do all nodes share that folder?",
                job->made);
}

static int judge(struct app_job *job, double now)
{
    switch (job->phase) {
    case APP_JOB_ALIVE:
        return 0;
    case APP_JOB_ENDED:
        return judge_ended(job, now);
    case APP_JOB_LIMITED:
        return fail(job, "its job was ended: %s", job->what);
    default:
        return now - job->ended < settle ? 0 : judge_lost(job, now);
    }
}

static int reap_job(struct app_child *p)
{
    struct app_job *job = p->job;
    const double now = app_clock();
    double seconds;
    int code;

    if (p->refused)
        return 0; /* the caller looks for that */
    if (p->killed)
        return is_cancelled(job, now);

    /* Its files say so first; what else may have become of it is the scheduler's to say. */
    if (job->id[0] && app_job_ended(job->made, &code, &seconds)) {
        collect(job, seconds);
        p->status = as_status(code);
        return 1;
    }
    return job->id[0] ? judge(job, now) : 0;
}

/* --- beginning --- */

/* The job of an earlier run for the same design goes on as ours; 0: there is none. */
static int adopt(struct app_job *job)
{
    double seconds;
    int code;

    if (!app_ticket_read(job->made, &job->ticket))
        return 0;
    if (job->ticket.base[0])
        admit(job, app_clock());
    else if (app_job_ended(job->made, &code, &seconds))
        snprintf(job->id, sizeof job->id, "0"); /* whatever it was called */
    else
        job->doubtful = 1;
    return 1;
}

/* Ends the job of that ticket, wherever it is. */
static void end_job(const struct app_jobs *s, struct app_ticket *ticket)
{
    struct app_message unheard;
    char id[APP_JOB_ID];

    if ((ticket->base[0] || !s->scheduler->find(ticket->name, ticket->base, &unheard)) && ticket->base[0]) {
        s->scheduler->task(ticket->base, ticket->index, id);
        s->scheduler->cancel(1, (const char *const[]){id}, &unheard);
    }
}

/* What is left of a job that nobody waits for goes, the ticket after the log; one that may run is ended. */
static void disown(const struct app_jobs *s, const char *made, int may_run)
{
    struct app_ticket old;

    if (app_ticket_read(made, &old)) {
        if (may_run)
            end_job(s, &old);
        drop_log(s, &old);
    }
    app_job_remove(made);
}

void app_jobs_tidy(struct app_jobs *s, int (*has_ended)(const void *context, int trial), const void *context)
{
    DIR *folder = opendir(s->folder);
    struct dirent *entry;
    char made[PATH_MAX];
    double seconds;
    int code;

    while (folder && (entry = readdir(folder))) {
        const size_t digits = strspn(entry->d_name, "0123456789");
        const int trial = digits && digits < 10 && !entry->d_name[digits] ? atoi(entry->d_name) : 0;
        if (trial && has_ended(context, trial) && app_job_folder(s->folder, trial, made))
            disown(s, made, !app_job_ended(made, &code, &seconds));
    }
    if (folder)
        closedir(folder);
}

/* Submits what waits here, if some of it has done so for a while. */
static void submit_old(struct app_jobs *s, double now)
{
    for (const struct app_job *job = s->first; job; job = job->next)
        if (is_queued(job) && now - job->child->started > soonest && now >= s->submit_at) {
            submit_queued(s, now);
            return;
        }
}

static int start_job(struct app_child *p, const struct app_launcher *by, const struct app_order *order,
                     struct app_message *message)
{
    struct app_jobs *s = by->jobs;
    struct app_job *job = calloc(1, sizeof *job);
    struct app_job **last = &s->first;

    /* One more of them, behind the others. */
    if (!job)
        return app_no_memory(message);
    *job = (struct app_job){.jobs = s, .child = p, .trial = order->trial, .ended = NAN, .cancel_sent = NAN};
    while (*last)
        last = &(*last)->next;
    *last = job;
    p->job = job;
    p->started = app_clock();
    if (!app_job_folder(s->folder, order->trial, job->made))
        return app_fail(message, CKG_ERR_SYSTEM, "%s: %s", s->folder, strerror(ENAMETOOLONG));

    /* The job that an earlier run has left, or files for a new one. */
    if (order->again && app_job_is(job->made, p->place, order) && adopt(job))
        return CKG_OK;
    disown(s, job->made, 1);
    if (mkdir(job->made, 0777) && errno != EEXIST)
        return app_fail(message, CKG_ERR_SYSTEM, "%s: %s", job->made, strerror(errno));
    int status = app_workspace_open(order->definition, order->folder, p->place, order->x, message);
    if (!status)
        status = app_job_write(job->made, p->place, order, message);

    /* Choosing designs for many places takes long: those before it need not wait for that. */
    if (!status)
        submit_old(s, p->started);
    return status;
}

static void free_job(struct app_child *p)
{
    struct app_job *job = p->job;

    if (!job)
        return;
    for (struct app_job **at = &job->jobs->first; *at; at = &(*at)->next)
        if (*at == job) {
            *at = job->next;
            break;
        }
    if (!p->unkept && job->made[0]) {
        drop_log(job->jobs, &job->ticket);
        app_job_remove(job->made);
    }
    free(job);
}

const struct app_way app_job_way = {
    .start = start_job,
    .poll = poll_job,
    .serve = serve_job,
    .watch = watch_job,
    .kill = kill_job,
    .reap = reap_job,
    .free = free_job,
};

int app_jobs_begin(struct app_jobs **out, const struct app_definition *d, const char *folder,
                   const char *worker, struct app_message *message)
{
    const struct app_scheduler *scheduler = d->evaluate.cluster.scheduler;
    struct app_jobs *s = calloc(1, sizeof *s);
    int status = CKG_OK;

    assert(scheduler);
    *out = NULL;
    if (!s)
        return app_no_memory(message);
    *s = (struct app_jobs){.scheduler = scheduler,
                           .definition = d,
                           .worker = worker,
                           .folder = app_jobs_folder(folder, d->name),
                           .most = MOST_AT_ONCE,
                           .changed = app_clock()};
    if (!s->folder)
        status = app_no_memory(message);
    else if (mkdir(s->folder, 0777) && errno != EEXIST)
        status = app_fail(message, CKG_ERR_SYSTEM, "%s: %s", s->folder, strerror(errno));

    if (status) {
        free(s->folder);
        free(s);
        return status;
    }
    *out = s;
    return CKG_OK;
}

void app_jobs_end(struct app_jobs *s)
{
    if (!s)
        return;
    assert(!s->first);
    rmdir(s->folder); /* unless somebody's files are there */
    free(s->folder);
    free(s);
}
