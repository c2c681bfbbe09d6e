/*
 * Status texts and the thread's error message, in a fixed buffer so that running out of memory can be
 * reported too.
 */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MESSAGE_SIZE = 512 };

static _Thread_local char message[MESSAGE_SIZE];

const char *ckg_status_text(int status)
{
    switch (status) {
#define STATUS_CASE(name, value, text)                                                                       \
    case value:                                                                                              \
        return text;
        CKG_STATUS_LIST(STATUS_CASE)
#undef STATUS_CASE
    default:
        return "unknown status";
    }
}

const char *ckg_error_message(void)
{
    return message;
}

void ckg__error_clear(void)
{
    message[0] = '\0';
}

/* Names that a user chose may hold anything; the message promises one line. */
static void flatten_lines(char *text)
{
    for (; *text; text++)
        if (*text == '\n' || *text == '\r')
            *text = ' ';
}

/*
 * A text cut at the buffer's end must not end inside a UTF-8 character: Python's binding would refuse to
 * decode it.
 */
static void drop_partial_character(char *text)
{
    size_t end = strlen(text);
    size_t start = end;

    while (start > 0 && ((unsigned char)text[start - 1] & 0xC0) == 0x80)
        start--;
    if (start > 0 && (unsigned char)text[start - 1] >= 0xC0)
        text[start - 1] = '\0';
}

int ckg__fail(int status, const char *format, ...)
{
    va_list arguments;
    int length;

    if (message[0])
        return status;
    va_start(arguments, format);
    length = vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (length >= MESSAGE_SIZE)
        drop_partial_character(message);
    flatten_lines(message);
    return status;
}

int ckg__fail_nomem(void)
{
    return ckg__fail(CKG_ERR_NOMEM, "%s", ckg_status_text(CKG_ERR_NOMEM));
}
