/* A command from its line to its exit status, and what commands share. */
#include "command.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "api/api.h"
#include "api/shapes.h"
#include "base/memory.h"
#include "base/visible.h"
#include "commands/names.h"
#include "present/numbers.h"
#include "present/recommended.h"

const struct app_command *app_command_named(const char *name)
{
    for (const struct app_command *c = app_commands; c->name; c++)
        if (!strcmp(c->name, name))
            return c;
    return NULL;
}

/*
 * A study begun when `ckg` was the name of today's `auto`, and a file that still says so: a person is asked
 * once. Where nobody can answer, the study says itself how it goes on.
 */
static int settle_policy(const struct app_arguments *a, struct app_study *n)
{
    char answer[16] = "";

    if (!n->unsettled || !isatty(STDIN_FILENO) || !isatty(STDERR_FILENO) || app_option(a, "yes"))
        return CKG_OK;
    app_warn("%s: `policy: ckg` was, when this study began, what `auto` is now; today's `ckg` looks ahead at "
             "every step and takes longer.\nchange to it? [y/N] ",
             a->place.file);
    if (!fgets(answer, sizeof answer, stdin))
        answer[0] = 0;
    return app_study_settle_policy(n, answer[0] == 'y' || answer[0] == 'Y');
}

static int begin(struct app_study *n, const struct app_arguments *a)
{
    int status = settle_policy(a, n);

    if (!status)
        status = app_study_begin(n);
    if (!status && n->note.text[0])
        app_warn("%s\n", n->note.text);
    return status;
}

int app_open(struct app_study *n, const struct app_arguments *a, enum app_open mode, int begins)
{
    int status = app_study_open(n, &a->place, mode, a->message);

    if (status)
        return status;
    n->threads = a->threads;
    if (begins)
        status = begin(n, a);

    /* For this command alone: the store has kept what the file says. */
    if (!status)
        status = app_models_apply(a, &n->definition);
    if (status)
        app_study_close(n);
    return status;
}

/* What a study is asked, in words or as JSON. */
static int answer(const struct app_arguments *a, struct app_study *n)
{
    const struct app_work *work = a->command->work;
    struct app_text out = {0};

    if (a->json)
        return app_print_query(a, work->query, NULL);
    const int status = work->text(n, &out);
    if (!status)
        return app_print(a, &out);
    app_text_free(&out);
    return status;
}

static int run_with_study(struct app_arguments *a)
{
    const struct app_work *work = a->command->work;
    const enum app_open mode = work->traits & APP_AS_STORED ? APP_LOOK : APP_COMPARE;
    struct app_api_study study = {.open = 1};
    struct app_study *n = &study.record;
    int status = app_open(n, a, mode, (work->traits & APP_BEGINS_STUDY) != 0);

    if (status)
        return status;
    a->study = &study;
    status = (work->run_study ? work->run_study : answer)(a, n);
    if (!status && n->store)
        status = app_store_is_intact(n->store, a->message);
    app_api_close(&study);
    return status;
}

static int run(struct app_arguments *a)
{
    const struct app_work *work = a->command->work;
    const int status = work->check ? work->check(a) : CKG_OK;

    assert(!!work->run + !!work->run_study + !!work->query == 1);
    if (status)
        return status;
    return work->run ? work->run(a) : run_with_study(a);
}

/* A file or the command line is wrong, or it failed while running. */
static int exit_status(int status)
{
    return !status ? APP_DONE : status == CKG_ERR_INVALID ? APP_WRONG : APP_FAILED;
}

/* The line as it was typed; quotes where a shell would need them. */
static void write_line(const struct app_command *command, int argc, char **argv, struct app_text *out)
{
    app_text_print(out, "%s", command->name);
    for (int i = 0; i < argc; i++) {
        const char *quote = !*argv[i] || strpbrk(argv[i], " \t\n;&|<>()[]*?$\"`\\") ? "'" : "";

        app_text_print(out, " %s%s%s", quote, argv[i], quote);
    }
}

/* Where memory ran out, what has succeeded may lack something, and what failed may have done so by that. */
static int judge_memory(int status, struct app_message *message)
{
    const struct app_message said = *message;

    if (!app_memory_failures_of_all() || strstr(said.text, "memory"))
        return status;
    if (!status)
        return app_fail(message, CKG_ERR_NOMEM, "out of memory: what was printed is not complete");
    if (status == CKG_ERR_NOMEM)
        return app_fail(message, status, "out of memory");
    if (!said.text[0]) /* it was said already */
        return status;
    return app_fail(message, CKG_ERR_NOMEM, "out of memory, which may be why: %.900s", said.text);
}

int app_command_execute(const struct app_command *command, int argc, char **argv)
{
    struct app_message message = {{0}};
    struct app_arguments arguments;
    struct app_text line = {0};

    /* The reading takes the words apart, so the line is kept first. */
    write_line(command, argc, argv, &line);
    int status = line.failed ? app_no_memory(&message)
                             : app_arguments_read(&arguments, command, argc, argv, &message);

    arguments.line = line.data;
    if (!status && arguments.command)
        status = run(&arguments);
    status = judge_memory(status, &message);

    app_text_free(&line);

    const int lost = fflush(stdout) || ferror(stdout);
    if (lost && !status)
        perror("ckg: standard output");

    if (status && message.text[0])
        app_warn("%s\n", message.text);
    return !status && lost ? APP_FAILED : exit_status(status);
}

int app_find_policy(const struct app_arguments *a, const char *name, ckg_policy_info *out)
{
    char hint[APP_MEANT];

    return ckg_policy_named(name, out) ? app_wrong(a, "no policy is called '%s'%s; `ckg policies` lists them",
                                                   name, app_names_meant(APP_POLICIES, NULL, name, "", hint))
                                       : CKG_OK;
}

int app_refuse_problem(const struct app_arguments *a, const char *word)
{
    char hint[APP_MEANT];

    return app_wrong(a, "there is no problem '%s'%s; `ckg problems` lists them", word,
                     app_names_meant(APP_PROBLEMS, NULL, word, "", hint));
}

int app_print(const struct app_arguments *a, struct app_text *text)
{
    const int status = text->failed ? app_no_memory(a->message) : CKG_OK;
    const int ended = text->length && text->data[text->length - 1] == '\n';

    if (!status)
        app_say("%s%s", text->data ? text->data : "", ended ? "" : "\n");
    app_text_free(text);
    return status;
}

int app_print_query(const struct app_arguments *a, const char *query, const char *input)
{
    struct app_text out = {0};
    const int status = app_action_call(app_action_named(query, 0), a->study, input, &out);

    if (!status)
        return app_print(a, &out);
    app_text_free(&out);
    if (a->study->message.text[0])
        *a->message = a->study->message;
    return status;
}

int app_print_recommended(const struct app_arguments *a, struct app_study *n,
                          const ckg_recommend_options *how)
{
    ckg_recommendation *r;
    struct app_text out = {0};
    int status = app_study_recommend(n, how, &r);

    if (status)
        return status;
    if (a->json)
        app_recommendation_write(n, r, &out);
    else
        status = app_recommended_text(n, r, app_option(a, "exact") != NULL, &out);
    if (!status)
        status = app_print(a, &out);
    app_text_free(&out);
    ckg_recommendation_free(r);
    return status;
}
