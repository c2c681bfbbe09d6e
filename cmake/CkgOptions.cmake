# What can be switched, and the compiler flags that follow.
#
#   CKG_PROGRAM        the program ckg (needs libyaml, jansson and SQLite)
#   CKG_TESTS          the tests (needs cmocka)
#   CKG_BENCH          the benchmarks (needs OpenBLAS)
#   CKG_CAIRO          the program writes PNG files too (needs cairo)
#   CKG_POSTGRESQL     studies can be kept in PostgreSQL too (needs libpq)
#   CKG_SERVE          the program has `ckg serve` (needs libevent)
#   CKG_WERROR         warnings are errors, and assertions are checked
#   CKG_SANITIZE       sanitizers, as given to -fsanitize= (address,undefined or thread)
#   CKG_FUZZ           links tests/fuzz with libFuzzer (clang, with fuzzer-no-link in CKG_SANITIZE)
#   CKG_TEST_LAUNCHER  a command, as a list, that runs every test program, such as valgrind
#
# The first six are on where what they need is installed. Only what is given by -D is kept: the rest follows anew from
# what is installed at every configuration, so that a library that comes later is used.

if(PkgConfig_FOUND)
    pkg_check_modules(CMOCKA QUIET IMPORTED_TARGET cmocka)
    pkg_check_modules(OPENBLAS QUIET openblas)
    pkg_check_modules(YAML QUIET IMPORTED_TARGET yaml-0.1)
    pkg_check_modules(JANSSON QUIET IMPORTED_TARGET jansson)
    pkg_check_modules(SQLITE QUIET IMPORTED_TARGET sqlite3)
    pkg_check_modules(CAIRO QUIET IMPORTED_TARGET cairo)
    pkg_check_modules(LIBPQ QUIET IMPORTED_TARGET libpq>=14)
    pkg_check_modules(EVENT QUIET IMPORTED_TARGET libevent_core)
endif()
if(NOT OPENBLAS_FOUND)
    find_library(OPENBLAS_LINK_LIBRARIES openblas)
    find_path(OPENBLAS_INCLUDE_DIRS cblas.h PATH_SUFFIXES openblas)
endif()

# ckg_part(NAME WORDS FOUND…): the part's switch, which cannot be on unless all that it needs is found.
function(ckg_part name needs)
    set(possible ON)
    foreach(found IN LISTS ARGN)
        if(NOT ${found})
            set(possible OFF)
        endif()
    endforeach()
    if(NOT DEFINED ${name})
        set(${name} ${possible} PARENT_SCOPE)
    elseif(${name} AND NOT possible)
        message(FATAL_ERROR "${name} needs ${needs}")
    endif()
endfunction()

ckg_part(CKG_PROGRAM "libyaml, jansson, SQLite and pkg-config (Debian: libyaml-dev, libjansson-dev, libsqlite3-dev, pkg-config)"
    YAML_FOUND JANSSON_FOUND SQLITE_FOUND)
ckg_part(CKG_TESTS "cmocka and pkg-config (Debian: libcmocka-dev, pkg-config)" CMOCKA_FOUND)
ckg_part(CKG_BENCH "OpenBLAS (Debian: libopenblas-dev)" OPENBLAS_LINK_LIBRARIES)
ckg_part(CKG_CAIRO "cairo and pkg-config (Debian: libcairo2-dev, pkg-config)" CAIRO_FOUND)
ckg_part(CKG_POSTGRESQL "libpq 14 or later and pkg-config (Debian: libpq-dev, pkg-config)" LIBPQ_FOUND)
ckg_part(CKG_SERVE "libevent and pkg-config (Debian: libevent-dev, pkg-config)" EVENT_FOUND)
message(STATUS "program ${CKG_PROGRAM}, PNG files ${CKG_CAIRO}, PostgreSQL ${CKG_POSTGRESQL}, server ${CKG_SERVE}, tests ${CKG_TESTS}, benchmarks ${CKG_BENCH}")
if(CKG_PROGRAM AND NOT CKG_CAIRO AND NOT DEFINED CACHE{CKG_CAIRO})
    message(STATUS "Without cairo (Debian: libcairo2-dev) figures are written as SVG alone; `make deps` installs it.")
endif()
if(CKG_PROGRAM AND NOT CKG_SERVE AND NOT DEFINED CACHE{CKG_SERVE})
    message(STATUS "Without libevent (Debian: libevent-dev) there is no `ckg serve`; `make deps` installs it.")
endif()
if(NOT CKG_PROGRAM AND NOT DEFINED CACHE{CKG_PROGRAM})
    message(WARNING "Without libyaml, jansson and SQLite (Debian: libyaml-dev, libjansson-dev, libsqlite3-dev, pkg-config) "
        "the library alone is built. `make deps` installs them.")
endif()

set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)

# Nothing is fused but what says so (src/linalg/lanes.h): the same bits by every compiler and on every processor.
add_compile_options(-Wall -Wextra -Wpedantic -ffp-contract=off)
add_compile_definitions(_POSIX_C_SOURCE=200809L)
if(CKG_WERROR)
    add_compile_options(-Werror)
endif()
if(CKG_WERROR OR CKG_SANITIZE)
    add_compile_options(-UNDEBUG) # CMake's Release defines it
endif()
if(CKG_SANITIZE)
    add_compile_options(-fsanitize=${CKG_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    add_link_options(-fsanitize=${CKG_SANITIZE})
endif()
