# The library. Position-independent objects are compiled once and go into both libckg.so and libckg.a.
#
# The hot files (hot_*.c) are compiled once per instruction set; each compilation exports its tables under its own name (see
# src/linalg/variant.h), and the library chooses at run time. Their vector types never leave a file, so that the warning
# that passing them depends on the instruction set says nothing here.

file(GLOB_RECURSE library_sources CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} src/*.c)
file(GLOB_RECURSE hot_sources CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} src/hot_*.c)
list(REMOVE_ITEM library_sources ${hot_sources})

set(variants base)
set(variant_flags_base "")
set(variant_flags_v3 -march=x86-64-v3)
set(variant_flags_v4 -march=x86-64-v4 -mprefer-vector-width=512)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
    check_c_compiler_flag(-march=x86-64-v4 CKG_COMPILER_HAS_X86_64_V4)
    if(CKG_COMPILER_HAS_X86_64_V4)
        list(APPEND variants v3 v4)
        add_compile_definitions(CKG_HAVE_X86_VARIANTS=1)
    endif()
endif()

function(ckg_object_library name)
    add_library(${name} OBJECT ${ARGN})
    target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
    target_compile_options(${name} PRIVATE -fno-math-errno -fno-trapping-math)
    set_target_properties(${name} PROPERTIES C_VISIBILITY_PRESET hidden POSITION_INDEPENDENT_CODE ON)
endfunction()

ckg_object_library(ckg_objects ${library_sources})
set(library_objects $<TARGET_OBJECTS:ckg_objects>)
foreach(variant IN LISTS variants)
    ckg_object_library(ckg_hot_${variant} ${hot_sources})
    target_compile_definitions(ckg_hot_${variant} PRIVATE CKG_VARIANT=${variant})
    target_compile_options(ckg_hot_${variant} PRIVATE -Wno-psabi ${variant_flags_${variant}})
    list(APPEND library_objects $<TARGET_OBJECTS:ckg_hot_${variant}>)
endforeach()

add_library(ckg SHARED ${library_objects})
set_target_properties(ckg PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
add_library(ckg_static STATIC ${library_objects})
set_target_properties(ckg_static PROPERTIES OUTPUT_NAME ckg)
foreach(library ckg ckg_static)
    set_target_properties(${library} PROPERTIES LINKER_LANGUAGE C)
    target_include_directories(${library} INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
        $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
endforeach()
target_link_libraries(ckg PRIVATE Threads::Threads m)
target_link_libraries(ckg_static PUBLIC Threads::Threads m)
