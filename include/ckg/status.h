/*
 * Status codes, and the message of the last error.
 *
 * Every function that can fail returns an int: CKG_OK (0) or one of the negative codes below. A function
 * that fails changes nothing that the caller can see, and leaves one line of text that names the cause;
 * ckg_error_message returns that line for the calling thread.
 */
#ifndef CKG_STATUS_H
#define CKG_STATUS_H

#include <ckg/export.h>

#ifdef __cplusplus
extern "C" {
#endif

/* X(name, value, text): the one list of codes, from which the enum and the texts are made. */
#define CKG_STATUS_LIST(X)                                                                                   \
    X(OK, 0, "success")                                                                                      \
    X(ERR_NOMEM, -1, "out of memory")                                                                        \
    X(ERR_INVALID, -2, "invalid argument")                                                                   \
    X(ERR_NOT_FOUND, -3, "no such thing")                                                                    \
    X(ERR_STATE, -4, "not possible in this state")                                                           \
    X(ERR_EXHAUSTED, -5, "every design has been evaluated")                                                  \
    X(ERR_NUMERIC, -6, "numerical breakdown")                                                                \
    X(ERR_SYSTEM, -7, "the operating system refused")                                                        \
    X(ERR_CANCELLED, -8, "cancelled by the caller")

enum ckg_status {
#define CKG_STATUS_ENUM(name, value, text) CKG_##name = value,
    CKG_STATUS_LIST(CKG_STATUS_ENUM)
#undef CKG_STATUS_ENUM
        CKG_STATUS_LIST_END = 1
};

/*
 * The general meaning of a code, a static string; "unknown status" if the number is not a code. Thread-safe.
 */
CKG_API const char *ckg_status_text(int status);

/*
 * What went wrong in the last call on this thread: one line without a newline, borrowed until the next call
 * of ckg on this thread. Empty if that call succeeded.
 */
CKG_API const char *ckg_error_message(void);

#ifdef __cplusplus
}
#endif
#endif
