/* Each list by its place. */
#include "commands/names.h"

#include "figure/figure.h"
#include "problems/problems.h"

/* Place `index` among the commands that the overview shows. */
static const char *command_at(int index)
{
    for (const struct app_command *c = app_commands; c->name; c++)
        if (!(c->work->traits & APP_HIDDEN) && index-- == 0)
            return c->name;
    return NULL;
}

const char *app_name_at(enum app_names list, const void *of, int index)
{
    const struct app_option *option;
    ckg_policy_info policy;

    switch (list) {
    case APP_POLICIES:
        return ckg_policy_at(index, &policy) ? NULL : policy.name;
    case APP_PROBLEMS:
        return app_problems[index] ? app_problems[index]->name : NULL;
    case APP_FIGURES:
        return app_figure_kinds[index] ? app_figure_kinds[index]->name : NULL;
    case APP_COMMANDS:
        return command_at(index);
    case APP_OPTIONS:
        option = app_option_at(of, index);
        return option ? option->name : NULL;
    case APP_PARAMETERS:
        return index < app_dimension(of) ? app_parameter_name(of, index) : NULL;
    case APP_OUTCOMES:
        return index <= app_constraints(of) ? app_outcome_name(of, index) : NULL;
    default:
        return NULL;
    }
}

const char *app_names_meant(enum app_names list, const void *of, const char *word, const char *mark,
                            char out[APP_MEANT])
{
    const char *names[CKG_MAX_PARAMETERS];
    const char *name;
    int count = 0;

    while (count < CKG_MAX_PARAMETERS && (name = app_name_at(list, of, count)))
        names[count++] = name;
    return app_meant_text(word, mark, count, names, out);
}
