# examples/NAME.c becomes build/examples/NAME, using the public interface alone; bench/NAME.c becomes build/bench/NAME,
# which may look inside and is linked with OpenBLAS to compare with.

file(GLOB example_sources CONFIGURE_DEPENDS examples/*.c)
foreach(source IN LISTS example_sources)
    get_filename_component(name ${source} NAME_WE)
    add_executable(example_${name} ${source})
    target_link_libraries(example_${name} PRIVATE ckg m)
    set_target_properties(example_${name} PROPERTIES OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/examples)
endforeach()

if(CKG_BENCH)
    file(GLOB bench_sources CONFIGURE_DEPENDS bench/*.c)
    file(GLOB problem_sources CONFIGURE_DEPENDS app/problems/*.c)
    add_library(ckg_problems STATIC ${problem_sources})
    target_include_directories(ckg_problems PUBLIC include app)
    foreach(source IN LISTS bench_sources)
        get_filename_component(name ${source} NAME_WE)
        add_executable(bench_${name} ${source})
        target_include_directories(bench_${name} PRIVATE src ${OPENBLAS_INCLUDE_DIRS})
        target_link_libraries(bench_${name} PRIVATE ckg_problems ckg_static ${OPENBLAS_LINK_LIBRARIES})
        set_target_properties(bench_${name} PROPERTIES OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bench)
    endforeach()
endif()
