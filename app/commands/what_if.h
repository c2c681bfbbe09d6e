/* Limits that are tried out: for one command, without changing the study. */
#ifndef CKG_APP_WHAT_IF_H
#define CKG_APP_WHAT_IF_H

#include "command.h"

/*
 * The study as it would be with the limits of the option's list: NAME=VALUE for the one limit that a
 * constraint has, NAME.min=VALUE and NAME.max=VALUE for either. A line says so, unless it is quiet or JSON.
 * To be called before the engine is made.
 */
int app_what_if(const struct app_arguments *arguments, struct app_study *record);

#endif
