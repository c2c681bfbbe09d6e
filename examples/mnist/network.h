/*
 * A fully connected network: inputs, three hidden layers of rectified units with dropout, softmax over
 * classes; mean cross-entropy as loss, minimised by Adam. One thread of BLAS. In single precision, or in
 * double where NETWORK_DOUBLE is defined, which is for checks by differences.
 *
 *     network_new(&net, units, batch, &random);
 *     for every batch of x (rows×units[0]) and labels (rows):
 *         network_gradient(net, x, labels, rows, dropout, &random);
 *         network_step(net, &adam);
 *     network_predict(net, x, rows);      // net->activation[NETWORK_LAYERS] holds the probabilities
 * (rows×units[NETWORK_LAYERS]) network_free(net);
 */
#ifndef MNIST_NETWORK_H
#define MNIST_NETWORK_H

#include <stdint.h>

#ifdef NETWORK_DOUBLE
typedef double real;
#else
typedef float real;
#endif

enum { NETWORK_LAYERS = 4, NETWORK_HIDDEN = NETWORK_LAYERS - 1 };

/* xoshiro256++ by Blackman and Vigna; two numbers choose its sequence. */
struct network_random {
    uint64_t s[4];
};

void network_random_seed(struct network_random *random, uint64_t seed, uint64_t stream);
uint64_t network_random_bits(struct network_random *random);
double network_random_uniform(struct network_random *random); /* in [0, 1) */

/* As in Keras: θ ← θ − rate·√(1−β₂ᵗ)/(1−β₁ᵗ)·m/(√v + epsilon). */
struct network_adam {
    double rate, beta_1, beta_2, epsilon; /* 1e-7 is the usual epsilon */
};

struct network {
    int units[NETWORK_LAYERS + 1]; /* inputs, hidden ones, classes */
    int batch;                     /* most rows at once */
    long count;                    /* of parameters */
    long steps;                    /* of Adam, so far */
    /* (count): parameters, gradient of the last batch, Adam's two moments */
    real *theta, *gradient, *m, *v;
    long weights[NETWORK_LAYERS]; /* where W (units[l]×units[l+1]) of a layer begins */
    long biases[NETWORK_LAYERS];  /* and b (units[l+1]) */
    /* (batch×units[l]); [0] is not used, the last has the probabilities */
    real *activation[NETWORK_LAYERS + 1];
    /* (batch×largest layer): derivatives of the loss on their way back */
    real *delta[2];
};

/* Weights uniform within ±√(6/(in + out)) (Glorot), biases 0. 0, or -1 without memory. */
int network_new(struct network **out, const int units[NETWORK_LAYERS + 1], int batch,
                struct network_random *random);
void network_free(struct network *net);

/* The probabilities of the classes, without dropout. */
void network_predict(struct network *net, const real *x, int rows);

/*
 * Mean cross-entropy of the batch with units dropped at these rates, each in [0, 1), and its gradient in
 * net->gradient.
 */
double network_gradient(struct network *net, const real *x, const unsigned char *labels, int rows,
                        const double dropout[NETWORK_HIDDEN], struct network_random *random);

/* One step of Adam along net->gradient. */
void network_step(struct network *net, const struct network_adam *adam);

/* How many of the rows of the last prediction have another class as the most probable one. */
int network_wrong(const struct network *net, const unsigned char *labels, int rows);

#endif
