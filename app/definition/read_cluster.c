/*
 * Evaluations as jobs of a cluster: `slurm: {partition: short, time: "01:00:00", concurrent: 40}`. Another
 * scheduler has the same keys under its own name.
 */
#include "definition/file_schema.h"

#include <ctype.h>
#include <string.h>

enum { MOST_CPUS = 100000, MOST_CONCURRENT = 1000, MOST_OPTIONS = 100, LONGEST_WORD = 200 };

/* How many numbers with a colon between two of them the text consists of; 0: of something else. */
static int count_parts(const char *text)
{
    int parts = 0;

    while (isdigit((unsigned char)*text)) {
        while (isdigit((unsigned char)*text))
            text++;
        parts++;
        if (!*text)
            return parts;
        if (*text++ != ':')
            return 0;
    }
    return 0;
}

/* minutes, minutes:seconds, hours:minutes:seconds, days-hours, days-hours:minutes or down to seconds. */
static int is_time(const char *text)
{
    const size_t days = strspn(text, "0123456789");
    const int after_days = days && text[days] == '-';
    const int parts = count_parts(after_days ? text + days + 1 : text);

    return strlen(text) < LONGEST_WORD && parts >= 1 && parts <= 3;
}

static int read_time(struct app_reader *r, const yaml_node_t *node)
{
    if (!app_node_is_text(node) || !is_time(app_node_text(node)))
        return app_node_expect(
            r, node, "a time limit: minutes, \"hours:minutes:seconds\" or \"days-hours:minutes:seconds\"");
    return app_reader_keep(r, app_node_text(node), &r->out->evaluate.cluster.time);
}

/* The option that sets what the program itself sets, NULL: none of them. */
static const char *find_own(const char *word)
{
    static const char *const own[] = {
        "--array",     "--parsable", "--output", "--error", "--input", "--job-name", "--export", "--wrap",
        "--test-only", "--wait",     "-a",       "-o",      "-e",      "-i",         "-J",       "-W"};

    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        const size_t length = strlen(own[i]);
        const int is_long = own[i][1] == '-';
        if (!strncmp(word, own[i], length) && (!is_long || !word[length] || word[length] == '='))
            return own[i];
    }
    return NULL;
}

static int check_option(struct app_reader *r, const yaml_node_t *key, const yaml_node_t *node, char **option)
{
    const char *own = find_own(*option);

    (void)key;
    if (own)
        return app_node_complain(r, node, "`ckg` sets %s itself", own);
    if ((*option)[0] != '-')
        return app_node_complain(r, node,
                                 "an option begins with a dash; write one with its value as \"--mem=2G\"");
    return CKG_OK;
}

/* A partition's name; several with commas are a choice. */
static int read_partition(struct app_reader *r, const yaml_node_t *node)
{
    struct app_evaluate *e = &r->out->evaluate;
    const int status = app_reader_line(r, node, "a partition", LONGEST_WORD, &e->cluster.partition);

    return status || !strchr(e->cluster.partition, ' ') ? status
                                                        : app_node_expect(r, node, "the name of a partition");
}

static const struct app_key slurm_keys[] = {
    {"partition", "a name", "the cluster's default", "where jobs run", .kind = APP_KEY_LINE,
     .at = offsetof(struct app_evaluate, cluster.partition), .high = LONGEST_WORD, .what = "a partition",
     .read = read_partition},
    {"time", "minutes, `\"01:00:00\"`, `\"1-12:00:00\"`", "the partition's",
     "a job that takes longer is ended by Slurm, and its evaluation has failed", .kind = APP_KEY_LINE,
     .at = offsetof(struct app_evaluate, cluster.time), .read = read_time},
    {"cpus", "an integer", "the cluster's default", "processors of a job", .kind = APP_KEY_WHOLE,
     .at = offsetof(struct app_evaluate, cluster.cpus), .low = 1, .high = MOST_CPUS},
    {"options", "`[\"--mem=2G\", …]`", "none", "further options of `sbatch`, a word each",
     .kind = APP_KEY_LINES, .at = offsetof(struct app_evaluate, cluster.options), .low = MOST_OPTIONS,
     .high = LONGEST_WORD, .always = 1, .what = "an option",
     .expected = "a list of at most 100 options such as [\"--mem=2G\"]", .read_value = check_option},
    {"concurrent", "an integer", "10", "how many jobs at once, waiting ones included", .kind = APP_KEY_WHOLE,
     .at = offsetof(struct app_evaluate, parallel), .low = 1, .high = MOST_CONCURRENT},
};

/* Its `concurrent` stands where `parallel` does: as many places as jobs. */
const struct app_schema app_schema_slurm = {"`slurm`", "A Slurm cluster", "evaluate: {slurm: {…}}",
                                            APP_KEYS(slurm_keys), NULL};
