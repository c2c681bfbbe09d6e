/* ckg status: where a study stands, and what is to be gained by going on. */
#include "command.h"
#include "present/statement.h"

const struct app_work app_command_status = {
    .usage = "STUDY",
    .traits = APP_TAKES_STUDY | APP_HAS_JSON | APP_HAS_THREADS,
    .query = "status",
    .text = app_status_text,
};
