/*
 * Layer l: Z = A_l W_l + b_l, A_{l+1} = max(Z, 0)∘D/(1−rate) with D zero where a unit is dropped, and none of
 * that when predicting. Dropout before or after the rectifier is the same, since a kept unit is multiplied by
 * a positive number. So a unit of A_{l+1} is positive exactly where the derivative passes, and D need not be
 * kept:
 *
 *     Δ_L = (P − onehot)/rows,  ∂W_l = A_lᵀ Δ_{l+1},  ∂b_l = column sums of Δ_{l+1},  Δ_l = (Δ_{l+1}
 * W_lᵀ)∘[A_l > 0]/(1−rate_l).
 *
 * Three products of matrices a layer and batch, 6·rows·in·out operations; all the rest is linear in units or
 * parameters.
 */
#include "network.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cblas.h>

#ifdef NETWORK_DOUBLE
#define GEMM cblas_dgemm
#define SQRT sqrt
#define EXP exp
#else
#define GEMM cblas_sgemm
#define SQRT sqrtf
#define EXP expf
#endif

static uint64_t mix(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

void network_random_seed(struct network_random *random, uint64_t seed, uint64_t stream)
{
    uint64_t state = seed;
    state = mix(&state) ^ stream;
    for (int i = 0; i < 4; i++)
        random->s[i] = mix(&state);
}

static uint64_t rotate(uint64_t x, int by)
{
    return (x << by) | (x >> (64 - by));
}

uint64_t network_random_bits(struct network_random *random)
{
    uint64_t *s = random->s, result = rotate(s[0] + s[3], 23) + s[0], t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 45);
    return result;
}

double network_random_uniform(struct network_random *random)
{
    return (double)(network_random_bits(random) >> 11) * 0x1p-53;
}

static void start_weights(struct network *net, struct network_random *random)
{
    for (int l = 0; l < NETWORK_LAYERS; l++) {
        real *w = net->theta + net->weights[l];
        double reach = sqrt(6.0 / (net->units[l] + net->units[l + 1]));
        for (long i = 0; i < net->biases[l] - net->weights[l]; i++)
            w[i] = (real)(reach * (2 * network_random_uniform(random) - 1));
    }
}

/* One zeroed block for all arrays: (4·count + batch·(all layers + 2·the largest)). */
static int allocate(struct network *net)
{
    long columns = 0, largest = 0;
    for (int l = 1; l <= NETWORK_LAYERS; l++) {
        columns += net->units[l];
        largest = net->units[l] > largest ? net->units[l] : largest;
    }
    real *next = calloc((size_t)(4 * net->count + net->batch * (columns + 2 * largest)), sizeof *next);
    if (!next)
        return -1;
    real **vectors[] = {&net->theta, &net->gradient, &net->m, &net->v};
    for (int i = 0; i < 4; i++, next += net->count)
        *vectors[i] = next;
    for (int l = 1; l <= NETWORK_LAYERS; next += (long)net->batch * net->units[l++])
        net->activation[l] = next;
    for (int i = 0; i < 2; i++, next += net->batch * largest)
        net->delta[i] = next;
    return 0;
}

int network_new(struct network **out, const int units[NETWORK_LAYERS + 1], int batch,
                struct network_random *random)
{
    struct network *net = calloc(1, sizeof *net);
    *out = NULL;
    if (!net)
        return -1;
    memcpy(net->units, units, sizeof net->units);
    net->batch = batch;
    for (int l = 0; l < NETWORK_LAYERS; l++) {
        net->weights[l] = net->count;
        net->biases[l] = net->count + (long)units[l] * units[l + 1];
        net->count = net->biases[l] + units[l + 1];
    }
    if (allocate(net)) {
        free(net);
        return -1;
    }
    openblas_set_num_threads(1);
    start_weights(net, random);
    *out = net;
    return 0;
}

void network_free(struct network *net)
{
    if (net)
        free(net->theta);
    free(net);
}

/* Z (rows×out) of layer l from its input A (rows×in). */
static void multiply(struct network *net, int l, const real *A, int rows)
{
    int in = net->units[l], out = net->units[l + 1];
    real *Z = net->activation[l + 1];
    for (int r = 0; r < rows; r++)
        memcpy(Z + (long)r * out, net->theta + net->biases[l], (size_t)out * sizeof *Z);
    GEMM(CblasRowMajor, CblasNoTrans, CblasNoTrans, rows, out, in, 1, A, in, net->theta + net->weights[l],
         out, 1, Z, out);
}

static void rectify(real *a, long count)
{
    for (long i = 0; i < count; i++)
        a[i] = a[i] > 0 ? a[i] : 0;
}

static void drop(real *a, long count, double rate, struct network_random *random)
{
    const real kept = (real)(1 / (1 - rate));
    const uint64_t below = (uint64_t)(rate * 0x1p32);
    if (rate <= 0)
        return;
    for (long i = 0; i < count; i += 2) {
        uint64_t bits = network_random_bits(random);
        a[i] *= (bits >> 32) < below ? 0 : kept;
        if (i + 1 < count)
            a[i + 1] *= (bits & 0xFFFFFFFF) < below ? 0 : kept;
    }
}

static void softmax(real *z, int rows, int classes)
{
    for (int r = 0; r < rows; r++, z += classes) {
        real top = z[0], sum = 0;
        for (int k = 1; k < classes; k++)
            top = z[k] > top ? z[k] : top;
        for (int k = 0; k < classes; k++)
            sum += z[k] = EXP(z[k] - top);
        for (int k = 0; k < classes; k++)
            z[k] /= sum;
    }
}

static void forward(struct network *net, const real *x, int rows, const double *dropout,
                    struct network_random *random)
{
    const real *A = x;
    for (int l = 0; l < NETWORK_LAYERS; l++) {
        multiply(net, l, A, rows);
        if (l < NETWORK_HIDDEN)
            rectify(net->activation[l + 1], (long)rows * net->units[l + 1]);
        if (l < NETWORK_HIDDEN && dropout)
            drop(net->activation[l + 1], (long)rows * net->units[l + 1], dropout[l], random);
        A = net->activation[l + 1];
    }
    softmax(net->activation[NETWORK_LAYERS], rows, net->units[NETWORK_LAYERS]);
}

void network_predict(struct network *net, const real *x, int rows)
{
    forward(net, x, rows, NULL, NULL);
}

/* Mean cross-entropy, and its derivative by the logits in delta (rows×classes). */
static double loss(const struct network *net, const unsigned char *labels, int rows, real *delta)
{
    const int classes = net->units[NETWORK_LAYERS];
    const real *p = net->activation[NETWORK_LAYERS];
    double sum = 0;
    for (int r = 0; r < rows; r++, p += classes, delta += classes) {
        double of_label = (double)p[labels[r]];
        sum -= log(of_label > 1e-30 ? of_label : 1e-30);
        for (int k = 0; k < classes; k++)
            delta[k] = (p[k] - (k == labels[r])) / (real)rows;
    }
    return sum / rows;
}

/* ∂W and ∂b of layer l from its input and the derivative by its output, delta (rows×out). */
static void layer_gradient(struct network *net, int l, const real *A, const real *delta, int rows)
{
    int in = net->units[l], out = net->units[l + 1];
    real *b = net->gradient + net->biases[l];
    GEMM(CblasRowMajor, CblasTrans, CblasNoTrans, in, out, rows, 1, A, in, delta, out, 0,
         net->gradient + net->weights[l], out);
    memset(b, 0, (size_t)out * sizeof *b);
    for (int r = 0; r < rows; r++)
        for (int j = 0; j < out; j++)
            b[j] += delta[(long)r * out + j];
}

/*
 * From derivatives by the output of layer l (delta) to those by the layer before (below), through dropout and
 * rectifier.
 */
static void go_back(struct network *net, int l, const real *delta, real *below, int rows, double rate)
{
    int in = net->units[l], out = net->units[l + 1];
    const real *A = net->activation[l], kept = (real)(1 / (1 - rate));
    GEMM(CblasRowMajor, CblasNoTrans, CblasTrans, rows, in, out, 1, delta, out, net->theta + net->weights[l],
         out, 0, below, in);
    for (long i = 0; i < (long)rows * in; i++)
        below[i] *= A[i] > 0 ? kept : 0;
}

double network_gradient(struct network *net, const real *x, const unsigned char *labels, int rows,
                        const double dropout[NETWORK_HIDDEN], struct network_random *random)
{
    real *delta = net->delta[0], *below = net->delta[1];
    forward(net, x, rows, dropout, random);
    double value = loss(net, labels, rows, delta);
    for (int l = NETWORK_LAYERS - 1; l > 0; l--) {
        layer_gradient(net, l, net->activation[l], delta, rows);
        go_back(net, l, delta, below, rows, dropout[l - 1]);
        real *swap = delta;
        delta = below;
        below = swap;
    }
    layer_gradient(net, 0, x, delta, rows);
    return value;
}

void network_step(struct network *net, const struct network_adam *adam)
{
    double t = (double)++net->steps;
    const real b1 = (real)adam->beta_1, b2 = (real)adam->beta_2, epsilon = (real)adam->epsilon;
    const real rate = (real)(adam->rate * sqrt(1 - pow(adam->beta_2, t)) / (1 - pow(adam->beta_1, t)));
    real *restrict theta = net->theta, *restrict m = net->m, *restrict v = net->v;
    const real *restrict g = net->gradient;
    for (long i = 0; i < net->count; i++) {
        m[i] = b1 * m[i] + (1 - b1) * g[i];
        v[i] = b2 * v[i] + (1 - b2) * g[i] * g[i];
        theta[i] -= rate * m[i] / (SQRT(v[i]) + epsilon);
    }
}

int network_wrong(const struct network *net, const unsigned char *labels, int rows)
{
    const int classes = net->units[NETWORK_LAYERS];
    const real *p = net->activation[NETWORK_LAYERS];
    int wrong = 0;
    for (int r = 0; r < rows; r++, p += classes) {
        int best = 0;
        for (int k = 1; k < classes; k++)
            best = p[k] > p[best] ? k : best;
        wrong += best != labels[r];
    }
    return wrong;
}
