/*
 * mnist [--OPTION VALUE]… < DESIGN: trains a network with the nine hyperparameters of the design, a JSON
 * object on standard input, and prints its error on images it was not trained on and the time of a
 * prediction, as `ckg run` wants it:
 *
 *     {"error": 0.0312, "time_ms": 0.74}
 *
 * The design has learning_rate, beta_1, beta_2 (or one_minus_beta_1, one_minus_beta_2), dropout_rate_1 … 3
 * and n_neurons_1 … 3; a hidden layer has ⌊2ⁿ⌋ units. Random numbers follow from --seed and the trial,
 * CKG_TRIAL in the environment, alone. The time is the mean over --predictions predictions of a minibatch,
 * after one that is not counted.
 */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <jansson.h>

#include "idx.h"
#include "network.h"

enum { LINE = 400 };

struct settings {
    const char *data;  /* folder of the idx files */
    double train;      /* images, from the beginning of the training file */
    double validation; /* images, from the end of the training file */
    double epochs, batch;
    double predictions; /* how many are timed */
    double seconds;     /* timing stops after these and 3 predictions; 0: never */
    double seed;
    double test;     /* 1: the error on the test images */
    double cpu;      /* 1: processor time of the thread instead of the wall clock's */
    double log_time; /* 1: print log_time, log10 of the milliseconds, instead of time_ms */
    /* 1: print log_error, log10 of the error, instead of error; no error counts as half an image */
    double log_error;
    double sd; /* 1: the time as [mean, standard error] */
};

struct option {
    const char *name;
    size_t offset; /* of a double in struct settings */
    double low, high;
    int whole;
    const char *help;
};

#define ROW(name) offsetof(struct settings, name)
static const struct option options[] = {
    {"train", ROW(train), 1, 1e9, 1,
     "images to train on, from the beginning of the training file; default: 50000"},
    {"validation", ROW(validation), 1, 1e9, 1,
     "images to measure the error on, from the end of the training file; default: 10000"},
    {"epochs", ROW(epochs), 0, 1e6, 1, "default: 5"},
    {"batch", ROW(batch), 1, 1e6, 1, "images in a minibatch, for training and prediction; default: 250"},
    {"predictions", ROW(predictions), 3, 1e9, 1, "predictions to time; default: 3000"},
    {"prediction-seconds", ROW(seconds), 0, 1e9, 0,
     "stop timing after this many seconds, but not before 3 predictions; default: 0, never"},
    {"seed", ROW(seed), 0, 9007199254740992.0, 1,
     "of all random numbers, together with CKG_TRIAL; default: 1"},
    {"test", ROW(test), 0, 1, 1, "1: measure the error on the test images instead"},
    {"cpu", ROW(cpu), 0, 1, 1,
     "1: the thread's processor time, which other processes disturb less than wall-clock time"},
    {"log-time", ROW(log_time), 0, 1, 1, "1: print log_time, log10 of the milliseconds, instead of time_ms"},
    {"log-error", ROW(log_error), 0, 1, 1, "1: print log_error, log10 of the error, instead of error"},
    {"sd", ROW(sd), 0, 1, 1, "1: print the time as [mean, standard error of the mean]"},
};
enum { OPTIONS = sizeof options / sizeof *options };

struct design {
    struct network_adam adam;
    double dropout[NETWORK_HIDDEN];
    int units[NETWORK_LAYERS + 1];
};

static int complain(const char *what, const char *about)
{
    fprintf(stderr, "mnist: %s%s\n", what, about);
    return -1;
}

static void help(void)
{
    printf("usage: mnist [--OPTION VALUE]... < DESIGN\n\noptions:\n  --%-20s %s\n", "data DIR",
           "folder of the idx files; default: data");
    for (int i = 0; i < OPTIONS; i++)
        printf("  --%-20s %s\n", options[i].name, options[i].help);
}

static int read_option(struct settings *s, const char *word, const char *value)
{
    char *end;
    if (!strcmp(word, "--data")) {
        s->data = value;
        return 0;
    }
    for (int i = 0; i < OPTIONS; i++) {
        const struct option *o = &options[i];
        if (strncmp(word, "--", 2) || strcmp(word + 2, o->name))
            continue;
        double number = strtod(value, &end);
        if (end == value || *end || !(number >= o->low && number <= o->high) ||
            (o->whole && number != floor(number)))
            return complain("wrong value of ", word);
        *(double *)((char *)s + o->offset) = number;
        return 0;
    }
    return complain("unknown option, try --help: ", word);
}

static int read_options(struct settings *s, int argc, char **argv)
{
    for (int i = 1; i < argc; i += 2) {
        if (i + 1 == argc)
            return complain("a value is missing after ", argv[i]);
        if (read_option(s, argv[i], argv[i + 1]))
            return -1;
    }
    return 0;
}

/* The number of that name, which must be there and within [low, high]. */
static int number(const json_t *object, const char *name, double low, double high, double *out)
{
    const json_t *value = json_object_get(object, name);
    if (!json_is_number(value))
        return complain("the design has no number ", name);
    *out = json_number_value(value);
    return *out >= low && *out <= high ? 0 : complain("out of range: ", name);
}

/* beta, or 1 − beta where that is what the design has. */
static int read_beta(const json_t *object, const char *name, double *out)
{
    char other[LINE];
    snprintf(other, sizeof other, "one_minus_%s", name);
    if (!json_object_get(object, other))
        return number(object, name, 0, 1 - 1e-9, out);
    int status = number(object, other, 1e-9, 1, out);
    *out = 1 - *out;
    return status;
}

static int read_design(struct design *d, const json_t *object)
{
    double exponent;
    char name[LINE];
    d->adam.epsilon = 1e-7;
    d->units[0] = IDX_PIXELS;
    d->units[NETWORK_LAYERS] = IDX_CLASSES;
    if (number(object, "learning_rate", 0, 1e3, &d->adam.rate) ||
        read_beta(object, "beta_1", &d->adam.beta_1) || read_beta(object, "beta_2", &d->adam.beta_2))
        return -1;
    for (int l = 0; l < NETWORK_HIDDEN; l++) {
        snprintf(name, sizeof name, "dropout_rate_%d", l + 1);
        if (number(object, name, 0, 0.999, &d->dropout[l]))
            return -1;
        snprintf(name, sizeof name, "n_neurons_%d", l + 1);
        if (number(object, name, 0, 16, &exponent))
            return -1;
        d->units[l + 1] = (int)pow(2, exponent);
    }
    return 0;
}

static int read_standard_input(struct design *d)
{
    json_error_t error;
    json_t *object = json_loadf(stdin, 0, &error);
    int status = object ? read_design(d, object) : complain("no design on standard input: ", error.text);
    json_decref(object);
    return status;
}

static int read_images(struct idx *out, const struct settings *s, const char *part, double first,
                       double count)
{
    char images[4096], labels[4096], why[4200];
    snprintf(images, sizeof images, "%s/%s-images-idx3-ubyte", s->data, part);
    snprintf(labels, sizeof labels, "%s/%s-labels-idx1-ubyte", s->data, part);
    return idx_read(out, images, labels, (long)first, (long)count, why, sizeof why) ? complain(why, "") : 0;
}

/*
 * Image i, or image order[i] where there is an order, for i in [first, first + rows), into x (rows×784) and
 * labels (rows).
 */
static void gather(const struct idx *data, const int *order, int first, int rows, real *x,
                   unsigned char *labels)
{
    for (int r = 0; r < rows; r++) {
        int i = order ? order[first + r] : first + r;
        const unsigned char *pixels = data->pixels + (long)i * IDX_PIXELS;
        for (int j = 0; j < IDX_PIXELS; j++)
            x[(long)r * IDX_PIXELS + j] = (real)pixels[j] / 255;
        labels[r] = data->labels[i];
    }
}

static void shuffle(int *order, int count, struct network_random *random)
{
    for (int i = count - 1; i > 0; i--) {
        int j = (int)(network_random_uniform(random) * (i + 1)), keep = order[i];
        order[i] = order[j];
        order[j] = keep;
    }
}

/*
 * What the stages share: x (batch×784) and labels (batch) of the batch at hand, order (images to train on).
 */
struct work {
    struct network *net;
    struct network_random random;
    real *x;
    unsigned char *labels;
    int *order;
};

static void train(struct work *w, const struct idx *data, const struct design *d, int epochs)
{
    const int batch = w->net->batch;
    for (int i = 0; i < data->count; i++)
        w->order[i] = i;
    for (int epoch = 0; epoch < epochs; epoch++) {
        shuffle(w->order, data->count, &w->random);
        for (int first = 0; first < data->count; first += batch) {
            int rows = data->count - first < batch ? data->count - first : batch;
            gather(data, w->order, first, rows, w->x, w->labels);
            network_gradient(w->net, w->x, w->labels, rows, d->dropout, &w->random);
            network_step(w->net, &d->adam);
        }
    }
}

static double error_rate(struct work *w, const struct idx *data)
{
    const int batch = w->net->batch;
    int wrong = 0;
    for (int first = 0; first < data->count; first += batch) {
        int rows = data->count - first < batch ? data->count - first : batch;
        gather(data, NULL, first, rows, w->x, w->labels);
        network_predict(w->net, w->x, rows);
        wrong += network_wrong(w->net, w->labels, rows);
    }
    return (double)wrong / data->count;
}

static double now(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/*
 * Milliseconds of a prediction for the batch in w->x: mean, and standard error of the mean as if predictions
 * were independent.
 */
static void time_predictions(struct work *w, const struct settings *s, double *mean, double *sd)
{
    const clockid_t clock = s->cpu ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC;
    double squares = 0, began = now(CLOCK_MONOTONIC), count = 0;
    *mean = 0;
    network_predict(w->net, w->x, w->net->batch);
    while (count < s->predictions &&
           (count < 3 || s->seconds == 0 || now(CLOCK_MONOTONIC) - began < s->seconds)) {
        double start = now(clock);
        network_predict(w->net, w->x, w->net->batch);
        double ms = 1e3 * (now(clock) - start), off = ms - *mean;
        *mean += off / ++count;
        squares += off * (ms - *mean);
    }
    *sd = sqrt(squares / (count - 1) / count);
}

static void print_answer(const struct settings *s, double error, int images, double ms, double sd)
{
    double least = 0.5 / images, told = s->log_error ? log10(error > least ? error : least) : error;
    const char *name_of_error = s->log_error ? "log_error" : "error";
    double value = s->log_time ? log10(ms) : ms, spread = s->log_time ? sd / ms / log(10) : sd;
    const char *name = s->log_time ? "log_time" : "time_ms";
    if (s->sd)
        printf("{\"%s\": %.17g, \"%s\": [%.17g, %.17g]}\n", name_of_error, told, name, value, spread);
    else
        printf("{\"%s\": %.17g, \"%s\": %.17g}\n", name_of_error, told, name, value);
}

static int work_new(struct work *w, const struct design *d, int batch, int images, const struct settings *s)
{
    const char *trial = getenv("CKG_TRIAL");
    memset(w, 0, sizeof *w);
    network_random_seed(&w->random, (uint64_t)s->seed, trial ? strtoull(trial, NULL, 10) : 0);
    w->x = calloc((size_t)batch * IDX_PIXELS, sizeof *w->x);
    w->labels = calloc((size_t)batch, 1);
    w->order = calloc((size_t)images, sizeof *w->order);
    if (!w->x || !w->labels || !w->order || network_new(&w->net, d->units, batch, &w->random))
        return complain("no memory", "");
    return 0;
}

static void work_free(struct work *w)
{
    network_free(w->net);
    free(w->x);
    free(w->labels);
    free(w->order);
}

static int evaluate(const struct settings *s, const struct design *d)
{
    struct idx images = {0}, kept = {0};
    struct work w = {0};
    double error, ms, sd;
    int status = read_images(&images, s, "train", 0, s->train);
    if (!status)
        status = s->test ? read_images(&kept, s, "t10k", 0, -1)
                         : read_images(&kept, s, "train", -s->validation, s->validation);
    if (!status && !s->test && images.count + (long)kept.count > images.total)
        status = complain("training and validation images overlap", "");
    if (!status)
        status = work_new(&w, d, (int)s->batch, images.count, s);
    if (status)
        goto out;
    train(&w, &images, d, (int)s->epochs);
    error = error_rate(&w, &kept);
    time_predictions(&w, s, &ms, &sd);
    print_answer(s, error, kept.count, ms, sd);
out:
    work_free(&w);
    idx_free(&images);
    idx_free(&kept);
    return status;
}

int main(int argc, char **argv)
{
    struct settings s = {.data = "data",
                         .train = 50000,
                         .validation = 10000,
                         .epochs = 5,
                         .batch = 250,
                         .predictions = 3000,
                         .seed = 1};
    struct design d;
    if (argc == 2 && !strcmp(argv[1], "--help")) {
        help();
        return 0;
    }
    if (read_options(&s, argc, argv))
        return 2;
    if (read_standard_input(&d) || evaluate(&s, &d))
        return 1;
    return fflush(stdout) ? complain("the answer cannot be written", "") != 0 : 0;
}
