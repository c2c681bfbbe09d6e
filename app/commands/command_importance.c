/* ckg importance: how much each parameter matters for each outcome. */
#include "command.h"
#include "present/model_text.h"

const struct app_work app_command_importance = {
    .usage = "STUDY",
    .about = "For every outcome, the share of its variation over all designs that would be left if all\n"
             "other parameters were known (total effects, Sobol's indices): 0, it does not depend on the\n"
             "parameter; 1, on nothing else. Parameters that act together count for each of them, so the\n"
             "sum may exceed 1. In brackets, where nine of ten functions lie that the models hold possible.",
    .traits = APP_TAKES_STUDY | APP_HAS_JSON | APP_HAS_THREADS | APP_HAS_MODEL,
    .query = "importance",
    .text = app_importance_text,
};
