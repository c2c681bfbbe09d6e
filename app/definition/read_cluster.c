/*
 * Evaluations as jobs of a cluster: `slurm: {partition: short, time: "01:00:00", concurrent: 40}`. Another
 * scheduler has the same keys under its own name.
 */
#include "definition/reader.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { MOST_CPUS = 100000, MOST_CONCURRENT = 1000, MOST_OPTIONS = 100, LONGEST_WORD = 200 };

struct cluster {
    const yaml_node_t *partition, *time, *cpus, *options, *concurrent;
};

static const struct app_node_key cluster_keys[] = {
    {"partition", offsetof(struct cluster, partition)},
    {"time", offsetof(struct cluster, time)},
    {"cpus", offsetof(struct cluster, cpus)},
    {"options", offsetof(struct cluster, options)},
    {"concurrent", offsetof(struct cluster, concurrent)},
};

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

static int read_time(struct app_reader *r, const yaml_node_t *node, char **out)
{
    if (!app_node_is_text(node) || !is_time(app_node_text(node)))
        return app_node_expect(
            &r->document, node,
            "a time limit: minutes, \"hours:minutes:seconds\" or \"days-hours:minutes:seconds\"");
    return app_reader_keep(r, app_node_text(node), out);
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

static int read_option(struct app_reader *r, const yaml_node_t *node, char **out)
{
    const int status = app_reader_line(r, node, "an option", LONGEST_WORD, out);
    const char *own = status ? NULL : find_own(*out);

    if (status)
        return status;
    if (own)
        return app_node_complain(&r->document, node, "`ckg` sets %s itself", own);
    if ((*out)[0] != '-')
        return app_node_complain(&r->document, node,
                                 "an option begins with a dash; write one with its value as \"--mem=2G\"");
    return CKG_OK;
}

static int read_options(struct app_reader *r, const yaml_node_t *node, struct app_cluster *out)
{
    int status = CKG_OK;

    if (node->type != YAML_SEQUENCE_NODE || app_node_items(node) > MOST_OPTIONS)
        return app_node_expect(&r->document, node, "a list of at most 100 options such as [\"--mem=2G\"]");
    out->options = app_pool_new(&r->out->pool, (size_t)app_node_items(node), sizeof *out->options);
    if (!out->options)
        return app_reader_no_memory(r);
    for (int i = 0; !status && i < app_node_items(node); i++) {
        out->option_count = i + 1;
        status = read_option(r, app_reader_item(r, node, i), &out->options[i]);
    }
    return status;
}

/* A partition's name; several with commas are a choice. */
static int read_partition(struct app_reader *r, const yaml_node_t *node, char **out)
{
    const int status = app_reader_line(r, node, "a partition", LONGEST_WORD, out);

    return status || !strchr(*out, ' ') ? status
                                        : app_node_expect(&r->document, node, "the name of a partition");
}

int app_read_cluster(struct app_reader *r, const char *scheduler, const yaml_node_t *node)
{
    struct app_evaluate *e = &r->out->evaluate;
    struct app_cluster *out = &e->cluster;
    struct cluster from = {0};
    char what[32];

    /* The scheduler's name stands in complaints, as it is the key. */
    int status = app_reader_keep(r, scheduler, &out->scheduler);
    snprintf(what, sizeof what, "`%s`", scheduler);
    if (!status)
        status = app_node_mapping(&r->document, node, what, APP_KEYS(cluster_keys), &from);

    if (!status && from.partition)
        status = read_partition(r, from.partition, &out->partition);
    if (!status && from.time)
        status = read_time(r, from.time, &out->time);
    if (!status && from.cpus)
        status = app_node_whole(&r->document, from.cpus, 1, MOST_CPUS, &out->cpus);
    if (!status && from.options)
        status = read_options(r, from.options, out);

    /* As many places as jobs. */
    e->parallel = APP_CONCURRENT;
    if (!status && from.concurrent)
        status = app_node_whole(&r->document, from.concurrent, 1, MOST_CONCURRENT, &e->parallel);
    return status;
}
