/* ckg model: the fitted hyperparameters of every outcome. */
#include "command.h"
#include "present/model_text.h"

const struct app_work app_command_model = {
    .usage = "STUDY",
    .about =
        "With --json: the model of each outcome by the outcome's name, and the penalty M as `penalty`, or\n"
        "as `penalty_M` where an outcome is called `penalty`.",
    .traits = APP_TAKES_STUDY | APP_HAS_JSON | APP_HAS_THREADS | APP_HAS_MODEL,
    .query = "model",
    .text = app_models_text,
};
