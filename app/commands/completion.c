/* ckg completion: a script that teaches a shell the commands and options, from their rows. */
#include <stdio.h>
#include <string.h>

#include "command.h"

static int is_shown(const struct app_command *command)
{
    return !(command->traits & APP_HIDDEN);
}

/* Calls print for every option of the command. */
static void each_option(const struct app_command *command, void (*print)(const struct app_option *option))
{
    for (const struct app_option *o = command->options; o && o->name; o++)
        print(o);
    for (int trait = APP_TAKES_STUDY; trait <= APP_HAS_THREADS; trait *= 2)
        for (const struct app_option *o = app_common_options(trait); command->traits & trait && o->name; o++)
            print(o);
    for (const struct app_option *o = app_common_options(0); o->name; o++)
        print(o);
}

static void print_bash_option(const struct app_option *o)
{
    printf(" --%s", o->name);
}

static void print_bash(void)
{
    printf("# bash completion for ckg, made by `ckg completion bash`\n_ckg() {\n    local "
           "word=${COMP_WORDS[COMP_CWORD]} options=\n"
           "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n        COMPREPLY=($(compgen -W '");
    for (int i = 0; app_commands[i]; i++)
        if (is_shown(app_commands[i]))
            printf("%s ", app_commands[i]->name);
    printf("--help --version' -- \"$word\"))\n        return\n    fi\n    case ${COMP_WORDS[1]} in\n");
    for (int i = 0; app_commands[i]; i++) {
        if (!is_shown(app_commands[i]))
            continue;
        printf("    %s) options='", app_commands[i]->name);
        each_option(app_commands[i], print_bash_option);
        printf("' ;;\n");
    }
    printf(
        "    esac\n    case $word in\n    -*) COMPREPLY=($(compgen -W \"$options\" -- \"$word\")) ;;\n"
        "    *) COMPREPLY=($(compgen -f -- \"$word\")) ;;\n    esac\n}\ncomplete -o filenames -F _ckg ckg\n");
}

/* A text inside single quotes, with what zsh's _arguments reads as its own escaped. */
static void print_zsh_text(const char *text)
{
    for (; *text; text++) {
        if (*text == '\'')
            printf("'\\''");
        else if (strchr("[]:", *text))
            printf("\\%c", *text);
        else
            putchar(*text);
    }
}

static void print_zsh_option(const struct app_option *o)
{
    printf(" \\\n            '--%s[", o->name);
    print_zsh_text(o->help);
    printf("]");
    if (o->argument)
        printf(":%s:%s", o->argument, !strcmp(o->argument, "FILE") ? "_files" : " ");
    printf("'");
}

static void print_zsh(void)
{
    printf("#compdef ckg\n# zsh completion for ckg, made by `ckg completion zsh`\n_ckg() {\n    local -a "
           "commands=(\n");
    for (int i = 0; app_commands[i]; i++) {
        if (!is_shown(app_commands[i]))
            continue;
        printf("        '%s:", app_commands[i]->name);
        print_zsh_text(app_commands[i]->title);
        printf("'\n");
    }
    printf("    )\n    if (( CURRENT == 2 )); then\n        _describe command commands\n        return\n    "
           "fi\n    case $words[2] in\n");
    for (int i = 0; app_commands[i]; i++) {
        if (!is_shown(app_commands[i]))
            continue;
        printf("    %s)\n        _arguments", app_commands[i]->name);
        each_option(app_commands[i], print_zsh_option);
        printf(" \\\n            '*:file:_files' ;;\n");
    }
    printf("    esac\n}\n_ckg \"$@\"\n");
}

static int run(const struct app_arguments *arguments)
{
    const int bash = arguments->count == 1 && !strcmp(arguments->rest[0], "bash");
    if (!bash && (arguments->count != 1 || strcmp(arguments->rest[0], "zsh") != 0))
        return app_wrong(arguments, "for which shell, bash or zsh?");
    if (bash)
        print_bash();
    else
        print_zsh();
    return APP_DONE;
}

const struct app_command app_command_completion = {
    .name = "completion",
    .usage = "bash | zsh",
    .title = "a completion script for your shell",
    .about = "For bash: `source <(ckg completion bash)`. `make install` puts both scripts where the shells "
             "look for them.",
    .run = run,
};
