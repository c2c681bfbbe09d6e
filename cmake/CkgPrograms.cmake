# examples/NAME.c becomes build/examples/NAME, using the public interface alone; bench/NAME.c becomes build/bench/NAME,
# which may look inside and is linked with OpenBLAS to compare with. Those that draw use the program's canvas, and are built where the program is.
# None of them is built by default: the target `examples` builds the examples, `benches` the benchmarks, `everything` these, the tests and the rest.

add_custom_target(examples)
add_custom_target(benches)
add_custom_target(everything DEPENDS examples benches)
add_dependencies(everything ckg ckg_static)
if(CKG_PROGRAM)
    add_dependencies(everything ckg_program ckg_pages)
endif()

# ckg_extra(TARGET PROGRAM FOLDER GROUP): a program that is built by its group, as build/FOLDER/PROGRAM.
function(ckg_extra target program folder group)
    set_target_properties(${target} PROPERTIES OUTPUT_NAME ${program} RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/${folder}
        EXCLUDE_FROM_ALL ON)
    add_dependencies(${group} ${target})
endfunction()

file(GLOB example_sources CONFIGURE_DEPENDS examples/*.c)
foreach(source IN LISTS example_sources)
    get_filename_component(name ${source} NAME_WE)
    add_executable(example_${name} ${source})
    target_link_libraries(example_${name} PRIVATE ckg m)
    ckg_extra(example_${name} ${name} examples examples)
endforeach()

if(CKG_BENCH)
    file(GLOB bench_sources CONFIGURE_DEPENDS bench/*.c)
    # The problems and the experiment runner of `ckg bench`, which need nothing but the library.
    file(GLOB problem_sources CONFIGURE_DEPENDS app/problems/*.c)
    add_library(ckg_experiments STATIC EXCLUDE_FROM_ALL ${problem_sources} app/base/clock.c app/base/memory.c app/base/parallel.c app/base/text.c
        app/base/visible.c app/bench/replicate.c app/bench/spread.c)
    target_include_directories(ckg_experiments PUBLIC include app)
    target_compile_definitions(ckg_experiments PUBLIC _GNU_SOURCE)
    target_link_libraries(ckg_experiments PUBLIC Threads::Threads)
    foreach(source IN LISTS bench_sources)
        get_filename_component(name ${source} NAME_WE)
        file(STRINGS ${source} drawing REGEX "#include \"drawing.h\"")
        set(parts ckg_experiments)
        if(drawing AND CKG_PROGRAM)
            set(parts ckg_app)
        elseif(drawing)
            continue()
        endif()
        add_executable(bench_${name} ${source})
        target_include_directories(bench_${name} PRIVATE src ${OPENBLAS_INCLUDE_DIRS})
        target_link_libraries(bench_${name} PRIVATE ${parts} ckg_static ${OPENBLAS_LINK_LIBRARIES})
        ckg_extra(bench_${name} ${name} bench benches)
    endforeach()

    # The load that a store takes, for bench/store/load.py.
    if(CKG_PROGRAM)
        add_executable(bench_store_load bench/store/store_load.c)
        target_link_libraries(bench_store_load PRIVATE ckg_app ckg_static)
        ckg_extra(bench_store_load store_load bench benches)
    endif()

    # bench/coco/coco.c becomes build/bench/coco where scripts/fetch-coco.sh has fetched the suite, with nothing but itself, for other machines;
    # so does bench/reliability/reliability.c.
    if(NOT DEFINED CKG_COCO)
        set(CKG_COCO ${PROJECT_SOURCE_DIR}/build-coco)
    endif()
    if(EXISTS ${CKG_COCO}/coco.c AND NOT CKG_SANITIZE)
        add_library(coco_suite STATIC EXCLUDE_FROM_ALL ${CKG_COCO}/coco.c)
        target_compile_options(coco_suite PRIVATE -w -DNDEBUG)
        target_compile_definitions(coco_suite PRIVATE _GNU_SOURCE)
        target_include_directories(coco_suite SYSTEM PUBLIC ${CKG_COCO})
        foreach(name coco reliability)
            add_executable(bench_${name} bench/${name}/${name}.c)
            target_link_libraries(bench_${name} PRIVATE coco_suite ckg_experiments ckg_static)
            target_link_options(bench_${name} PRIVATE -static -s)
            ckg_extra(bench_${name} ${name} bench benches)
        endforeach()
    endif()
endif()

# examples/mnist becomes build/examples/mnist where OpenBLAS is there. The network is compiled in double precision too, for its tests.
if(OPENBLAS_LINK_LIBRARIES AND JANSSON_FOUND)
    foreach(precision single double)
        add_library(mnist_${precision} STATIC EXCLUDE_FROM_ALL examples/mnist/network.c examples/mnist/idx.c)
        target_include_directories(mnist_${precision} PUBLIC examples/mnist PRIVATE ${OPENBLAS_INCLUDE_DIRS})
        target_compile_options(mnist_${precision} PRIVATE -fno-math-errno -fno-trapping-math)
        target_link_libraries(mnist_${precision} PUBLIC ${OPENBLAS_LINK_LIBRARIES} m)
    endforeach()
    target_compile_definitions(mnist_double PUBLIC NETWORK_DOUBLE)
    add_executable(example_mnist examples/mnist/evaluate.c)
    target_link_libraries(example_mnist PRIVATE mnist_single PkgConfig::JANSSON)
    ckg_extra(example_mnist mnist examples examples)
endif()
