/*
 * The reader of images in idx form: what is whole is read, from anywhere in the file; what is broken is
 * refused in one line.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <unistd.h>

#include "idx.h"
#include "support/test.h"

enum { IMAGES = 5, IMAGE_BYTES = 16 + IMAGES * IDX_PIXELS, LABEL_BYTES = 8 + IMAGES };

/* Both files, as bytes and how many of them are written. */
struct files {
    char folder[32], images[64], labels[64];
    unsigned char image_bytes[IMAGE_BYTES + 1], label_bytes[LABEL_BYTES + 1];
    size_t image_length, label_length;
};

/* Pixel j of image i is i + j, its label 2i. */
static void make_whole(struct files *f)
{
    static const unsigned char image_head[] = {0, 0, 8, 3, 0, 0, 0, IMAGES, 0, 0, 0, 28, 0, 0, 0, 28},
                               label_head[] = {0, 0, 8, 1, 0, 0, 0, IMAGES};
    memset(f, 0, sizeof *f);
    memcpy(f->image_bytes, image_head, sizeof image_head);
    memcpy(f->label_bytes, label_head, sizeof label_head);
    for (int i = 0; i < IMAGES; i++) {
        f->label_bytes[8 + i] = (unsigned char)(2 * i);
        for (int j = 0; j < IDX_PIXELS; j++)
            f->image_bytes[16 + i * IDX_PIXELS + j] = (unsigned char)(i + j);
    }
    f->image_length = IMAGE_BYTES;
    f->label_length = LABEL_BYTES;
}

static void write_bytes(const char *path, const unsigned char *bytes, size_t length)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

static void write_files(struct files *f)
{
    strcpy(f->folder, "/tmp/ckg-idx-XXXXXX");
    assert_non_null(mkdtemp(f->folder));
    snprintf(f->images, sizeof f->images, "%s/images", f->folder);
    snprintf(f->labels, sizeof f->labels, "%s/labels", f->folder);
    write_bytes(f->images, f->image_bytes, f->image_length);
    write_bytes(f->labels, f->label_bytes, f->label_length);
}

static void remove_files(const struct files *f)
{
    unlink(f->images);
    unlink(f->labels);
    rmdir(f->folder);
}

static void check_read(long first, long count, int number, int got)
{
    struct files f;
    struct idx data;
    char why[200] = "";
    make_whole(&f);
    write_files(&f);
    assert_int_equal(idx_read(&data, f.images, f.labels, first, count, why, sizeof why), 0);
    assert_int_equal(data.count, got);
    assert_int_equal(data.total, IMAGES);
    for (int i = 0; i < got; i++) {
        assert_int_equal(data.labels[i], 2 * (number + i));
        for (int j = 0; j < IDX_PIXELS; j++)
            assert_int_equal(data.pixels[i * IDX_PIXELS + j], (number + i + j) % 256);
    }
    idx_free(&data);
    remove_files(&f);
}

static void test_whole(void **state)
{
    (void)state;
    check_read(0, -1, 0, IMAGES);
    check_read(0, 2, 0, 2);
    check_read(3, 2, 3, 2);
    check_read(-2, 2, 3, 2);
    check_read(-1, -1, 4, 1);
}

static void check_refused(struct files *f, long first, long count, const char *want)
{
    struct idx data;
    char why[200] = "";
    write_files(f);
    assert_int_equal(idx_read(&data, f->images, f->labels, first, count, why, sizeof why), -1);
    if (!strstr(why, want))
        fail_msg("\"%s\" does not say \"%s\"", why, want);
    assert_null(strchr(why, '\n'));
    assert_null(data.pixels);
    assert_null(data.labels);
    remove_files(f);
}

static void test_broken(void **state)
{
    struct files f;
    (void)state;
    make_whole(&f), f.image_length = 0, check_refused(&f, 0, -1, "images: ends within its head");
    make_whole(&f), f.image_length = 15, check_refused(&f, 0, -1, "images: ends within its head");
    make_whole(&f), f.label_length = 7, check_refused(&f, 0, -1, "labels: ends within its head");
    make_whole(&f), f.image_length--, check_refused(&f, 0, -1, "images: is shorter");
    make_whole(&f), f.image_length--, check_refused(&f, 0, 1, "images: is shorter");
    make_whole(&f), f.image_length++, check_refused(&f, 0, -1, "images: is longer");
    make_whole(&f), f.label_length--, check_refused(&f, 0, -1, "labels: is shorter");
    make_whole(&f), f.label_length++, check_refused(&f, 0, -1, "labels: is longer");
    make_whole(&f), f.image_bytes[0] = 31, check_refused(&f, 0, -1, "images: no images in idx form");
    make_whole(&f), f.image_bytes[2] = 13, check_refused(&f, 0, -1, "images: no images in idx form");
    make_whole(&f), f.image_bytes[3] = 1, check_refused(&f, 0, -1, "images: no images in idx form");
    make_whole(&f), f.label_bytes[3] = 3, check_refused(&f, 0, -1, "labels: no labels in idx form");
    make_whole(&f), f.image_bytes[11] = 14, check_refused(&f, 0, -1, "images: images are not 28×28");
    make_whole(&f), memset(f.image_bytes + 4, 0xFF, 4), check_refused(&f, 0, -1, "images: is shorter");
    make_whole(&f), f.image_bytes[7] = 0, f.image_length = 16,
                    check_refused(&f, 0, -1, "labels: not as many labels as images");
    make_whole(&f), f.label_bytes[7]--, f.label_length--,
        check_refused(&f, 0, -1, "labels: not as many labels as images");
    make_whole(&f), f.label_bytes[9] = 10, check_refused(&f, 0, -1, "labels: a label is not below 10");
    make_whole(&f), check_refused(&f, 0, IMAGES + 1, "images: has fewer images than are wanted");
    make_whole(&f), check_refused(&f, -IMAGES - 1, 2, "images: has fewer images than are wanted");
    make_whole(&f), check_refused(&f, 4, 2, "images: has fewer images than are wanted");
    make_whole(&f), check_refused(&f, 0, 0, "images: has fewer images than are wanted");
}

static void test_missing(void **state)
{
    struct idx data;
    char why[200] = "";
    (void)state;
    assert_int_equal(idx_read(&data, "/nowhere/images", "/nowhere/labels", 0, -1, why, sizeof why), -1);
    assert_string_equal(why, "/nowhere/images: cannot be opened; get-data.sh gets the data");
}

int main(void)
{
    return RUN_TESTS(test_whole, test_broken, test_missing);
}
