/*
 * The hot files are compiled several times, each for another instruction set, and chosen at run time. The
 * build defines CKG_VARIANT as base, v3 (x86-64-v3: AVX2, FMA) or v4 (AVX-512); each compilation exports one
 * table of functions.
 */
#ifndef CKG_LINALG_VARIANT_H
#define CKG_LINALG_VARIANT_H

#define CKG__PASTE2(a, b) a##_##b
#define CKG__PASTE(a, b) CKG__PASTE2(a, b)
#define CKG__VARIANT_NAME(name) CKG__PASTE(name, CKG_VARIANT)

enum ckg__variant { CKG__VARIANT_BASE, CKG__VARIANT_V3, CKG__VARIANT_V4 };

/* The tables of that name, to be indexed by a variant of this build. */
#if defined(CKG_HAVE_X86_VARIANTS)
#define CKG__VARIANT_TABLES(name) &name##_base, &name##_v3, &name##_v4
#else
#define CKG__VARIANT_TABLES(name) &name##_base
#endif

/* The best variant that this build has and this processor runs. */
enum ckg__variant ckg__variant_best(void);

/* The one in use: the best, or what CKG_CPU names where this processor runs it. Thread-safe. */
enum ckg__variant ckg__variant(void);

#endif
