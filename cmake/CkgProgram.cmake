# The program `ckg`: everything in app/ but what the build chooses. It uses the library's public headers alone. Everything except main.c is
# compiled once, so that tests can call it too.

# Not cached unless it is given: once the libraries are installed, the next `make` builds the program.
if(NOT DEFINED CKG_PROGRAM)
    set(CKG_PROGRAM ${program_possible})
endif()
if(NOT program_possible)
    set(program_needs "The program ckg needs libyaml, jansson and SQLite (Debian: libyaml-dev, libjansson-dev, libsqlite3-dev, pkg-config)")
    if(CKG_PROGRAM)
        message(FATAL_ERROR "${program_needs}")
    elseif(NOT DEFINED CACHE{CKG_PROGRAM})
        message(WARNING "${program_needs}; without them the library alone is built. `make deps` installs them.")
    endif()
endif()
option(CKG_FAULTS "The program can be told to fail at a chosen write, for the tests" ${CKG_TESTS})

if(CKG_PROGRAM)
    file(GLOB_RECURSE program_sources CONFIGURE_DEPENDS app/*.c)
    list(FILTER program_sources EXCLUDE REGEX "/app/(main|store/fault|store/fault_none|show/canvas_cairo|show/canvas_none|fuzz/.*)\\.c$")
    list(APPEND program_sources app/store/$<IF:$<BOOL:${CKG_FAULTS}>,fault.c,fault_none.c>)
    list(APPEND program_sources app/show/$<IF:$<BOOL:${CKG_CAIRO}>,canvas_cairo.c,canvas_none.c>)

    add_library(ckg_app OBJECT ${program_sources})
    target_include_directories(ckg_app PUBLIC include app)
    target_compile_definitions(ckg_app PUBLIC _GNU_SOURCE)
    target_link_libraries(ckg_app PUBLIC Threads::Threads PkgConfig::YAML PkgConfig::JANSSON PkgConfig::SQLITE
        $<$<BOOL:${CKG_CAIRO}>:PkgConfig::CAIRO> m)

    add_executable(ckg_program app/main.c)
    target_link_libraries(ckg_program PRIVATE ckg_app ckg_static)
    set_target_properties(ckg_program PROPERTIES OUTPUT_NAME ckg)
    install(TARGETS ckg_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})

    # The program writes its own manual pages and completion scripts.
    set(pages ${PROJECT_BINARY_DIR}/pages)
    add_custom_command(OUTPUT ${pages}/done DEPENDS ckg_program ${PROJECT_SOURCE_DIR}/scripts/program-pages.sh
        COMMAND ${PROJECT_SOURCE_DIR}/scripts/program-pages.sh $<TARGET_FILE:ckg_program> ${pages} VERBATIM)
    add_custom_target(ckg_pages ALL DEPENDS ${pages}/done)
    install(DIRECTORY ${pages}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR})
    install(FILES ${pages}/ckg.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME ckg)
    install(FILES ${pages}/_ckg DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
endif()
