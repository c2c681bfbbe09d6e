/*
 * ckg completion: a script that teaches a shell the commands and options, from their rows. Values are asked
 * for as they are needed, of `ckg complete`.
 */
#include <stdio.h>
#include <string.h>

#include "base/visible.h"
#include "command.h"

/* The first command from there on that the overview shows; its name is NULL at the end of the list. */
static const struct app_command *shown(const struct app_command *c)
{
    while (c->name && c->work->traits & APP_HIDDEN)
        c++;
    return c;
}

/* --- bash --- */

static void print_bash_options(const struct app_command *c)
{
    const struct app_option *o;

    app_say("    %s) options='", c->name);
    for (int i = 0; (o = app_option_at(c, i)); i++)
        app_say(" --%s", o->name);
    app_say("' ;;\n");
}

static void print_bash(void)
{
    const struct app_command *c;

    app_say("# bash completion for ckg, made by `ckg completion bash`\n_ckg() {\n    local "
            "word=${COMP_WORDS[COMP_CWORD]} options=\n"
            "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n        COMPREPLY=($(compgen -W '");
    for (c = shown(app_commands); c->name; c = shown(c + 1))
        app_say("%s ", c->name);
    app_say("--help --version' -- \"$word\"))\n        return\n    fi\n    case ${COMP_WORDS[1]} in\n");
    for (c = shown(app_commands); c->name; c = shown(c + 1))
        print_bash_options(c);
    app_say(
        "    esac\n    case $word in\n"
        "    -*) COMPREPLY=($(compgen -W \"$options\" -- \"$word\")); return ;;\n"
        "    esac\n"
        "    local IFS=$'\\n'\n"
        "    local values=$(\"${COMP_WORDS[0]}\" complete -- \"${COMP_WORDS[@]:1:COMP_CWORD}\" 2>/dev/null)\n"
        "    COMPREPLY=($(compgen -W \"$values\" -- \"$word\"))\n"
        "    [[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null\n"
        "    [ ${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- \"$word\"))\n"
        "}\ncomplete -o filenames -F _ckg ckg\n");
}

/* --- zsh --- */

/* A text inside single quotes, with what zsh's _arguments reads as its own escaped. */
static void print_zsh_text(const char *text)
{
    for (; *text; text++) {
        if (*text == '\'')
            app_say("'\\''");
        else if (strchr("[]:", *text))
            app_say("\\%c", *text);
        else
            putchar(*text);
    }
}

static void print_zsh_option(const struct app_option *o)
{
    app_say(" \\\n            '--%s[", o->name);
    print_zsh_text(o->help);
    app_say("]");
    if (o->argument)
        app_say(":%s:%s", o->argument, !strcmp(o->argument, "FILE") ? "_files" : "_ckg_values");
    app_say("'");
}

static void print_zsh_command(const struct app_command *c)
{
    app_say("        '%s:", c->name);
    print_zsh_text(c->title);
    app_say("'\n");
}

static void print_zsh_options(const struct app_command *c)
{
    const struct app_option *o;

    app_say("    %s)\n        _arguments", c->name);
    for (int i = 0; (o = app_option_at(c, i)); i++)
        print_zsh_option(o);
    app_say(" \\\n            '*:word:_ckg_values' ;;\n");
}

static void print_zsh(void)
{
    const struct app_command *c;

    app_say("#compdef ckg\n# zsh completion for ckg, made by `ckg completion zsh`\n"
            "_ckg_values() {\n"
            "    local -a values=(${(f)\"$(ckg complete -- ${words[2,CURRENT]} 2>/dev/null)\"})\n"
            "    (( ${#values} )) && compadd -S '' -a values || _files\n"
            "}\n"
            "_ckg() {\n    local -a commands=(\n");
    for (c = shown(app_commands); c->name; c = shown(c + 1))
        print_zsh_command(c);
    app_say("    )\n    if (( CURRENT == 2 )); then\n        _describe command commands\n        return\n    "
            "fi\n    case $words[2] in\n");
    for (c = shown(app_commands); c->name; c = shown(c + 1))
        print_zsh_options(c);
    app_say("    esac\n}\n_ckg \"$@\"\n");
}

/* --- fish --- */

/* A text inside single quotes. */
static void print_fish_text(const char *text)
{
    for (; *text; text++)
        app_say(*text == '\'' || *text == '\\' ? "\\%c" : "%c", *text);
}

/* Files and folders are the shell's own business. */
static int is_place(const char *argument)
{
    return !strcmp(argument, "FILE") || !strcmp(argument, "FOLDER");
}

static void print_fish_options(const struct app_command *c)
{
    const struct app_option *o;

    for (int i = 0; (o = app_option_at(c, i)); i++) {
        app_say("complete -c ckg -n '__fish_seen_subcommand_from %s' -l %s", c->name, o->name);
        if (o->letter)
            app_say(" -s %c", o->letter);
        if (o->argument)
            app_say(" %s -a '(__ckg_values)'", is_place(o->argument) ? "-r" : "-x");
        app_say(" -d '");
        print_fish_text(o->help);
        app_say("'\n");
    }
}

static void print_fish(void)
{
    const struct app_command *c;

    app_say("# fish completion for ckg, made by `ckg completion fish`\n"
            "function __ckg_values\n"
            "    ckg complete -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null\n"
            "end\n");
    for (c = shown(app_commands); c->name; c = shown(c + 1)) {
        app_say("complete -c ckg -n __fish_use_subcommand -f -a %s -d '", c->name);
        print_fish_text(c->title);
        app_say("'\n");
    }
    app_say("complete -c ckg -n 'not __fish_use_subcommand' -a '(__ckg_values)'\n");
    for (c = shown(app_commands); c->name; c = shown(c + 1))
        print_fish_options(c);
}

/* --- the command --- */

static int run(const struct app_arguments *a)
{
    const char *shell = a->count ? a->rest[0] : "";

    if (!strcmp(shell, "bash"))
        print_bash();
    else if (!strcmp(shell, "zsh"))
        print_zsh();
    else if (!strcmp(shell, "fish"))
        print_fish();
    else
        return app_wrong(a, "for which shell: bash, fish or zsh?");
    return CKG_OK;
}

const struct app_work app_command_completion = {
    .usage = "bash | fish | zsh",
    .about = "For bash: `source <(ckg completion bash)`. `make install` puts the scripts where the\n"
             "shells look for them.",
    .words = 1,
    .run = run,
};
