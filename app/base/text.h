/* Messages and strings of the program: one line each, grown as needed. */
#ifndef CKG_APP_TEXT_H
#define CKG_APP_TEXT_H

#include <stddef.h>

/* What went wrong, in one line of UTF-8 that a terminal may be given (base/visible.h); a newline in it is a
 * space. */
struct app_message {
    char text[1024];
};

/* Writes the message and returns the status. */
int app_fail(struct app_message *message, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* "out of memory", CKG_ERR_NOMEM */
int app_no_memory(struct app_message *message);

/*
 * A string that grows; start from zeroes, free `data`. After a failed allocation `failed` is 1 and nothing
 * more is added.
 */
struct app_text {
    char *data;
    size_t length, capacity;
    int failed;
};

void app_text_add(struct app_text *text, const char *bytes, size_t length);
/* The same for bytes from anywhere: what is not UTF-8, and zero bytes, become U+FFFD. */
void app_text_add_valid(struct app_text *text, const char *bytes, size_t length);
void app_text_print(struct app_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A name for a file: letters, digits and a few signs stay; what else it has is told apart by a number behind
 * it. */
void app_text_add_plain(struct app_text *text, const char *name);
void app_text_free(struct app_text *text);

/* The length of the UTF-8 sequence at `bytes`, or 0 where there is none. */
int app_utf8_length(const unsigned char *bytes, size_t left);

/* A copy that the caller frees, NULL without memory. */
char *app_copy(const char *string);

/* The whole file, with a zero byte behind it. */
int app_read_file(const char *path, char **out, size_t *length, struct app_message *message);

#endif
