/* A study on one page of HTML that needs nothing else: no script, no other file. */
#ifndef CKG_APP_REPORT_H
#define CKG_APP_REPORT_H

#include "figure/view.h"

int app_report_make(const struct app_show *show, struct app_text *out);

/* --- its parts --- */

/*
 * A page up to and with <body>, titled "name – what": its style, and the colours of figures, light and dark.
 */
void app_report_head(struct app_text *out, const char *name, const char *what);

extern const char app_report_style[];

/* All of the style: the colours, and how the page looks. */
void app_report_css(struct app_text *out);

/* The study's name as a heading, and a line on what it is about and how far it is. */
void app_report_lead(const struct app_study *record, struct app_text *out);

/* A name or text of the user's, escaped; shortened by the reader's window, whole when it is pointed at. */
void app_report_name(struct app_text *out, const char *name);
/* A number for people, exact when it is pointed at. */
void app_report_number(struct app_text *out, double value);
/* An outcome's, with the digits by which it breaks a limit. */
void app_report_outcome(struct app_text *out, struct app_outcome outcome, double value);
/* The parameter's value: a number or a category's name. */
void app_report_value(struct app_text *out, struct app_parameter parameter, double value);
/* "≤ 0", "0.1 ≤ … ≤ 3" */
void app_report_limits(struct app_text *out, struct app_outcome outcome);

/* A sentence on which constraints are shown, where that is not all of them. */
void app_report_selection(const struct app_show *show, struct app_text *out);

/* A section: made by a function, or a figure with a line about it. The last has no id. */
struct app_figure_kind;
struct app_report_section {
    const char *id, *link;
    int (*make)(const struct app_show *show, struct app_text *out); /* a status */
    const struct app_figure_kind *kind;
    const char *about; /* NULL: nothing */
};

/* In their order on the page. */
extern const struct app_report_section app_report_sections[];

/* Adds the section; a status. */
int app_report_section(const struct app_report_section *section, const struct app_show *show,
                       struct app_text *out);

/* Some of them; a status. */
int app_report_recommendation(const struct app_show *show, struct app_text *out);
int app_report_models(const struct app_show *show, struct app_text *out);
int app_report_trials(const struct app_show *show, struct app_text *out);
int app_report_facts(const struct app_show *show, struct app_text *out);

#endif
