/* Programs, interpreters and scripts, looked for before they are needed. */
#include "evaluate/program.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "definition/scheduler.h"
#include "base/file.h"
#include "evaluate/workspace.h"

struct look {
    const struct app_definition *definition;
    const char *folder, *file;
    struct app_message *message;
};

/* --- files --- */

static int is_file(const char *path)
{
    struct stat info;

    return stat(path, &info) == 0 && !S_ISDIR(info.st_mode);
}

/* The program as posix_spawnp finds it: by its path from the folder, or in a folder of PATH. */
static int find_program(const char *folder, const char *name, char path[PATH_MAX])
{
    const char *list = getenv("PATH");

    if (strchr(name, '/'))
        return app_path_from(folder, name, path) && is_file(path);
    for (list = list ? list : "/bin:/usr/bin"; list;) {
        const char *end = strchr(list, ':');
        const int length = (int)(end ? (size_t)(end - list) : strlen(list));
        char place[PATH_MAX];

        snprintf(place, sizeof place, "%.*s/%s", length ? length : 1, length ? list : ".", name);
        if (app_path_from(folder, place, path) && is_file(path) && access(path, X_OK) == 0)
            return 1;
        list = end ? end + 1 : NULL;
    }
    return 0;
}

/* --- complaints --- */

/* About a word of the command, at its place. */
static int complain(const struct look *l, int word, const char *what)
{
    const struct app_evaluate *e = &l->definition->evaluate;

    if (!l->file)
        return app_fail(l->message, CKG_ERR_INVALID, "the study's command: %s", what);
    return app_fail(l->message, CKG_ERR_INVALID, "%s:%d:%d: %s", l->file, e->at[word][0], e->at[word][1],
                    what);
}

/* A program that is nowhere; several words in one are the usual reason. */
static int complain_of_missing(const struct look *l, const char *program)
{
    struct app_message what;
    char words[200];
    size_t length = 0;

    if (!strchr(program, ' ')) {
        app_fail(&what, 0,
                 strchr(program, '/') ? "the program '%s' does not exist; write it, or change `command`"
                                      : "the program '%s' is not installed, or not in PATH; a program beside "
                                        "this file is called './%s'",
                 program, program);
        return complain(l, 0, what.text);
    }

    for (const char *c = program; *c && length < sizeof words - 3; c++) {
        if (*c == ' ')
            words[length++] = ',';
        words[length++] = *c;
    }
    words[length] = 0;
    app_fail(&what, 0, "there is no program '%s'; a command is a list with a word for each argument: [%s]",
             program, words);
    return complain(l, 0, what.text);
}

/* --- the program's first line --- */

/* "#!/usr/bin/env python3": the interpreter, and its first argument; 0 for another kind of file. */
static int read_first_line(const char *path, char interpreter[256], char argument[256])
{
    char line[512] = "";
    FILE *file = fopen(path, "rb");

    if (!file)
        return 0;
    const int read = fgets(line, sizeof line, file) != NULL;
    fclose(file);

    interpreter[0] = 0;
    argument[0] = 0;
    return read && !strncmp(line, "#!", 2) &&
           sscanf(line + 2, " %255[^ \t\n] %255[^ \t\n]", interpreter, argument) > 0;
}

/* The interpreter that a script names must be there; env names another. */
static int check_interpreter(const struct look *l, const char *path)
{
    const char *program = l->definition->evaluate.command[0];
    struct app_message what;
    char interpreter[256];
    char argument[256];
    char found[PATH_MAX];

    if (!read_first_line(path, interpreter, argument))
        return CKG_OK;
    const char *slash = strrchr(interpreter, '/');
    const int by_env = slash && !strcmp(slash, "/env") && argument[0] && argument[0] != '-' &&
                       !strchr(argument, '=');
    char *needed = by_env ? argument : interpreter;

    /* A file from Windows ends its lines with a carriage return, which becomes part of the name. */
    const size_t length = strlen(needed);
    if (length && needed[length - 1] == '\r') {
        app_fail(&what, 0,
                 "the first line of '%s' ends with a carriage return, so its interpreter is not found; `sed "
                 "-i 's/\\r$//' %s` takes them away",
                 program, program);
        return complain(l, 0, what.text);
    }
    if (by_env ? find_program(l->folder, needed, found) : is_file(needed))
        return CKG_OK;
    app_fail(&what, 0,
             "'%s' is to be run by '%s', which does not exist; change its first line, or install that",
             program, needed);
    return complain(l, 0, what.text);
}

static int check_program(const struct look *l)
{
    const char *program = l->definition->evaluate.command[0];
    struct app_message what;
    char path[PATH_MAX];

    if (strchr(program, '{'))
        return CKG_OK; /* it depends on the design */
    if (!find_program(l->folder, program, path))
        return complain_of_missing(l, program);
    if (access(path, X_OK) != 0) {
        app_fail(
            &what, 0,
            "the program '%s' may not be executed; `chmod +x` makes it so, or name its interpreter before it",
            program);
        return complain(l, 0, what.text);
    }
    return check_interpreter(l, path);
}

/* --- the script of an interpreter --- */

/* python3.12 counts as python3. */
static int is_interpreter(const char *program)
{
    static const char *const names[] = {"python", "python2", "python3", "pypy3", "sh",   "bash",
                                        "dash",   "zsh",     "ksh",     "perl",  "ruby", "Rscript",
                                        "julia",  "node",    "octave",  "lua",   "php"};
    const char *slash = strrchr(program, '/');
    const char *name = slash ? slash + 1 : program;
    const size_t length = strcspn(name, ".");

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == length && !strncmp(name, names[i], length))
            return 1;
    return 0;
}

/* Whether the name ends as scripts do. */
static int is_script(const char *name)
{
    static const char *const endings[] = {".py", ".sh", ".pl", ".rb",  ".R",  ".r",
                                          ".jl", ".js", ".m",  ".lua", ".php"};
    const char *dot = strrchr(name, '.');

    for (size_t i = 0; dot && i < sizeof endings / sizeof *endings; i++)
        if (!strcmp(dot, endings[i]))
            return 1;
    return 0;
}

/* Which word is the script; 0: there is none, or one cannot tell. */
static int find_script(const struct app_evaluate *e)
{
    for (int i = 1; i < e->count; i++) {
        const char *word = e->command[i];
        const int first = i == 1;

        /* Behind these comes no file, and behind another option perhaps its value. */
        if (!strcmp(word, "-c") || !strcmp(word, "-e") || !strcmp(word, "-m") || !strcmp(word, "-"))
            return 0;
        if (word[0] == '-')
            continue;
        return (first || is_script(word)) && !strchr(word, '{') ? i : 0;
    }
    return 0;
}

/* 1 where the folder of a trial has that file. */
static int is_in_workspace(const struct app_evaluate *e, const char *name)
{
    for (int i = 0; i < e->workspace.templates.count; i++)
        if (!strcmp(e->workspace.templates.pair[i].name, name))
            return 1;
    for (int i = 0; i < e->workspace.files.count; i++) {
        const char *slash = strrchr(e->workspace.files.word[i], '/');
        if (!strcmp(slash ? slash + 1 : e->workspace.files.word[i], name))
            return 1;
    }
    return 0;
}

static int check_script(const struct look *l)
{
    const struct app_evaluate *e = &l->definition->evaluate;
    const int word = is_interpreter(e->command[0]) ? find_script(e) : 0;
    struct app_message what;
    struct stat info;
    char path[PATH_MAX];

    if (!word || !app_path_from(l->folder, e->command[word], path))
        return CKG_OK;
    if (e->workspace.used && e->command[word][0] != '/' && !is_in_workspace(e, e->command[word])) {
        app_fail(&what, 0,
                 "the command runs in a folder of the trial's own, where '%s' is not; add it to `files`",
                 e->command[word]);
        return complain(l, word, what.text);
    }
    if (stat(path, &info) == 0 || e->workspace.used)
        return CKG_OK;
    app_fail(&what, 0, "the script '%s' does not exist; write it, or change `command` (it runs in %s)",
             e->command[word], l->file ? "this file's folder" : l->folder);
    return complain(l, word, what.text);
}

/* The programs of nodes are not those of this machine; but a job must be submitted from here. */
static int check_scheduler(const struct look *l)
{
    const struct app_scheduler *scheduler = l->definition->evaluate.cluster.scheduler;
    char path[PATH_MAX];

    if (find_program(l->folder, scheduler->program, path))
        return CKG_OK;
    return app_fail(l->message, CKG_ERR_INVALID,
                    "`%s` is not in PATH, so no jobs can be submitted from here; run it where jobs are, on a "
                    "login node, or take `%s` out of the problem file",
                    scheduler->program, scheduler->name);
}

/* Where programs are found may be changed before, and be another matter on other machines. */
static int check_command(const struct look *l)
{
    const struct app_evaluate *e = &l->definition->evaluate;
    const int here = strchr(e->command[0], '/') || (!e->cluster.scheduler && !e->before.count);
    const int status = here ? check_program(l) : CKG_OK;

    return status ? status : check_script(l);
}

/* Every command, one at a time in the place of the only one. */
static int check_commands(const struct look *l)
{
    const struct app_evaluate *e = &l->definition->evaluate;
    int status = e->part_count ? CKG_OK : check_command(l);

    for (int i = 0; !status && i < e->part_count; i++) {
        struct app_definition one = *l->definition;
        one.evaluate.count = e->parts[i].count;
        one.evaluate.command = e->parts[i].command;
        one.evaluate.at = e->parts[i].at;
        status = check_command(&(struct look){&one, l->folder, l->file, l->message});
    }
    return status;
}

int app_program_check(const struct app_definition *d, const char *folder, const char *file,
                      struct app_message *message)
{
    const struct look l = {d, folder, file, message};
    const struct app_evaluate *e = &d->evaluate;
    int status = e->cluster.scheduler ? check_scheduler(&l) : CKG_OK;

    if (!status)
        status = check_commands(&l);
    if (!status && e->workspace.used)
        status = app_workspace_check(d, folder, message);
    return status;
}
