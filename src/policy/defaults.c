/* What the parameters of a policy are when they are not given: read from the row, in numbers and in words. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "policy/policy.h"

double ckg_policy_parameter_default(const ckg_policy_parameter *parameter, int d, int sampled)
{
    const ckg_policy_default *usual = &parameter->usual;

    if (sampled && usual->sampled > 0)
        return usual->sampled;

    double value = usual->value + usual->per_parameter * d;
    value = parameter->integer ? ceil(value) : value;
    value = usual->least > 0 ? fmax(value, usual->least) : value;
    return usual->most > 0 ? fmin(value, usual->most) : value;
}

void ckg__policy_resolve(const struct ckg__policy *policy, int d, int sampled, const double *given,
                         double *setting)
{
    assert(d > 0 && policy->count <= CKG__MAX_SETTINGS);
    for (int i = 0; i < policy->count; i++)
        setting[i] = !given || isnan(given[i])
                         ? ckg_policy_parameter_default(&policy->parameters[i], d, sampled)
                         : given[i];
}

/* Appends to text as much as fits. */
static void append(char *text, size_t size, const char *format, double number)
{
    const size_t used = strlen(text);
    if (used + 1 < size)
        snprintf(text + used, size - used, format, number);
}

const char *ckg_policy_parameter_default_text(const ckg_policy_parameter *parameter, char *text, size_t size)
{
    const ckg_policy_default *usual = &parameter->usual;
    const double slope = usual->per_parameter;

    if (!size)
        return text;
    text[0] = 0;
    if (isnan(usual->value)) {
        append(text, size, "automatic", 0);
        return text;
    }

    /* The line. */
    if (usual->value != 0 || !(slope > 0))
        append(text, size, "%g", usual->value);
    if (usual->value != 0 && slope > 0)
        append(text, size, " + ", 0);
    if (slope == 1)
        append(text, size, "d", 0);
    else if (slope > 0)
        append(text, size, slope < 1 ? "d/%g" : "%g d", slope < 1 ? 1 / slope : slope);

    /* Its ends, and the exception. */
    if (usual->least > 0)
        append(text, size, ", at least %g", usual->least);
    if (usual->most > 0)
        append(text, size, ", at most %g", usual->most);
    if (usual->sampled > 0)
        append(text, size, ", or %g under sampled hyperparameters", usual->sampled);
    return text;
}
