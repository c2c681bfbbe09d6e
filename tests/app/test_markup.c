/* Whatever a name holds, it is text in SVG and HTML and nothing else; and files are whole or not there. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ckg/status.h>

#include "base/file.h"
#include "figure/draw/canvas.h"
#include "present/numbers.h"
#include "base/markup.h"
#include "support/test.h"

static void check_markup(const char *text, const char *want)
{
    struct app_text out = {0};
    app_markup(&out, text);
    assert_string_equal(out.data ? out.data : "", want);
    app_text_free(&out);
}

static void test_markup(void **state)
{
    (void)state;
    check_markup("", "");
    check_markup("<script>alert('&\"')</script>",
                 "&#60;script&#62;alert(&#39;&#38;&#34;&#39;)&#60;/script&#62;");
    check_markup("ünïcødé 漢字 🙂", "ünïcødé 漢字 🙂");
    check_markup("a\nb\t\x01\x7F", "a␊b␉␁␡");
    check_markup("\xFF\xC0\xAFx\xE2\x82", "���x��");
    check_markup("\xEF\xBF\xBE\xEF\xBF\xBF\xC2\x85", "���");
    check_markup("\xED\xA0\x80", "���");
}

static int characters(const char *text)
{
    int count = 0;
    for (; *text; text++)
        count += (*text & 0xC0) != 0x80;
    return count;
}

static void test_shorten(void **state)
{
    char out[APP_SHORT], long_name[1000] = "";
    (void)state;
    assert_string_equal(app_shorten("wire", 8, out), "wire");
    assert_string_equal(app_shorten("0123456789", 7, out), "0123…89");
    for (int i = 0; i < 200; i++)
        strcat(long_name, "漢");
    for (int most = 4; most <= 60; most++)
        assert_int_equal(characters(app_shorten(long_name, most, out)), most);
    for (int i = 0; i < 200; i++)
        memcpy(long_name + 4 * i, "🙂", 5);
    assert_int_equal(characters(app_shorten(long_name, 60, out)), 60);
    memset(long_name, 0xFF, sizeof long_name - 1);
    app_shorten(long_name, 60, out);
    assert_true(strlen(out) < APP_SHORT);
}

static void test_probabilities(void **state)
{
    static const struct {
        double probability;
        const char *text;
    } rows[] = {
#include "probabilities.inc"
    };
    char text[32];

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_string_equal(app_probability_text(rows[i].probability, text), rows[i].text);
    assert_string_equal(app_probability_text(NAN, text), "not known");
}

static void test_estimates(void **state)
{
    static const struct {
        double value, sd;
        const char *text;
    } rows[] = {
#include "estimates.inc"
    };
    const struct app_outcome unlimited = {.min = -INFINITY, .max = INFINITY};
    char text[64];

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_string_equal(app_estimate_text(&unlimited, rows[i].value, rows[i].sd, text), rows[i].text);
}

/* What is padded is as wide as it looks, and what is too long stays. */
static void test_columns(void **state)
{
    struct app_text out = {0};

    (void)state;
    app_columns_add(&out, "wire", 6);
    app_columns_add(&out, "漢字", -6);
    app_columns_add(&out, "lengths", 3);
    assert_string_equal(out.data, "wire    漢字lengths");
    app_text_free(&out);
}

static void test_width(void **state)
{
    (void)state;
    assert_true(app_letters_width("", 10) == 0);
    assert_true(app_letters_width("mmm", 10) > app_letters_width("iii", 10));
    assert_true(app_letters_width("漢字", 10) > app_letters_width("ab", 10));
}

/* Numbers that a figure should never ask for still leave a file that can be read. */
/* A line ends between two words where there is room for each of them, and says when it does not. */
static void test_lines(void **state)
{
    struct app_lines lines;

    (void)state;
    assert_int_equal(app_wrap_columns("stainless steel", 10, 2, &lines), 2);
    assert_string_equal(lines.line[0], "stainless");
    assert_true(lines.whole && !lines.broken);
    assert_int_equal(app_wrap_columns("stainless steel", 8, 2, &lines), 2);
    assert_string_equal(lines.line[0], "stainles");
    assert_true(lines.whole && lines.broken);
}

static void test_svg(void **state)
{
    struct app_canvas *canvas = app_canvas_svg.open(100, 50, "<&>", 0);
    const struct app_pen pen = {
        .stroke = APP_INK_TEXT, .fill = APP_INK_MEAN, .width = 1, .dash = 1, .clear = 0.5};
    const struct app_lettering letters = {10, APP_INK_TEXT, APP_END, 1, -90};
    struct app_text out = {0};
    (void)state;
    app_draw_line(canvas, 0, NAN, 1, INFINITY, &pen);
    app_draw_mark(canvas, APP_STAR, 5, 5, 3, &pen, "\"<hint>");
    app_draw_letters(canvas, 3, 4, &letters, "</text>");
    assert_true(canvas->table->close(canvas, &out));
    assert_null(strstr(out.data, "nan"));
    assert_null(strstr(out.data, "inf"));
    assert_non_null(strstr(out.data, "&#60;/text&#62;</text>"));
    assert_non_null(strstr(out.data, "<title>&#34;&#60;hint&#62;</title>"));
    app_text_free(&out);
}

static void test_endings(void **state)
{
    (void)state;
    assert_ptr_equal(app_canvas_for("a/b.svg"), &app_canvas_svg);
    assert_ptr_equal(app_canvas_for("B.SVG"), &app_canvas_svg);
    assert_ptr_equal(app_canvas_for("x.png"), &app_canvas_png);
    assert_null(app_canvas_for("x.pdf"));
    assert_null(app_canvas_for("svg"));
    assert_null(app_canvas_for("a.svg/b"));
}

static int entries(const char *folder)
{
    DIR *d = opendir(folder);
    int count = 0;
    assert_non_null(d);
    while (readdir(d))
        count++;
    closedir(d);
    return count - 2;
}

static void test_files(void **state)
{
    char folder[] = "/tmp/ckg-markup-XXXXXX", path[64], link[64], block[16] = "";
    struct app_message message;
    struct stat there;
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a.svg", folder);
    snprintf(link, sizeof link, "%s/link.svg", folder);
    assert_int_equal(app_write_file(path, "first", 5, &message), CKG_OK);
    assert_int_equal(chmod(path, 0640), 0);
    assert_int_equal(symlink(path, link), 0);
    assert_int_equal(app_write_file(link, "second", 6, &message), CKG_OK);
    FILE *file = fopen(path, "rb");
    assert_int_equal(fread(block, 1, sizeof block, file), 6);
    fclose(file);
    assert_memory_equal(block, "second", 6);
    assert_int_equal(lstat(link, &there), 0);
    assert_true(S_ISLNK(there.st_mode));
    assert_int_equal(stat(path, &there), 0);
    assert_int_equal(there.st_mode & 0777, 0640);
    assert_int_equal(entries(folder), 2); /* nothing is left beside it */
    assert_int_equal(app_write_file(folder, "x", 1, &message), CKG_ERR_SYSTEM);
    assert_int_equal(app_write_file("/nowhere/at/all.svg", "x", 1, &message), CKG_ERR_SYSTEM);
    assert_non_null(strstr(message.text, "/nowhere/at/all.svg: "));
    assert_int_equal(app_write_file("/dev/null", "x", 1, &message), CKG_OK);
    unlink(link);
    unlink(path);
    rmdir(folder);
}

int main(void)
{
    return RUN_TESTS(test_markup, test_shorten, test_probabilities, test_estimates, test_columns, test_width,
                     test_lines, test_svg, test_endings, test_files);
}
