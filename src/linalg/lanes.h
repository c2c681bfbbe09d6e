/*
 * A vector of doubles of the width that a hot file is compiled for, and the fused multiply-add that its
 * arithmetic is made of. For files that are compiled once per instruction set (variant.h); its types never
 * leave them.
 *
 * Every variant gives the same bits: the compiler fuses nothing by itself (-ffp-contract=off), each product
 * that is added to something says so by fused() or fused_lanes(), and no sum depends on how many lanes there
 * are. The one exception is an x86-64 processor without FMA (before 2013), where both round twice.
 */
#ifndef CKG_LINALG_LANES_H
#define CKG_LINALG_LANES_H

#include <stdint.h>
#include <string.h>

#if defined(__AVX512F__) || defined(__FMA__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#define INLINE static inline __attribute__((always_inline))

#if defined(__AVX512F__)
enum { LANES = 8 };
#elif defined(__FMA__)
enum { LANES = 4 };
#else
enum { LANES = 2 };
#endif

typedef double lanes __attribute__((vector_size(LANES * sizeof(double))));
typedef double memory_lanes __attribute__((vector_size(LANES * sizeof(double)), aligned(8), may_alias));

/* the bits of lanes, or a mask: all or none */
typedef uint64_t lane_bits __attribute__((vector_size(LANES * sizeof(double))));

/* a·b + c, rounded once. */
#if defined(__AVX512F__)

INLINE double fused(double a, double b, double c)
{
    return __builtin_fma(a, b, c);
}

INLINE lanes fused_lanes(lanes a, lanes b, lanes c)
{
    return _mm512_fmadd_pd(a, b, c);
}

/* The first `count` doubles, at most LANES, and zeros. */
INLINE lanes load_first(const double *p, int count)
{
    return _mm512_maskz_loadu_pd((__mmask8)((1u << count) - 1), p);
}

#elif defined(__FMA__)

INLINE double fused(double a, double b, double c)
{
    return __builtin_fma(a, b, c);
}

INLINE lanes fused_lanes(lanes a, lanes b, lanes c)
{
    return _mm256_fmadd_pd(a, b, c);
}

INLINE lanes load_first(const double *p, int count)
{
    static const int64_t masks[2 * LANES] = {-1, -1, -1, -1};

    return _mm256_maskload_pd(p, _mm256_loadu_si256((const void *)(masks + LANES - count)));
}

#else

#if defined(__aarch64__)

INLINE double fused(double a, double b, double c)
{
    return __builtin_fma(a, b, c);
}

INLINE lanes fused_lanes(lanes a, lanes b, lanes c)
{
    return vfmaq_f64(c, a, b);
}

#else

INLINE double fused(double a, double b, double c)
{
    return a * b + c;
}

INLINE lanes fused_lanes(lanes a, lanes b, lanes c)
{
    return a * b + c;
}

#endif

INLINE lanes load_first(const double *p, int count)
{
    return (lanes){count > 0 ? p[0] : 0, count > 1 ? p[1] : 0};
}

#endif

static inline int smaller(int a, int b)
{
    return a < b ? a : b;
}

INLINE lanes splat(double value)
{
    return value - (lanes){0};
}

INLINE lanes load(const double *p)
{
    return *(const memory_lanes *)p;
}

INLINE void store(double *p, lanes x)
{
    *(memory_lanes *)p = x;
}

#endif
