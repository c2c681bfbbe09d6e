/*
 * What a study is about and how its designs are evaluated: a problem file, read. YAML by libyaml; JSON of the
 * same shape is YAML too. Every complaint has the file, line and column it is about. A definition can be
 * written as JSON of that shape, which is how a store keeps it.
 */
#ifndef CKG_APP_DEFINITION_H
#define CKG_APP_DEFINITION_H

#include <stdint.h>

#include <ckg/ckg.h>

#include "base/text.h"

struct app_parameter {
    char *name;
    int kind;         /* enum ckg_kind */
    int scale;        /* enum ckg_scale */
    double low, high; /* 0 and count − 1 for a categorical */
    int count;        /* categorical: how many values */
    char **values;    /* (count) */
};

/* The objective or a constraint. */
struct app_outcome {
    char *name;
    int noise;       /* enum ckg_noise */
    double sd;       /* where the noise is known */
    double min, max; /* infinite for a side without a limit */
};

/* How to evaluate a design. */
struct app_evaluate {
    int count;      /* words of the command, 0: people or other programs evaluate */
    char **command; /* (count + 1), the last NULL */
    double timeout; /* seconds, 0: none */
    int parallel, retries;
};

struct app_definition {
    char *name;
    int goal; /* enum ckg_goal */
    int budget;
    int initial; /* -1: the library's standard */
    char *policy;
    int settings_count;
    ckg_setting *settings; /* (settings_count) names are static, of the policy's row */
    int has_seed;
    uint64_t seed;
    char *failures; /* "model" or "ignore" */
    int d, K;
    struct app_parameter *parameters; /* (d) */
    struct app_outcome *outcomes;     /* (1 + K), the objective first */
    struct app_evaluate evaluate;
    ckg_problem *problem; /* the same for the library */
};

/*
 * Reads the file. CKG_ERR_INVALID with "path:line:column: what is wrong" in the message; nothing is kept
 * then.
 */
int app_definition_read(struct app_definition *out, const char *path, struct app_message *message);

/* The same from text; `path` stands in the complaints. */
int app_definition_parse(struct app_definition *out, const char *text, size_t length, const char *path,
                         struct app_message *message);

/*
 * As JSON on one line, which app_definition_parse reads back as the same; `seed` is written whether the file
 * had one or not.
 */
void app_definition_write(const struct app_definition *definition, uint64_t seed, struct app_text *out);

/*
 * CKG_OK when parameters, objective and constraints are the same; else CKG_ERR_INVALID and the first
 * difference in the message.
 */
int app_definition_same(const struct app_definition *old, const struct app_definition *now,
                        struct app_message *message);

void app_definition_free(struct app_definition *definition);

/* The parameter or outcome of that name, or -1. */
int app_definition_parameter(const struct app_definition *definition, const char *name);
int app_definition_outcome(const struct app_definition *definition, const char *name);

/* The index of a categorical's value, or -1. */
int app_parameter_category(const struct app_parameter *parameter, const char *value);

#endif
