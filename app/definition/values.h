/*
 * Designs and measured values of a definition as JSON objects, both ways: {"wire": 0.31, "alloy": "steel"},
 * with fixed parameters after the others; {"weight": 1.9, "stress": [-0.2, 0.1]}.
 */
#ifndef CKG_APP_VALUES_H
#define CKG_APP_VALUES_H

#include "base/json.h"
#include "definition/definition.h"

/*
 * x (d) from the object, which must have every parameter and nothing else but fixed ones, with the values
 * that they have.
 */
int app_design_read(const struct app_definition *definition, const json_t *object, double *x,
                    struct app_message *message);

/* The same, whether the design is in range or not: for trials of before the ranges changed. */
int app_design_read_any(const struct app_definition *definition, const json_t *object, double *x,
                        struct app_message *message);

/*
 * Whether x (d) can be made as it is: a design of the problem, in its list if there is one, on the steps of
 * its parameters, breaking no rule. The message names the parameter and the nearest values, or the rule.
 */
int app_design_check(const struct app_definition *definition, const double *x, struct app_message *message);

/*
 * Which outcomes a trial is to measure, where they can be measured one at a time. They stand beside the
 * parameters in the trial's record, as `measure`: ["stress"].
 */
struct app_wants {
    int given;                                  /* 0: nobody said, and that is everything */
    unsigned char has[1 + CKG_MAX_CONSTRAINTS]; /* (1 + K) */
};

/* What the record's object says of it; a damaged one is no part of a store that is whole. */
void app_wants_read(const struct app_definition *definition, const json_t *object, struct app_wants *out);

/* As a list of names in JSON, and separated by commas. */
void app_wants_write(const struct app_definition *definition, const struct app_wants *wants,
                     struct app_text *out);
void app_wants_words(const struct app_definition *definition, const struct app_wants *wants,
                     struct app_text *out);

/* What that costs. */
double app_wants_cost(const struct app_definition *definition, const struct app_wants *wants);

/* The design with what is to be measured there, as a record has it. */
void app_task_write(const struct app_definition *definition, const double *x, const struct app_wants *wants,
                    struct app_text *out);

void app_design_write(const struct app_definition *definition, const double *x, struct app_text *out);

/* One parameter's value as a bare text: a number or the category's name. */
void app_design_write_text(const struct app_definition *definition, int parameter, double value,
                           struct app_text *out);

/*
 * measured (1 + K) and *count from the object: each value a number, [number, sd], or null for not measured. A
 * name that is no outcome is refused. The count may be 0.
 */
int app_outcomes_read(const struct app_definition *definition, const json_t *object,
                      ckg_measurement *measured, int *count, struct app_message *message);

/* One value into *out; CKG_OK and *given 0 for null. */
int app_outcome_read(const struct app_definition *definition, int outcome, const json_t *value,
                     ckg_measurement *out, int *given, struct app_message *message);

/* 1 or 0 for a word that says yes or no: yes, true, 1, no, false, 0, in any case; −1: it says neither. */
int app_answer_word(const char *word);

/* Adds the member of that outcome: a number, true or false for an answer, null for NAN. */
void app_outcome_add(const struct app_definition *definition, int outcome, double value,
                     struct app_text *out);

void app_outcomes_write(const struct app_definition *definition, int count, const ckg_measurement *measured,
                        struct app_text *out);

/*
 * Whether a design x (d) with these measured values is feasible, as ckg_problem_feasible says; 0 where it
 * breaks a rule.
 */
int app_feasible(const struct app_definition *definition, const double *x, int count,
                 const ckg_measurement *measured);

#endif
