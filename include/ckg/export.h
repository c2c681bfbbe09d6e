/* What the shared library exports: the symbols marked CKG_API, and nothing else. */
#ifndef CKG_EXPORT_H
#define CKG_EXPORT_H

#if defined(__GNUC__) || defined(__clang__)
#define CKG_API __attribute__((visibility("default")))
#else
#define CKG_API
#endif

#endif
