/*
 * The network of examples/mnist in double precision. Its gradient against central differences with step h =
 * 1e-5: their error is of the order h² + 1e-16/h ≈ 1e-10, measured 4e-11; the bound is 1e-8. Adam against its
 * formulas written out for two steps.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "network.h"
#include "support/test.h"

enum { ROWS = 9 };

static const int units[NETWORK_LAYERS + 1] = {6, 8, 5, 7, 3};

/*
 * A network whose biases are random too, so that no unit sits on the edge of its rectifier, and a batch for
 * it.
 */
static struct network *scene(real x[ROWS * 6], unsigned char labels[ROWS], struct network_random *random)
{
    struct network *net;
    network_random_seed(random, 7, 1);
    assert_int_equal(network_new(&net, units, ROWS, random), 0);
    for (int l = 0; l < NETWORK_LAYERS; l++)
        for (int j = 0; j < units[l + 1]; j++)
            net->theta[net->biases[l] + j] = network_random_uniform(random) - 0.3;
    for (int i = 0; i < ROWS * 6; i++)
        x[i] = 2 * network_random_uniform(random) - 1;
    for (int r = 0; r < ROWS; r++)
        labels[r] = (unsigned char)(network_random_bits(random) % 3);
    return net;
}

/* The loss with the same units dropped, whatever theta is. */
static double loss(struct network *net, const real *x, const unsigned char *labels, int rows,
                   const double *dropout, struct network_random random)
{
    return network_gradient(net, x, labels, rows, dropout, &random);
}

static void check_gradient(const double dropout[NETWORK_HIDDEN], int rows)
{
    const double h = 1e-5;
    real x[ROWS * 6];
    unsigned char labels[ROWS];
    struct network_random random;
    struct network *net = scene(x, labels, &random);
    real *gradient = malloc((size_t)net->count * sizeof *gradient);
    double largest = 0;
    assert_non_null(gradient);
    loss(net, x, labels, rows, dropout, random);
    memcpy(gradient, net->gradient, (size_t)net->count * sizeof *gradient);
    for (long i = 0; i < net->count; i++) {
        real keep = net->theta[i];
        net->theta[i] = keep + h;
        double up = loss(net, x, labels, rows, dropout, random);
        net->theta[i] = keep - h;
        double down = loss(net, x, labels, rows, dropout, random);
        net->theta[i] = keep;
        assert_true(fabs((up - down) / (2 * h) - gradient[i]) < 1e-8);
        largest = fmax(largest, fabs(gradient[i]));
    }
    assert_true(largest > 0.01);
    free(gradient);
    network_free(net);
}

static void test_gradient(void **state)
{
    (void)state;
    check_gradient((double[]){0, 0, 0}, ROWS);
    check_gradient((double[]){0.3, 0.2, 0.5}, ROWS);
    check_gradient((double[]){0, 0.8, 0}, 4);
}

/* The loss is the mean of −log p of the labels, and probabilities are such. */
static void test_loss(void **state)
{
    const double none[NETWORK_HIDDEN] = {0};
    real x[ROWS * 6];
    unsigned char labels[ROWS];
    struct network_random random;
    struct network *net = scene(x, labels, &random);
    double sum = 0;
    (void)state;
    network_predict(net, x, ROWS);
    const real *p = net->activation[NETWORK_LAYERS];
    for (int r = 0; r < ROWS; r++) {
        assert_true(fabs(p[3 * r] + p[3 * r + 1] + p[3 * r + 2] - 1) < 1e-14);
        sum -= log(p[3 * r + labels[r]]) / ROWS;
    }
    assert_true(fabs(loss(net, x, labels, ROWS, none, random) - sum) < 1e-14);
    network_free(net);
}

static void test_adam(void **state)
{
    const struct network_adam adam = {0.01, 0.8, 0.95, 1e-7};
    const double g1 = 0.5, g2 = -2, theta = 0.25;
    struct network_random random;
    struct network *net;
    (void)state;
    network_random_seed(&random, 1, 1);
    assert_int_equal(network_new(&net, units, 1, &random), 0);
    net->theta[3] = theta;
    net->gradient[3] = g1;
    network_step(net, &adam);
    /* m = 0.2·0.5 = 0.1, v = 0.05·0.25 = 0.0125, rate·√(1 − 0.95)/(1 − 0.8) */
    double after = theta - 0.01 * sqrt(0.05) / 0.2 * 0.1 / (sqrt(0.0125) + 1e-7);
    assert_true(fabs(net->theta[3] - after) < 1e-15);
    assert_true(fabs(theta - 0.01 - after) < 1e-7); /* the first step has the length of the rate */
    net->gradient[3] = g2;
    network_step(net, &adam);
    /* m = 0.8·0.1 − 0.2·2 = −0.32, v = 0.95·0.0125 + 0.05·4 = 0.211875 */
    after -= 0.01 * sqrt(1 - 0.9025) / 0.36 * -0.32 / (sqrt(0.211875) + 1e-7);
    assert_true(fabs(net->theta[3] - after) < 1e-15);
    network_free(net);
}

/*
 * Units are dropped at the rate, and what is kept makes up for them: the mean over many masks is the value
 * without.
 */
static void test_dropout(void **state)
{
    enum { MASKS = 4000 };
    const double dropout[NETWORK_HIDDEN] = {0.25, 0, 0}, none[NETWORK_HIDDEN] = {0};
    real x[ROWS * 6], whole[ROWS * 8];
    double sum[ROWS * 8] = {0}, dropped = 0, positive = 0;
    unsigned char labels[ROWS];
    struct network_random random;
    struct network *net = scene(x, labels, &random);
    (void)state;
    network_gradient(net, x, labels, ROWS, none, &random);
    memcpy(whole, net->activation[1], sizeof whole);
    for (int k = 0; k < MASKS; k++) {
        network_gradient(net, x, labels, ROWS, dropout, &random);
        for (int i = 0; i < ROWS * 8; i++) {
            sum[i] += net->activation[1][i] / MASKS;
            positive += whole[i] > 0;
            dropped += whole[i] > 0 && net->activation[1][i] == 0;
        }
    }
    assert_true(fabs(dropped / positive - 0.25) < 0.01);
    for (int i = 0; i < ROWS * 8; i++)
        assert_true(fabs(sum[i] - whole[i]) <= 0.05 * whole[i]); /* sd of the mean: 0.9 % */
    network_free(net);
}

/* It learns labels by heart. */
static void test_training(void **state)
{
    const struct network_adam adam = {0.01, 0.9, 0.99, 1e-7};
    const double none[NETWORK_HIDDEN] = {0};
    real x[ROWS * 6];
    unsigned char labels[ROWS];
    struct network_random random;
    struct network *net = scene(x, labels, &random);
    double first = loss(net, x, labels, ROWS, none, random), last = first;
    (void)state;
    for (int i = 0; i < 300; i++) {
        last = network_gradient(net, x, labels, ROWS, none, &random);
        network_step(net, &adam);
    }
    assert_true(last < 0.01 && first > 0.5);
    network_predict(net, x, ROWS);
    assert_int_equal(network_wrong(net, labels, ROWS), 0);
    labels[4] = (unsigned char)((labels[4] + 1) % 3);
    assert_int_equal(network_wrong(net, labels, ROWS), 1);
    network_free(net);
}

/* The same seed gives the same sequence, another seed or stream another one. */
static void test_random(void **state)
{
    struct network_random a, b;
    (void)state;
    network_random_seed(&a, 3, 4);
    network_random_seed(&b, 3, 4);
    for (int i = 0; i < 100; i++)
        assert_true(network_random_bits(&a) == network_random_bits(&b));
    network_random_seed(&a, 4, 3);
    network_random_seed(&b, 3, 4);
    assert_true(network_random_bits(&a) != network_random_bits(&b));
    network_random_seed(&a, 3, 5);
    network_random_seed(&b, 3, 4);
    assert_true(network_random_bits(&a) != network_random_bits(&b));
}

int main(void)
{
    return RUN_TESTS(test_gradient, test_loss, test_adam, test_dropout, test_training, test_random);
}
