/*
 * Lists the policies that are built in; with a policy's name, its parameters as a Markdown table:
 *
 *     build/examples/list_policies [NAME]
 */
#include <stdio.h>

#include <ckg/ckg.h>

static int print_parameters(const char *name)
{
    ckg_policy_info policy;
    if (ckg_policy_named(name, &policy)) {
        fprintf(stderr, "list_policies: %s\n", ckg_error_message());
        return 2;
    }
    if (!policy.count) {
        printf("None.\n");
        return 0;
    }
    printf("| parameter | default | range | |\n|---|---|---|---|\n");
    for (int i = 0; i < policy.count; i++) {
        const ckg_policy_parameter *p = &policy.parameters[i];
        char text[96];
        printf("| `%s` | %s | %g … %g%s | %s |\n", p->name,
               ckg_policy_parameter_default_text(p, text, sizeof text), p->low, p->high,
               p->integer ? ", an integer" : "", p->help);
    }
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return print_parameters(argv[1]);
    for (int i = 0; i < ckg_policy_count(); i++) {
        ckg_policy_info policy;
        if (ckg_policy_at(i, &policy))
            return 1;
        printf("%-7s %s\n", policy.name, policy.title);
        for (int k = 0; k < policy.count; k++)
            printf("        %-12s %s\n", policy.parameters[k].name, policy.parameters[k].help);
    }
    return 0;
}
