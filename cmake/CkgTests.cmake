# Every tests/**/test_*.c is one program and one test, named by its path and labelled by its first folder. They are linked
# with the static library, where the functions that cross files inside the library can be called. The target `tests` builds them and whatever else
# the tests run; nothing of it is built by default.

add_custom_target(tests DEPENDS examples)
add_dependencies(tests ckg ckg_static)
add_dependencies(everything tests)
if(CKG_PROGRAM)
    add_dependencies(tests ckg_program ckg_pages)
endif()

# ckg_labels(NAME SOURCE LABEL…): labels, with `scaled` for a test that does less with CKG_TEST_LIGHT, by itself or by another test that it takes in.
# What has not got it does the same in `make test` and in `make test-all`, and scripts/test.py does not repeat it.
function(ckg_labels name source)
    set(labels ${ARGN})
    file(STRINGS ${PROJECT_SOURCE_DIR}/tests/${source} scaled LIMIT_COUNT 1
        REGEX "support/scale\\.h|CKG_TEST_LIGHT|[^A-Z]LIGHT[^A-Z]|[ (\\[]scale\\(|import test_|from test_")
    if(scaled)
        list(APPEND labels scaled)
    endif()
    set_tests_properties(${name} PROPERTIES LABELS "${labels}")
endfunction()

# ckg_left_out(NAME LABELS WHY): a test that was not built, so that it counts as skipped, not as nothing.
function(ckg_left_out name labels why)
    add_test(NAME ${name} COMMAND ${CMAKE_COMMAND} -E env sh -c "echo '${why}'; exit 77")
    set_tests_properties(${name} PROPERTIES LABELS "${labels}" SKIP_RETURN_CODE 77)
endfunction()

file(GLOB support_sources CONFIGURE_DEPENDS tests/support/*.c)
file(GLOB_RECURSE test_sources CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/tests tests/test_*.c)
if(NOT CKG_PROGRAM)
    list(FILTER test_sources EXCLUDE REGEX "^app/")
endif()
if(NOT TARGET example_mnist)
    list(FILTER test_sources EXCLUDE REGEX "^examples/")
    message(STATUS "examples/mnist and its tests need OpenBLAS and jansson: left out")
endif()

if(support_sources)
    add_library(ckg_test_support STATIC EXCLUDE_FROM_ALL ${support_sources})
    target_include_directories(ckg_test_support PRIVATE src tests)
    target_link_libraries(ckg_test_support PUBLIC ckg_static PkgConfig::CMOCKA)
endif()

foreach(source IN LISTS test_sources)
    string(REGEX REPLACE "\\.c$" "" name ${source})
    string(REGEX REPLACE "/.*" "" label ${source})
    string(REPLACE "/" "-" target ${name})
    get_filename_component(folder ${name} DIRECTORY)
    get_filename_component(program ${name} NAME)
    add_executable(${target} tests/${source})
    target_include_directories(${target} PRIVATE src tests)
    target_link_libraries(${target} PRIVATE $<TARGET_NAME_IF_EXISTS:ckg_test_support> ckg_static PkgConfig::CMOCKA m)
    if(source MATCHES "^app/")
        target_link_libraries(${target} PRIVATE ckg_app)
        if(program STREQUAL "test_bridge")
            target_sources(${target} PRIVATE ${bridge_sources})
            target_include_directories(${target} PRIVATE python)
        endif()
    elseif(source MATCHES "^examples/")
        target_link_libraries(${target} PRIVATE mnist_double)
    endif()
    ckg_extra(${target} ${program} tests/${folder} tests)
    add_test(NAME ${name} COMMAND ${CKG_TEST_LAUNCHER} $<TARGET_FILE:${target}>)
    ckg_labels(${name} ${source} ${label})
endforeach()

if(CKG_PROGRAM)
    # The program with places where it can be told to fail or to die: CKG_FAULT, for the tests alone.
    add_executable(ckg_with_faults app/main.c app/store/fault.c)
    target_link_libraries(ckg_with_faults PRIVATE ckg_app ckg_static)
    ckg_extra(ckg_with_faults ckg_with_faults tests tests)

    # tests/app/test_NAME.py gets the program; the one with faults is beside it, in tests/. What they show hardly depends on the compiler: all but
    # those of every command and of the examples are left to gcc and the sanitizers by their label, script.
    find_package(Python3 REQUIRED COMPONENTS Interpreter)
    file(GLOB script_sources CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/tests tests/app/test_*.py)
    if(CKG_SANITIZE) # what these ask a server for others ask too
        list(FILTER script_sources EXCLUDE REGEX "test_(openapi|serve_postgresql)\\.py$")
    endif()
    foreach(source IN LISTS script_sources)
        string(REGEX REPLACE "\\.py$" "" name ${source})
        add_test(NAME ${name} COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/${source} $<TARGET_FILE:ckg_program>)
        if(name MATCHES "^app/test_(commands|examples)$")
            ckg_labels(${name} ${source} app)
        else()
            ckg_labels(${name} ${source} app script)
        endif()
        set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77)
    endforeach()

    # The pages in a real browser. What a compiler makes of them is the same.
    if(CKG_SERVE AND NOT CKG_SANITIZE AND NOT CKG_TEST_LAUNCHER)
        add_test(NAME browser/test_pages COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/browser/test_pages.py $<TARGET_FILE:ckg_program>)
        ckg_labels(browser/test_pages browser/test_pages.py browser script)
        set_tests_properties(browser/test_pages PROPERTIES SKIP_RETURN_CODE 77)
    elseif(NOT CKG_SERVE)
        ckg_left_out(browser/test_pages "browser;script" "this ckg was built without libevent (Debian: libevent-dev)")
    endif()

    # The suite of the store once more, in a server of PostgreSQL that is started for it.
    if(CKG_POSTGRESQL)
        add_test(NAME app/test_store_on_a_server COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/app/postgresql.py
            $<TARGET_FILE:app-test_store> -- $<TARGET_FILE:app-test_store_changes>)
        set_tests_properties(app/test_store_on_a_server PROPERTIES LABELS "app;script" SKIP_RETURN_CODE 77)
    else()
        ckg_left_out(app/test_store_on_a_server "app;script" "this ckg was built without libpq (Debian: libpq-dev)")
    endif()

    # What studies say, to the last bit, as on every other machine. Sanitizers compile without what fuses.
    if(NOT CKG_SANITIZE AND NOT CKG_TEST_LAUNCHER)
        add_executable(same_record tests/same/record.c tests/same/record_says.c tests/same/record_worlds.c)
        target_link_libraries(same_record PRIVATE ckg_static m)
        ckg_extra(same_record record tests/same tests)
        add_test(NAME same/test_bits COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/same/test_bits.py
            $<TARGET_FILE:same_record> $<TARGET_FILE:ckg_program>)
        ckg_labels(same/test_bits same/test_bits.py contract)
        set_tests_properties(same/test_bits PROPERTIES SKIP_RETURN_CODE 77)
    endif()

    # tests/fuzz/fuzz_NAME.c is a libFuzzer target. Here it gets every file of tests/fuzz/corpus/NAME, by whatever compiler; with CKG_FUZZ, which
    # needs clang and fuzzer-no-link among the sanitizers, it is what `make fuzz` runs.
    add_custom_target(fuzzers)
    file(GLOB fuzz_sources CONFIGURE_DEPENDS tests/fuzz/fuzz_*.c)
    foreach(source IN LISTS fuzz_sources)
        get_filename_component(program ${source} NAME_WE)
        string(REGEX REPLACE "^fuzz_" "" name ${program})
        add_executable(${program} ${source} $<$<NOT:$<BOOL:${CKG_FUZZ}>>:tests/fuzz/replay.c>)
        target_link_libraries(${program} PRIVATE ckg_app ckg_static)
        target_link_options(${program} PRIVATE $<$<BOOL:${CKG_FUZZ}>:-fsanitize=fuzzer>)
        ckg_extra(${program} ${program} tests/fuzz tests)
        add_dependencies(fuzzers ${program})
        if(NOT CKG_FUZZ)
            add_test(NAME fuzz/${name} COMMAND ${CKG_TEST_LAUNCHER} $<TARGET_FILE:${program}> ${PROJECT_SOURCE_DIR}/tests/fuzz/corpus/${name})
            set_tests_properties(fuzz/${name} PROPERTIES LABELS fuzz)
        endif()
    endforeach()
endif()

# The page of bench/coco needs nothing but Python.
find_package(Python3 COMPONENTS Interpreter)
if(Python3_FOUND)
    add_test(NAME bench/test_coco_page COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/bench/test_coco_page.py)
    set_tests_properties(bench/test_coco_page PROPERTIES LABELS app)
endif()

if(CKG_PROGRAM AND TARGET example_mnist)
    add_test(NAME examples/test_mnist COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/examples/test_mnist.py
        $<TARGET_FILE:ckg_program> $<TARGET_FILE:example_mnist>)
    set_tests_properties(examples/test_mnist PROPERTIES LABELS example)
else()
    ckg_left_out(examples/test_mnist example "examples/mnist needs OpenBLAS and jansson (Debian: libopenblas-dev, libjansson-dev)")
endif()

# An example with a stored output must print exactly that; one without must only succeed.
foreach(source IN LISTS example_sources)
    get_filename_component(name ${source} NAME_WE)
    add_test(NAME examples/${name} COMMAND ${PROJECT_SOURCE_DIR}/tests/check_output.sh
        ${PROJECT_SOURCE_DIR}/examples/${name}.expected ${CKG_TEST_LAUNCHER} $<TARGET_FILE:example_${name}>)
    set_tests_properties(examples/${name} PROPERTIES LABELS example)
endforeach()

# The longest begin first, so that none is left alone at the end.
if(CKG_PROGRAM)
    foreach(name docs slurm store_trouble study_deck postgresql jobs show history worker own_designs digits steer kill outage names)
        set_tests_properties(app/test_${name} PROPERTIES COST 1000)
    endforeach()
endif()

# Under a sanitizer these take minutes and reach little that others do not: every block of the documentation, whole comparisons and studies from end to
# end, pictures by the dozen, hundreds of constraints under every policy, studies compared bit by bit, the counting of work between two questions to the caller.
if(CKG_SANITIZE)
    set(left_out contract/test_hurry contract/test_many_constraints contract/test_repeated_constraints contract/test_policies_same
        contract/test_scale contract/test_thompson contract/test_trust)
    if(CKG_PROGRAM)
        list(APPEND left_out app/test_docs app/test_history app/test_many_constraints app/test_bench app/test_bench_own app/test_geometry app/test_digits app/test_outage app/test_own_designs app/test_slurm
            app/test_postgresql app/test_worker_postgresql
            app/test_study_crashes app/test_study_deck app/test_study_laboratory app/test_study_network)
    endif()
    set_tests_properties(${left_out} PROPERTIES DISABLED TRUE)
endif()

# What concerns the tree and the installed files is the same under a sanitizer or valgrind, and is checked without; what concerns the tree alone
# has the label tree and is checked once, with gcc.
function(ckg_check name)
    add_test(NAME check/${name} COMMAND ${PROJECT_SOURCE_DIR}/tests/check_${name}.sh ${ARGN})
    set_tests_properties(check/${name} PROPERTIES LABELS check)
endfunction()

function(ckg_check_tree name)
    ckg_check(${name} ${PROJECT_SOURCE_DIR} ${ARGN})
    set_tests_properties(check/${name} PROPERTIES LABELS "check;tree")
endfunction()

if(NOT CKG_SANITIZE AND NOT CKG_TEST_LAUNCHER)
    add_test(NAME check/policy-docs COMMAND ${PROJECT_SOURCE_DIR}/scripts/policy-docs.sh --check ${PROJECT_BINARY_DIR})
    set_tests_properties(check/policy-docs PROPERTIES LABELS check)
    if(CKG_PROGRAM)
        add_test(NAME check/key-docs COMMAND ${PROJECT_SOURCE_DIR}/scripts/key-docs.sh --check ${PROJECT_BINARY_DIR})
        set_tests_properties(check/key-docs PROPERTIES LABELS check)
    endif()
    ckg_check_tree(layers)
    ckg_check_tree(names)
    ckg_check_tree(words)
    ckg_check_tree(format)
    ckg_check_tree(readme)
    ckg_check_tree(commands)
    ckg_check_tree(quiet)
    ckg_check_tree(targets ${CMAKE_COMMAND} ${CMAKE_C_COMPILER})
    ckg_check(headers ${PROJECT_SOURCE_DIR}/include ${CMAKE_C_COMPILER})
    ckg_check(exports $<TARGET_FILE:ckg>)
    ckg_check(install ${PROJECT_BINARY_DIR} ${CMAKE_COMMAND} ${CMAKE_C_COMPILER})
endif()
