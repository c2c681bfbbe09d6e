/*
 * Images and labels in idx form, the form of MNIST: a magic number, the sizes as four bytes each with the
 * highest first, bytes.
 */
#ifndef MNIST_IDX_H
#define MNIST_IDX_H

enum { IDX_PIXELS = 784, IDX_CLASSES = 10 };

struct idx {
    int count;
    long total;            /* images in the file */
    unsigned char *pixels; /* (count×784), rows of an image one after the other */
    unsigned char *labels; /* (count), each below 10 */
};

/*
 * Reads `count` images and their labels from number `first` on; a negative `first` counts from the end, a
 * negative `count` means all that are left. 0; or -1 with one line on what is wrong in `why` (size bytes),
 * and nothing to free.
 */
int idx_read(struct idx *out, const char *images, const char *labels, long first, long count, char *why,
             int size);

void idx_free(struct idx *data);

#endif
