/*
 * Any text as UTF-8, and back: for databases that take nothing else. A byte that is no part of UTF-8 becomes
 * one of the last characters of Unicode, U+10FF80 and so on, which are for private use; bytes of those
 * characters themselves do too, so that every text comes back as it was.
 */
#ifndef CKG_APP_UTF8_H
#define CKG_APP_UTF8_H

/* 1 when the text would be changed by writing it so, and by reading it back. */
int app_utf8_differs(const char *text);
int app_utf8_differed(const char *text);

/* The text so written, and read back; the caller frees it; NULL without memory. */
char *app_utf8_write(const char *text);
char *app_utf8_read(const char *text);

#endif
