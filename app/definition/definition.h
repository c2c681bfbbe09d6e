/*
 * What a study is about and how its designs are evaluated: a problem file, read. YAML by libyaml; JSON of the
 * same shape is YAML too. Every complaint has the file, line and column it is about. A definition can be
 * written as JSON of that shape, which is how a store keeps it.
 */
#ifndef CKG_APP_DEFINITION_H
#define CKG_APP_DEFINITION_H

#include <stdint.h>

#include <ckg/ckg.h>

#include "base/pool.h"
#include "base/text.h"
#include "definition/typed.h"

/* --- what a file says of parameters and outcomes that only the program knows --- */

/* Of a parameter or an outcome; every text may be NULL. */
struct app_label {
    const char *unit, *description;
    const char *title;              /* its name with the unit: "wire (mm)"; NULL without a unit */
    const struct app_value *values; /* of a categorical */
    struct app_value was;           /* a new parameter's value so far, for `ckg change` */
};

/* A parameter that is passed on and not varied. */
struct app_fixed {
    const char *name;
    struct app_value value;
    struct app_label label;
};

/* A column of a list of designs that is no parameter: passed on with the design that it belongs to. */
struct app_carried {
    const char *name;
    struct app_value *value; /* of each design of the list */
};

/* --- a problem --- */

/* A parameter as the problem has it, at a glance; what it points to is borrowed. */
struct app_parameter {
    const ckg_problem *problem;
    int index;
    const char *name;
    int kind;               /* enum ckg_kind */
    int scale;              /* enum ckg_scale */
    double low, high;       /* 0 and count − 1 for a categorical */
    double step;            /* 0: none; 1 for an integer without one */
    int count;              /* categorical: how many values */
    const char *title;      /* its name, with the unit if it has one */
    struct app_value value; /* of one that is fixed, where it is read and written */
    struct app_label label;
};

/* The words for kinds (enum ckg_kind). */
extern const char *const app_kind_names[];

/* The word for a noise (enum ckg_noise) of no known size. */
const char *app_noise_word(int noise);

/* The objective or a constraint, likewise. */
struct app_outcome {
    const char *name;
    int noise;       /* enum ckg_noise */
    double sd;       /* where the noise is known */
    double min, max; /* infinite for a side without a limit */
    int positive;    /* 1: declared to be above 0 */
    /* an equality: what it should be, and how far off it may be; min and max are what that allows */
    double equal;
    double tolerance; /* 0: it is none */
    int yesno;        /* 1: it answers yes, 1, or no, 0, and has no limits of its own */
    double cost;      /* of measuring it alone; NAN: outcomes are measured together */
    int group;        /* that it is measured with, -1: none */
    const char *title;
    struct app_label label;
};

struct app_scheduler;

/* What a worker must have, as licence=cfd; and other names with a text. */
struct app_need {
    char *name, *value;
};

/* Texts, and pairs of them. */
struct app_words {
    int count;
    char **word; /* (count) */
};

struct app_pairs {
    int count;
    struct app_need *pair; /* (count) */
};

/* Evaluations as jobs of a cluster. */
struct app_cluster {
    const struct app_scheduler *scheduler; /* NULL: evaluations are processes of this machine */
    void *options;                         /* what its own keys say */
};

/* Which folders of trials stay. */
enum app_keep { APP_KEEP_ALL, APP_KEEP_FAILED, APP_KEEP_NONE };

/* A folder for each trial, in which its command runs. */
struct app_workspace {
    int used;
    char *folder; /* of all of them, from the problem file's; NULL: NAME.work */
    enum app_keep keep;
    double quota;               /* bytes of all that are kept, 0: any number */
    struct app_words files;     /* of the problem file's folder, found in each */
    struct app_pairs templates; /* the file to be written, and the template of it */
};

/* Results other than by a JSON object on standard output. */
struct app_result_place {
    int used;
    char *file;            /* where they stand, in the folder of the command; NULL: on standard output */
    struct app_pairs find; /* an outcome, and the text that its number stands behind */
};

/* The command of one outcome, or of the group that it belongs to. */
struct app_part {
    int outcome;
    int count;
    char **command; /* as below */
    int (*at)[2];
};

/* How to evaluate a design. */
struct app_evaluate {
    int used; /* 0: people or other programs evaluate */
    int part_count;
    struct app_part
        *parts;     /* (part_count) where outcomes have commands of their own; `command`: the first's */
    int count;      /* words of the command */
    char **command; /* (count + 1), the last NULL */
    int (*at)[2];   /* (count) where each word stands in the file: line and column, from 1 */
    double timeout; /* seconds, 0: none */
    int parallel, retries; /* with a cluster `parallel` counts its jobs */
    int pause_after;       /* failures in a row, 0: never, -1: as record/pause.h has it */
    int ahead;             /* designs that are chosen before anybody can evaluate them */
    struct app_pairs needs;
    struct app_cluster cluster;
    struct app_workspace workspace;
    struct app_result_place results;
    struct app_pairs environment; /* variables of the command's */
    struct app_words before;      /* lines of shell that run before it */
};

/* When a run ends before its budget: the rest of it is expected to gain less than this. */
struct app_stop_rule {
    int used;
    double gain;  /* in the objective's units; 0: it never ends before */
    int percent;  /* 1: in hundredths of the objective of what is recommended */
    int patience; /* after so many evaluations in a row of which that was said */
};

enum { APP_PATIENCE = 5 };

/* As many as ckg_option_count may be. */
enum { APP_MODEL_OPTIONS = 16 };

struct app_definition {
    struct app_pool pool; /* of everything below but the problem */
    char *name;
    int goal;             /* enum ckg_goal */
    ckg_problem *problem; /* parameters, objective and constraints: what is known of them is read there */
    struct app_label *parameter; /* (CKG_MAX_PARAMETERS) of each parameter; NULL: there are none */
    struct app_label *outcome;   /* (1 + CKG_MAX_CONSTRAINTS) of each outcome, likewise */
    int fixed_count;
    struct app_fixed *fixed; /* (fixed_count) parameters that are passed on and not varied */
    int carried_count;
    struct app_carried *carried; /* (carried_count) what the list of designs says beside the parameters */
    int own_count;
    double *own; /* (own_count × d) designs of the user's own, to be evaluated first */
    int budget;  /* evaluations in all; 0: nobody has said, which no problem file may */
    int initial; /* -1: the library's standard */
    struct app_stop_rule stop;
    char *policy;
    /* of a study begun when today's `auto` was called `ckg`: what a file that still says `ckg` means by it */
    enum app_was_ckg { APP_NEVER_CKG, APP_WAS_CKG, APP_WAS_CKG_SAID } was_ckg;
    int settings_count;
    ckg_setting *settings; /* (settings_count) names are static, of the policy's row */
    int has_seed;
    uint64_t seed;
    char *failures; /* "model" or "ignore" */
    /* how outcomes are modelled: the text of ckg_option_at(i) at i, NULL where the library's default holds */
    char *model[APP_MODEL_OPTIONS];
    struct app_evaluate evaluate;
    char *store;    /* where the file wants it kept, as it says, NULL: it does not; never written anywhere */
    char *warnings; /* lines, each with its place, about what works but is probably not meant; NULL: none */
};

/*
 * Reads the file. CKG_ERR_INVALID with "path:line:column: what is wrong" in the message; nothing is kept
 * then.
 */
int app_definition_read(struct app_definition *out, const char *path, struct app_message *message);

/* The same from text, which needs no budget; `path` stands in the complaints. */
int app_definition_parse(struct app_definition *out, const char *text, size_t length, const char *path,
                         struct app_message *message);

/*
 * As JSON on one line, which app_definition_parse reads back as the same; `seed` is written whether the file
 * had one or not.
 */
void app_definition_write(const struct app_definition *definition, uint64_t seed, struct app_text *out);

/*
 * From here on the definition says how the study goes on as `kept` does, which has the same problem: budget,
 * designs of the user's own, policy, seed and models. How designs are evaluated, and all that an evaluation
 * is told, stays its own, but for what else a worker needs. `kept` is freed.
 */
int app_definition_follow(struct app_definition *definition, struct app_definition *kept,
                          struct app_message *message);

/*
 * CKG_OK when goal, parameters, rules, designs to choose from, objective and constraints are the same; else
 * CKG_ERR_INVALID and the differences in the message (difference.c).
 */
int app_definition_same(const struct app_definition *old, const struct app_definition *now,
                        struct app_message *message);

/* --- how outcomes are modelled (read_policy.c) --- */

/*
 * Sets the option of that name, instead of what it was; CKG_ERR_NOT_FOUND or CKG_ERR_INVALID, with the
 * library's message, where there is none or it cannot be that.
 */
int app_model_set(struct app_definition *definition, const char *name, const char *value);

/* Sets what the definition gives in the options. */
void app_model_apply(const struct app_definition *definition, ckg_options *options);

void app_definition_free(struct app_definition *definition);

/* d and K, and names, as the problem has them. */
static inline int app_dimension(const struct app_definition *definition)
{
    return ckg_problem_dimension(definition->problem);
}

static inline int app_constraints(const struct app_definition *definition)
{
    return ckg_problem_constraints(definition->problem);
}

static inline const char *app_parameter_name(const struct app_definition *definition, int i)
{
    return ckg_problem_parameter_name(definition->problem, i);
}

static inline const char *app_outcome_name(const struct app_definition *definition, int j)
{
    return ckg_problem_outcome_name(definition->problem, j);
}

/* The fixed parameter of that name, NULL: there is none. */
const struct app_fixed *app_fixed_find(const struct app_definition *definition, const char *name);

/*
 * With a list of designs: the number of x (d) in it, -1: it is not there; the column of that name that is
 * passed on with designs, -1: there is none; and its text for x, NULL where x is not in the list.
 */
int app_listed(const struct app_definition *definition, const double *x);
int app_carried_find(const struct app_definition *definition, const char *name);
const char *app_carried_text(const struct app_definition *definition, int column, const double *x);

/* The names of all parameters; how many. */
int app_parameter_names(const struct app_definition *definition, const char *names[CKG_MAX_PARAMETERS]);

/* Parameter i, and outcome j, the objective being the first. */
struct app_parameter app_parameter_at(const struct app_definition *definition, int i);
struct app_outcome app_outcome_at(const struct app_definition *definition, int j);

#endif
