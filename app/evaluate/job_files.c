/* Files written whole, read back, taken away. */
#include "evaluate/job_files.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "evaluate/command_line.h"

static const char design_file[] = "design.json";
static const char script_file[] = "run";
static const char ticket_file[] = "ticket";
static const char begun_file[] = "begun";
static const char output_file[] = "output";
static const char errors_file[] = "errors";
static const char status_file[] = "status";

/* --- names --- */

char *app_jobs_folder(const char *folder, const char *study)
{
    char *real = realpath(folder, NULL);
    struct app_text name = {0};

    app_text_print(&name, "%s/", real ? real : folder);
    app_text_add_plain(&name, study);
    app_text_print(&name, ".jobs");
    free(real);
    if (name.failed)
        app_text_free(&name);
    return name.data;
}

int app_job_folder(const char *jobs, int trial, char made[PATH_MAX])
{
    char name[16];

    snprintf(name, sizeof name, "%d", trial);
    return app_path_from(jobs, name, made);
}

/* --- the design and the script --- */

/* The file of the job says this already. */
static int is_same(const char *made, const char *file, const struct app_text *text)
{
    struct app_message unused;
    char path[PATH_MAX];
    char *there = NULL;
    size_t length = 0;
    const int same = app_path_from(made, file, path) && !app_read_file(path, &there, &length, &unused) &&
                     length == text->length && !memcmp(there, text->data, length);

    free(there);
    return same;
}

/* The file of the job is to say this, which is freed. */
static int write_file(const char *made, const char *file, struct app_text *text, struct app_message *message)
{
    char path[PATH_MAX];

    if (app_path_from(made, file, path))
        return app_write_text(path, text, message);
    app_text_free(text);
    return app_fail(message, CKG_ERR_SYSTEM, "%s/%s: %s", made, file, strerror(ENAMETOOLONG));
}

const char *app_job_shell(const struct app_definition *d)
{
    return d->evaluate.before.count ? "/bin/bash" : "/bin/sh";
}

/* What to measure, where outcomes have costs. */
static void write_measure(struct app_text *out, const struct app_order *order)
{
    struct app_text names = {0};

    if (ckg_problem_separate(order->definition->problem) != 1)
        return;
    app_wants_words(order->definition, order->wants, &names);
    app_text_print(out, "export CKG_MEASURE=");
    app_word_quote(out, names.data ? names.data : "");
    app_text_print(out, "\n");
    out->failed |= names.failed;
    app_text_free(&names);
}

/*
 * The script of the job. What ends it from outside is the scheduler's to judge: the exit status is written
 * only where the command has ended by itself. Who asks a job to end, because of a limit or for somebody's
 * more urgent job, sends SIGTERM first, to the script too.
 */
static void write_script(struct app_text *out, const char *made, const struct app_order *order,
                         const char *place, char **words)
{
    const struct app_definition *d = order->definition;
    const struct app_evaluate *e = &d->evaluate;

    /* Nobody has ended it yet; it begins in its folder. */
    app_text_print(out, "#!%s\nhere=", app_job_shell(d));
    app_word_quote(out, made);
    app_text_print(out, "\nrm -f \"$here/%s\"\n", status_file);
    app_text_print(out, "ended=\ntrap 'ended=1' TERM\n: >\"$here/%s\" || exit 1\ncd ", begun_file);
    app_word_quote(out, place);
    app_text_print(out, " || exit 1\n\n");

    /* What it finds there, and the command. */
    app_text_print(out, "CKG_STUDY=");
    app_word_quote(out, d->name);
    app_text_print(out, "\nCKG_TRIAL=%d\nexport CKG_STUDY CKG_TRIAL\nunset CKG_WORKER\n", order->trial);
    write_measure(out, order);
    for (int i = 0; i < e->environment.count; i++) {
        app_text_print(out, "export %s=", e->environment.pair[i].name);
        app_word_quote(out, e->environment.pair[i].value);
        app_text_print(out, "\n");
    }
    if (e->before.count) {
        app_before_write(d, out);
        app_text_print(out, "before 2>\"$here/%s\" &&\n", errors_file);
    }
    for (int i = 0; words[i]; i++) {
        app_text_add(out, i ? " " : "", i ? 1 : 0);
        app_word_quote(out, words[i]);
    }
    app_text_print(out, " <\"$here/%s\" >\"$here/%s\" 2>\"$here/%s\"\n\n", design_file, output_file,
                   errors_file);

    /* How it ended, unless it was ended. */
    app_text_print(out,
                   "status=$?\n"
                   "if [ -z \"$ended\" ] && [ \"$status\" -le 128 ]; then\n"
                   "    echo \"$status\" >\"$here/%s.part\" && mv \"$here/%s.part\" \"$here/%s\"\n"
                   "fi\nexit \"$status\"\n",
                   status_file, status_file, status_file);
}

/* The design and the script, which the caller frees; 0: no memory. */
static int make_files(const char *made, const char *place, const struct app_order *order,
                      struct app_text *design, struct app_text *script)
{
    struct app_pool pool = {0};
    char **words = app_command_line(&pool, order->definition, order->folder, order->wants, order->x);
    char *real = realpath(place, NULL); /* a folder of its own may not be there yet, and has its real name */

    if (words)
        write_script(script, made, order, real ? real : place, words);
    app_design_write(order->definition, order->x, design);
    app_text_add(design, "\n", 1);
    const int made_both = words && !design->failed && !script->failed;
    app_pool_free(&pool);
    free(real);
    return made_both;
}

int app_job_is(const char *made, const char *place, const struct app_order *order)
{
    struct app_text design = {0};
    struct app_text script = {0};
    const int same = make_files(made, place, order, &design, &script) &&
                     is_same(made, design_file, &design) && is_same(made, script_file, &script);

    app_text_free(&design);
    app_text_free(&script);
    return same;
}

int app_job_write(const char *made, const char *place, const struct app_order *order,
                  struct app_message *message)
{
    struct app_text design = {0};
    struct app_text script = {0};
    int status = make_files(made, place, order, &design, &script)
                     ? write_file(made, design_file, &design, message)
                     : app_no_memory(message);

    if (!status)
        status = write_file(made, script_file, &script, message);
    app_text_free(&design);
    app_text_free(&script);
    return status;
}

/* --- the ticket --- */

int app_ticket_write(const char *made, const struct app_ticket *ticket, struct app_message *message)
{
    struct app_text text = {0};

    app_text_print(&text, "%s %d %s\n", ticket->name, ticket->index, ticket->base);
    return write_file(made, ticket_file, &text, message);
}

int app_ticket_read(const char *made, struct app_ticket *ticket)
{
    struct app_message unused;
    char path[PATH_MAX];
    char *text = NULL;
    size_t length;

    *ticket = (struct app_ticket){0};
    const int got = app_path_from(made, ticket_file, path) && !app_read_file(path, &text, &length, &unused) &&
                    sscanf(text, "%63s %d %63s", ticket->name, &ticket->index, ticket->base) >= 2;
    free(text);
    return got;
}

/* --- what came of it --- */

static void remove_file(const char *made, const char *file)
{
    char path[PATH_MAX];

    if (app_path_from(made, file, path))
        unlink(path);
}

void app_job_clear(const char *made)
{
    static const char *const results[] = {begun_file, output_file, errors_file, status_file};

    for (size_t i = 0; i < sizeof results / sizeof *results; i++)
        remove_file(made, results[i]);
}

void app_job_remove(const char *made)
{
    remove_file(made, ticket_file); /* without which there is no job, whatever else is there */
    app_job_clear(made);
    remove_file(made, "status.part");
    remove_file(made, script_file);
    remove_file(made, design_file);
    rmdir(made);
}

/* When the file was last written to, by the file system's clock; NAN: it is not there. */
static double written(const char *made, const char *file)
{
    char path[PATH_MAX];
    struct stat info;

    return app_path_from(made, file, path) && !stat(path, &info)
               ? (double)info.st_mtim.tv_sec + 1e-9 * (double)info.st_mtim.tv_nsec
               : NAN;
}

int app_job_ended(const char *made, int *code, double *seconds)
{
    char path[PATH_MAX];
    FILE *file = app_path_from(made, status_file, path) ? fopen(path, "re") : NULL;

    if (!file)
        return 0;
    const int got = fscanf(file, "%d", code) == 1;
    fclose(file);
    *seconds = fmax(written(made, status_file) - written(made, begun_file), 0);
    return got;
}

/* Feeds a file to the child as its output, or as its errors; 0: there is nothing in it. */
static int feed(const char *path, int is_output, struct app_child *child)
{
    const int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    char block[65536];
    ssize_t got;
    int some = 0;

    while (file >= 0 && ((got = read(file, block, sizeof block)) > 0 || (got < 0 && errno == EINTR))) {
        if (got > 0)
            app_child_take(child, is_output, block, (size_t)got);
        some = 1;
    }
    if (file >= 0)
        close(file);
    return some;
}

void app_job_collect(const char *made, const char *log, struct app_child *child)
{
    char output[PATH_MAX];
    char errors[PATH_MAX];

    if (app_path_from(made, output_file, output))
        feed(output, 1, child);
    if (!app_path_from(made, errors_file, errors) || !feed(errors, 0, child))
        feed(log, 0, child);
}
