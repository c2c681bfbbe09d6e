/* The commands in the order of the overview. */
#include "command.h"

extern const struct app_command app_command_new, app_command_run, app_command_ask, app_command_tell,
    app_command_status, app_command_trials, app_command_recommend, app_command_model, app_command_predict,
    app_command_score, app_command_plot, app_command_report, app_command_export, app_command_import,
    app_command_policies, app_command_problems, app_command_bench, app_command_completion, app_command_manual;

const struct app_command *const app_commands[] = {
    &app_command_new,     &app_command_run,        &app_command_ask,       &app_command_tell,
    &app_command_status,  &app_command_trials,     &app_command_recommend, &app_command_model,
    &app_command_predict, &app_command_score,      &app_command_plot,      &app_command_report,
    &app_command_export,  &app_command_import,     &app_command_policies,  &app_command_problems,
    &app_command_bench,   &app_command_completion, &app_command_manual,    NULL,
};
