/* The commands in the order of the overview, a row each. */
#include "command.h"

#define COMMANDS(ROW)                                                                                        \
    ROW(new)                                                                                                 \
    ROW(run)                                                                                                 \
    ROW(ask)                                                                                                 \
    ROW(tell)                                                                                                \
    ROW(status)                                                                                              \
    ROW(trials)                                                                                              \
    ROW(recommend)                                                                                           \
    ROW(model)                                                                                               \
    ROW(predict)                                                                                             \
    ROW(score)                                                                                               \
    ROW(plot)                                                                                                \
    ROW(report)                                                                                              \
    ROW(export)                                                                                              \
    ROW(import)                                                                                              \
    ROW(policies)                                                                                            \
    ROW(problems)                                                                                            \
    ROW(bench)                                                                                               \
    ROW(completion)                                                                                          \
    ROW(manual)

#define DECLARATION(NAME) extern const struct app_command app_command_##NAME;
#define ADDRESS(NAME) &app_command_##NAME,

COMMANDS(DECLARATION)

const struct app_command *const app_commands[] = {COMMANDS(ADDRESS) NULL};
