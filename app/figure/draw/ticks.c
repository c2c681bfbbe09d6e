/* Ticks at round numbers. */
#include "figure/draw/ticks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double app_nice_step(double range, int want, int integer)
{
    static const double nice[] = {1, 2, 2.5, 5, 10};
    const double raw = range / (want > 0 ? want : 1);
    const double power = pow(10, floor(log10(raw)));

    if (!(raw > 0) || !isfinite(raw) || !(power > 0))
        return 1;
    double step = 10 * power;
    for (int i = 3; i >= 0; i--)
        if (nice[i] * power >= raw * (1 - 1e-9) && !(integer && i == 2))
            step = nice[i] * power;
    return integer && step < 1 ? 1 : step;
}

/* --- labels --- */

static void add_superscript(char *out, int number)
{
    static const char *const digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    char plain[16];
    snprintf(plain, sizeof plain, "%d", number);
    for (const char *c = plain; *c; c++)
        strcat(out, *c == '-' ? "⁻" : digits[*c - '0']);
}

const char *app_exponent(int exponent, char out[64])
{
    strcpy(out, "×10");
    add_superscript(out, exponent);
    return out;
}

/* Takes "-" for the sign that is as wide as a plus. */
static void use_minus(char *out)
{
    char copy[64];

    if (out[0] != '-')
        return;
    snprintf(copy, sizeof copy, "%s", out + 1);
    snprintf(out, 64, "−%.58s", copy);
}

/* Ends the text before zeroes at its end, and before a point that they leave there. */
static char *drop_zeroes(char *text, char *end)
{
    if (!memchr(text, '.', (size_t)(end - text)))
        return end;
    while (end[-1] == '0')
        end--;
    if (end[-1] == '.')
        end--;
    *end = 0;
    return end;
}

const char *app_number_nice(double value, int digits, char out[64])
{
    if (!isfinite(value)) {
        strcpy(out, isnan(value) ? "–" : value > 0 ? "∞" : "−∞");
        return out;
    }

    /* Its power of ten, once it is rounded. */
    value += 0.0; /* no negative zero */
    snprintf(out, 64, "%.*e", digits - 1, value);
    char *e = strchr(out, 'e');
    const int exponent = value != 0 ? atoi(e + 1) : 0;

    /* Written out where that is short, else with the power. */
    if (exponent >= -4 && exponent < (digits > 4 ? digits + 1 : 5)) {
        const int decimals = digits - 1 - exponent > 0 ? digits - 1 - exponent : 0;
        snprintf(out, 64, "%.*f", decimals, value);
        drop_zeroes(out, out + strlen(out));
    } else
        app_exponent(exponent, drop_zeroes(out, e));
    use_minus(out);
    return out;
}

/* A multiple of step·10^-exponent with as many decimals as the step has. */
static void label_multiple(struct app_tick *t, double step, int exponent)
{
    const double unit = pow(10, exponent);
    const double scaled_step = step / unit;
    int decimals = 0;

    while (decimals < 12 && fabs(scaled_step * pow(10, decimals) - round(scaled_step * pow(10, decimals))) >
                                1e-6 * pow(10, decimals) * scaled_step)
        decimals++;

    const double value = t->value / unit;
    snprintf(t->label, sizeof t->label, "%.*f", decimals, value == 0 ? 0.0 : value);
    if (t->label[0] == '-' && strspn(t->label, "-0.") == strlen(t->label))
        memmove(t->label, t->label + 1, strlen(t->label));
    if (strlen(t->label) < 60)
        use_minus(t->label);
}

/* --- ticks --- */

void app_ticks_linear(struct app_ticks *out, double low, double high, int want, int integer)
{
    const double step = app_nice_step(high - low, want, integer);
    const double first = ceil(low / step - 1e-9);
    const double largest = fmax(fabs(low), fabs(high));

    out->count = out->exponent = 0;
    if (!(high > low) || !isfinite(first))
        return;

    if (largest >= 1e6 || step < 1e-3)
        out->exponent = (int)floor(log10(largest) + 1e-9);

    for (double k = first; k * step <= high + 1e-9 * step && out->count < APP_MAX_TICKS; k++) {
        struct app_tick *t = &out->tick[out->count++];
        t->value = fabs(k) < 0.5 ? 0 : k * step;
        label_multiple(t, step, out->exponent);
        if (k + 1 == k) /* beyond 2^53 steps of the origin there is nothing between */
            break;
    }
}

static void add_log_tick(struct app_ticks *out, double value, int labelled)
{
    char number[64];

    if (out->count == APP_MAX_TICKS)
        return;

    struct app_tick *t = &out->tick[out->count++];
    t->value = value;
    t->label[0] = 0;
    if (!labelled)
        return;

    const double power = log10(value);
    if ((power > 4.5 || power < -3.5) && fabs(power - round(power)) < 1e-9) {
        strcpy(t->label, "10");
        add_superscript(t->label, (int)round(power));
    } else
        strcpy(t->label, app_number_nice(value, 3, number));
}

void app_ticks_log(struct app_ticks *out, double low, double high, int want)
{
    const int first = (int)floor(log10(low) - 1e-9);
    const int last = (int)ceil(log10(high) + 1e-9);
    const double decades = log10(high / low);
    const int each = decades > want ? (int)ceil(decades / want) : 1;

    /* which of 1 … 9 get labels: all, 1 2 5, 1 3, or the powers alone */
    const char *labelled = decades * 9 <= want   ? "123456789"
                           : decades * 3 <= want ? "125"
                           : decades * 2 <= want ? "13"
                                                 : "1";

    out->count = out->exponent = 0;
    if (decades < 0.3) { /* so little of a decade has few of these numbers: as on a linear axis */
        app_ticks_linear(out, low, high, want, 0);
        return;
    }

    for (int k = first; k <= last; k++)
        for (int m = 1; m <= (each > 1 ? 1 : 9); m++) {
            const double value = m * pow(10, k);
            if (value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9) && (each == 1 || k % each == 0))
                add_log_tick(out, value, strchr(labelled, '0' + m) != NULL);
        }
}

void app_ticks_gap(struct app_ticks *out, double unit, double high, int want)
{
    const int first = (int)ceil(log10(unit) - 1e-9);
    const int last = (int)floor(log10(high) + 1e-9);
    const int each = 1 + (last - first) / (want > 1 ? want - 1 : 1);

    out->count = out->exponent = 0;
    out->tick[out->count++] = (struct app_tick){.value = 0, .label = "0"};
    for (int k = last; k >= first; k--)
        add_log_tick(out, pow(10, k), (last - k) % each == 0);
}

void app_ticks_chances(struct app_ticks *out, double low, double high)
{
    static const double chances[] = {0.001, 0.01, 0.1,  0.2,  0.3,   0.5,   0.7,
                                     0.8,   0.9,  0.95, 0.99, 0.999, 0.9999};

    out->count = out->exponent = 0;
    for (size_t i = 0; i < sizeof chances / sizeof *chances; i++) {
        if (chances[i] < low || chances[i] > high)
            continue;
        struct app_tick *t = &out->tick[out->count++];
        t->value = chances[i];
        snprintf(t->label, sizeof t->label, "%g", chances[i]);
    }
}
