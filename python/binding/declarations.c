/*
 * What Python may call. The preprocessor expands this file, cffi reads what comes out, and the compiler
 * compares it with the headers: everything that the library declares, constants that are macros, and what
 * binding.c adds.
 */
#include <ckg/ckg.h>

#ifdef PYCKG_STORE
#include "bridge/study.h"
#endif

#undef CKG_OPTIONS_VERSION
#undef CKG_RECOMMEND_OPTIONS_VERSION
#undef CKG_SD_DEFAULT
static const int CKG_OPTIONS_VERSION;
static const int CKG_RECOMMEND_OPTIONS_VERSION;
static const double CKG_SD_DEFAULT;

struct pyckg_watch {
    int signals;
    double next;
};
int pyckg_interrupted(void *watch);
extern "Python" int pyckg_handle_signals(void *watch);
