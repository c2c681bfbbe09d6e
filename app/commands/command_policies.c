/* ckg policies: what the registry has. */
#include <stdio.h>

#include "base/visible.h"
#include "command.h"
#include "api/shapes.h"

static void print_text(const ckg_policy_info *p, int quiet)
{
    app_say("%-8s %s\n", p->name, p->title);
    if (quiet)
        return;

    app_say("         %s\n", p->reference);
    for (int i = 0; i < p->count; i++) {
        const ckg_policy_parameter *q = &p->parameters[i];
        char text[96];
        app_say("           %-12s %s (%g … %g, default %s)\n", q->name, q->help, q->low, q->high,
                ckg_policy_parameter_default_text(q, text, sizeof text));
    }
}

static int print(const struct app_arguments *a, const ckg_policy_info *p)
{
    struct app_text line = {0};

    if (!a->json) {
        print_text(p, a->quiet);
        return CKG_OK;
    }
    app_policy_write(p, &line);
    return app_print(a, &line);
}

static int run(const struct app_arguments *a)
{
    ckg_policy_info info;
    int status = CKG_OK;

    if (a->count) {
        status = app_find_policy(a, a->rest[0], &info);
        return status ? status : print(a, &info);
    }
    for (int i = 0; !status && i < ckg_policy_count(); i++) {
        ckg_policy_at(i, &info);
        status = print(a, &info);
    }
    return status;
}

const struct app_work app_command_policies = {
    .usage = "[NAME]",
    .about = "In a problem file: `policy: NAME`, or `policy: {name: NAME, PARAMETER: VALUE}`.",
    .traits = APP_HAS_JSON,
    .words = 1,
    .run = run,
};
