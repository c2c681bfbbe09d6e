/* What `ckg bench` keeps of a replication: lines of three CSV files. */
#ifndef CKG_APP_BENCH_PROTOCOL_H
#define CKG_APP_BENCH_PROTOCOL_H

#include "bench/plan.h"

enum app_protocol_kind { APP_PROTOCOL_ROWS, APP_PROTOCOL_DESIGNS, APP_PROTOCOL_TIMING, APP_PROTOCOL_KINDS };

/* How many columns a line has, of designs before the parameters. */
enum { APP_ROWS_COLUMNS = 8, APP_DESIGNS_COLUMNS = 3, APP_TIMING_COLUMNS = 6 };

/* Lines of the cell's results, of its designs and of its timing. */
struct app_replication {
    struct app_text text[APP_PROTOCOL_KINDS];
};

void app_replication_free(struct app_replication *replication);

/* The first line of the file. */
void app_protocol_header(enum app_protocol_kind kind, const struct app_problem *problem,
                         struct app_text *out);

/* Runs the replication (from 1) and scores its recommendation after every evaluation from the initial design
 * on. */
int app_protocol_make(const struct app_plan *plan, const struct app_cell *cell,
                      const struct app_components *components, int replication, struct app_replication *out,
                      struct app_message *message);

#endif
