/*
 * Command lines: words, one a line, the first of them a command. A refusal is one line; what is accepted has
 * no more than the command takes, and its numbers read or are refused in a line, too.
 */
#include <unistd.h>

#include "command.h"
#include "commands/names.h"
#include "fuzz.h"

enum { MOST_WORDS = 64 };

static void check_line(const char *text)
{
    fuzz_require(text[0] != 0, "refused without a reason", "");
    for (const char *c = text; *c; c++)
        fuzz_require(*c != '\n' && *c != '\r' && *c != 27, "not one line", text);
}

/* Every option as a number, whatever it is meant to be. */
static void check_accepted(const struct app_arguments *arguments, struct app_message *message)
{
    const struct app_command *command = arguments->command;
    const struct app_option *option;

    fuzz_require(arguments->count <= command->work->words, "too many words", command->name);
    for (int i = 0; (option = app_option_at(command, i)); i++) {
        double number = 0;
        int integer;

        message->text[0] = 0;
        if (app_option_integer(arguments, option->name, -5, 1000, 0, &integer))
            check_line(message->text);
        else
            fuzz_require(integer >= -5 && integer <= 1000, "a number outside of its range", option->name);
        message->text[0] = 0;
        if (app_option_number(arguments, option->name, &number))
            check_line(message->text);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    char *words[MOST_WORDS + 1];
    int count = 0;
    struct app_arguments arguments = {0};
    struct app_message message = {""};

    /* Help goes to standard output. */
    static int silent;
    if (!silent)
        silent = freopen("/dev/null", "w", stdout) != NULL;

    /* The words. */
    fuzz_require(text != NULL, "out of memory", "");
    memcpy(text, data, size);
    text[size] = 0;
    for (char *word = text; word && count < MOST_WORDS;) {
        char *end = strchr(word, '\n');
        if (end)
            *end++ = 0;
        words[count++] = word;
        word = end;
    }
    words[count] = NULL;

    const struct app_command *command = app_command_named(words[0]);
    if (command && !app_arguments_read(&arguments, command, count - 1, words + 1, &message)) {
        if (arguments.command)
            check_accepted(&arguments, &message);
    } else if (command) {
        check_line(message.text);
    } else {
        char meant[APP_MEANT];
        app_names_meant(APP_COMMANDS, NULL, words[0], "", meant);
    }
    free(text);
    return 0;
}
