# The program `ckg`: everything in app/ but what the build chooses. It uses the library's public headers alone. Everything except main.c is
# compiled once, so that tests can call it too. A program that has no store/fault.c of its own gets store/fault_none.c from an archive; the tests
# have one that brings it (cmake/CkgTests.cmake).

if(CKG_PROGRAM)
    file(GLOB_RECURSE program_sources CONFIGURE_DEPENDS app/*.c)
    list(FILTER program_sources EXCLUDE REGEX "/app/(main|store/fault|store/fault_none|store/postgresql|store/postgresql_none|show/canvas_cairo|show/canvas_none|fuzz/.*)\\.c$")
    list(APPEND program_sources app/show/$<IF:$<BOOL:${CKG_CAIRO}>,canvas_cairo.c,canvas_none.c>
        app/store/$<IF:$<BOOL:${CKG_POSTGRESQL}>,postgresql.c,postgresql_none.c>)

    add_library(ckg_no_faults STATIC app/store/fault_none.c)
    target_include_directories(ckg_no_faults PRIVATE app)
    add_library(ckg_app OBJECT ${program_sources})
    target_include_directories(ckg_app PUBLIC include app)
    target_compile_definitions(ckg_app PUBLIC _GNU_SOURCE)
    target_link_libraries(ckg_app PUBLIC ckg_no_faults Threads::Threads PkgConfig::YAML PkgConfig::JANSSON PkgConfig::SQLITE
        $<$<BOOL:${CKG_CAIRO}>:PkgConfig::CAIRO> $<$<BOOL:${CKG_POSTGRESQL}>:PkgConfig::LIBPQ> m)

    add_executable(ckg_program app/main.c)
    target_link_libraries(ckg_program PRIVATE ckg_app ckg_static)
    set_target_properties(ckg_program PROPERTIES OUTPUT_NAME ckg)
    install(TARGETS ckg_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})

    # The program writes its own manual pages and completion scripts.
    set(pages ${PROJECT_BINARY_DIR}/pages)
    add_custom_command(OUTPUT ${pages}/done DEPENDS ckg_program ${PROJECT_SOURCE_DIR}/scripts/program-pages.sh
        COMMAND ${PROJECT_SOURCE_DIR}/scripts/program-pages.sh $<TARGET_FILE:ckg_program> ${pages} VERBATIM)
    add_custom_target(ckg_pages ALL DEPENDS ${pages}/done)
    install(DIRECTORY ${pages}/man1 ${pages}/man5 DESTINATION ${CMAKE_INSTALL_MANDIR})
    install(FILES ${pages}/ckg.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME ckg)
    install(FILES ${pages}/ckg.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
    install(FILES ${pages}/_ckg DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
endif()

# The same without the command line, for what has it linked in: python/bridge and all that it calls, in one archive. It is built where somebody
# asks for it. The tests have the bridge beside the program's objects.
file(GLOB bridge_sources CONFIGURE_DEPENDS python/bridge/*.c)
if(YAML_FOUND AND JANSSON_FOUND AND SQLITE_FOUND)
    set(notebook_sources ${bridge_sources} app/show/canvas_none.c app/store/fault_none.c
        app/store/$<IF:$<BOOL:${CKG_POSTGRESQL}>,postgresql.c,postgresql_none.c>)
    foreach(folder base define store evaluate notebook table problems json show)
        file(GLOB sources CONFIGURE_DEPENDS app/${folder}/*.c)
        list(FILTER sources EXCLUDE REGEX "/(fault|fault_none|postgresql|postgresql_none|canvas_cairo|canvas_none)\\.c$")
        list(APPEND notebook_sources ${sources})
    endforeach()
    add_library(ckg_notebook STATIC EXCLUDE_FROM_ALL ${notebook_sources})
    target_include_directories(ckg_notebook PRIVATE app PUBLIC include python)
    target_compile_definitions(ckg_notebook PRIVATE _GNU_SOURCE)
    target_link_libraries(ckg_notebook PUBLIC ckg_static Threads::Threads PkgConfig::YAML PkgConfig::JANSSON PkgConfig::SQLITE
        $<$<BOOL:${CKG_POSTGRESQL}>:PkgConfig::LIBPQ> m)
    set_target_properties(ckg_notebook PROPERTIES POSITION_INDEPENDENT_CODE ON C_VISIBILITY_PRESET hidden)
endif()
