/*
 * Images are accepted as 28×28, labels below 10, and both files must have exactly the length that their heads
 * announce.
 */
#include "idx.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SIZES = 3, SIDE = 28 };

struct source {
    const char *path;
    FILE *file;
    char *why;
    int size;
};

static int refuse(const struct source *s, const char *what)
{
    snprintf(s->why, (size_t)s->size, "%s: %s", s->path, what);
    return -1;
}

/* Opens the file and reads its `count` sizes. */
static int read_head(struct source *s, int count, long sizes[MOST_SIZES])
{
    unsigned char head[4 * (1 + MOST_SIZES)];
    s->file = fopen(s->path, "rb");
    if (!s->file)
        return refuse(s, "cannot be opened; get-data.sh gets the data");
    if (fread(head, 4, (size_t)(1 + count), s->file) != (size_t)(1 + count))
        return refuse(s, "ends within its head");
    if (head[0] || head[1] || head[2] != 8 || head[3] != count)
        return refuse(s, count == 3 ? "no images in idx form (bytes, three sizes)"
                                    : "no labels in idx form (bytes, one size)");
    for (int i = 0; i < count; i++) {
        const unsigned char *b = head + 4 * (i + 1);
        sizes[i] = ((long)b[0] << 24) + ((long)b[1] << 16) + ((long)b[2] << 8) + b[3];
    }
    return 0;
}

/* The file has `count` items of `each` bytes after its head, and nothing else. */
static int check_length(const struct source *s, long head, long count, long each)
{
    long length = fseek(s->file, 0, SEEK_END) ? -1 : ftell(s->file);
    if (count > (LONG_MAX - head) / each || length < head + count * each)
        return refuse(s, "is shorter than its head says");
    if (length > head + count * each)
        return refuse(s, "is longer than its head says");
    return 0;
}

/* `count` items of `each` bytes from number `first` on, allocated. */
static int read_items(const struct source *s, long head, long first, long count, long each,
                      unsigned char **out)
{
    *out = malloc((size_t)(count * each));
    if (!*out)
        return refuse(s, "no memory");
    if (fseek(s->file, head + first * each, SEEK_SET) ||
        fread(*out, (size_t)each, (size_t)count, s->file) != (size_t)count)
        return refuse(s, "cannot be read");
    return 0;
}

static int read_both(struct source *images, struct source *labels, long first, long count, struct idx *out)
{
    long sizes[MOST_SIZES], labelled[MOST_SIZES];
    if (read_head(images, 3, sizes) || read_head(labels, 1, labelled))
        return -1;
    if (sizes[1] != SIDE || sizes[2] != SIDE)
        return refuse(images, "images are not 28×28");
    if (check_length(images, 16, sizes[0], IDX_PIXELS) || check_length(labels, 8, labelled[0], 1))
        return -1;
    if (sizes[0] != labelled[0])
        return refuse(labels, "not as many labels as images");
    if (first < 0)
        first += sizes[0];
    if (count < 0)
        count = sizes[0] - first;
    if (first < 0 || count < 1 || count > INT_MAX || first > sizes[0] - count)
        return refuse(images, "has fewer images than are wanted");
    out->count = (int)count;
    out->total = sizes[0];
    if (read_items(images, 16, first, count, IDX_PIXELS, &out->pixels) ||
        read_items(labels, 8, first, count, 1, &out->labels))
        return -1;
    for (long i = 0; i < count; i++)
        if (out->labels[i] >= IDX_CLASSES)
            return refuse(labels, "a label is not below 10");
    return 0;
}

int idx_read(struct idx *out, const char *images, const char *labels, long first, long count, char *why,
             int size)
{
    struct source image_source = {images, NULL, why, size}, label_source = {labels, NULL, why, size};
    memset(out, 0, sizeof *out);
    int status = read_both(&image_source, &label_source, first, count, out);
    if (image_source.file)
        fclose(image_source.file);
    if (label_source.file)
        fclose(label_source.file);
    if (status)
        idx_free(out);
    return status;
}

void idx_free(struct idx *data)
{
    free(data->pixels);
    free(data->labels);
    memset(data, 0, sizeof *data);
}
