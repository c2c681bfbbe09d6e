/* ckg policies: what the registry has. */
#include <math.h>
#include <stdio.h>

#include "command.h"

static void write_parameter(const ckg_policy_parameter *p, struct app_text *out)
{
    app_text_print(out, "{\"name\": \"%s\", \"default\": ", p->name);
    app_json_number(out, p->standard);
    app_text_print(out, ", \"low\": ");
    app_json_number(out, p->low);
    app_text_print(out, ", \"high\": ");
    app_json_number(out, p->high);
    app_text_print(out, ", \"whole\": %s, \"help\": ", p->whole ? "true" : "false");
    app_json_string(out, p->help);
    app_text_print(out, "}");
}

static int print_json(const ckg_policy_info *p)
{
    struct app_text out = {0};
    app_text_print(&out, "{\"name\": \"%s\", \"title\": ", p->name);
    app_json_string(&out, p->title);
    app_text_print(&out, ", \"reference\": ");
    app_json_string(&out, p->reference);
    app_text_print(&out, ", \"value\": ");
    app_json_string(&out, p->value);
    app_text_print(&out, ", \"parameters\": [");
    for (int i = 0; i < p->count; i++) {
        app_text_print(&out, i ? ", " : "");
        write_parameter(&p->parameters[i], &out);
    }
    app_text_print(&out, "]}");
    return app_print(&out);
}

static void print_text(const ckg_policy_info *p, int quiet)
{
    printf("%-8s %s\n", p->name, p->title);
    if (quiet)
        return;
    printf("         %s\n", p->reference);
    for (int i = 0; i < p->count; i++) {
        const ckg_policy_parameter *q = &p->parameters[i];
        printf("           %-12s %s (%g … %g", q->name, q->help, q->low, q->high);
        if (!isnan(q->standard))
            printf(", standard %g", q->standard);
        printf(")\n");
    }
}

static int run(const struct app_arguments *arguments)
{
    ckg_policy_info info;
    int status = APP_DONE;
    if (arguments->count > 1)
        return app_wrong(arguments, "one policy at a time");
    if (arguments->count && ckg_policy_named(arguments->rest[0], &info))
        return app_wrong(arguments, "%s", ckg_error_message());
    for (int i = 0; !status && i < (arguments->count ? 1 : ckg_policy_count()); i++) {
        if (!arguments->count)
            ckg_policy_at(i, &info);
        if (arguments->json)
            status = print_json(&info);
        else
            print_text(&info, arguments->quiet);
    }
    return status;
}

const struct app_command app_command_policies = {
    .name = "policies",
    .usage = "[NAME]",
    .title = "how the next design may be chosen, with parameters and references",
    .about = "In a problem file: `policy: NAME`, or `policy: {name: NAME, PARAMETER: VALUE}`.",
    .traits = APP_HAS_JSON,
    .run = run,
};
