/*
 * The library's version and the instruction set that it uses. The macros say which version a program was
 * compiled with, ckg_version which one it runs with.
 */
#ifndef CKG_VERSION_H
#define CKG_VERSION_H

#include <ckg/export.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The build reads the version from here; it is stated nowhere else. */
#define CKG_VERSION_MAJOR 0
#define CKG_VERSION_MINOR 1
#define CKG_VERSION_PATCH 0
#define CKG_VERSION_STRING "0.1.0"

/* "major.minor.patch", a static string. Thread-safe. */
CKG_API const char *ckg_version(void);

/*
 * The instruction set in use, a static string: "v4" (AVX-512), "v3" (AVX2 and FMA) or "base" (any other
 * processor). The best one that the processor runs, unless the environment variable CKG_CPU names a lesser
 * one when it is first needed. All give the same bits, but for base on x86-64. Thread-safe.
 */
CKG_API const char *ckg_cpu(void);

#ifdef __cplusplus
}
#endif
#endif
