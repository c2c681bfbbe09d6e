# The program `ckg`: everything in app/ but what the build chooses. It uses the library's public headers alone. Everything except main.c is
# compiled once, so that tests can call it too. A program that has no store/fault.c of its own gets store/fault_none.c from an archive; the tests
# have one that brings it (cmake/CkgTests.cmake).

if(CKG_PROGRAM)
    file(GLOB_RECURSE program_sources CONFIGURE_DEPENDS app/*.c)
    list(FILTER program_sources EXCLUDE REGEX
        "/app/(main|store/fault|store/fault_none|store/postgresql[a-z_]*|figure/draw/canvas_cairo|figure/draw/canvas_none|serve/server_beside|serve/connection|serve/server|serve/server_none|fuzz/.*)\\.c$")
    list(APPEND program_sources app/figure/draw/$<IF:$<BOOL:${CKG_CAIRO}>,canvas_cairo.c,canvas_none.c>
        $<IF:$<BOOL:${CKG_POSTGRESQL}>,app/store/postgresql.c;app/store/postgresql_connect.c;app/store/postgresql_values.c,app/store/postgresql_none.c>
        $<IF:$<BOOL:${CKG_SERVE}>,app/serve/server.c;app/serve/connection.c;app/serve/server_beside.c,app/serve/server_none.c>)

    # What the server sends as it is: an array of bytes each.
    set(served ${PROJECT_BINARY_DIR}/served_files.c)
    set(served_bytes "")
    set(served_rows "")
    set(number 0)
    set(type_js "text/javascript; charset=utf-8")
    set(type_css "text/css; charset=utf-8")
    set(type_ico image/svg+xml) # what browsers show beside a title, asked for or not
    set(type_html "text/html; charset=utf-8")
    set(type_json application/json)
    set(place_json /api/v1)
    file(GLOB modules CONFIGURE_DEPENDS app/serve/files/*.ico app/serve/files/*.html app/serve/files/*.js app/serve/files/*.css)
    foreach(file docs/openapi.json ${modules})
        get_filename_component(name ${file} NAME)
        string(REGEX MATCH "[^.]*$" ending ${name})
        math(EXPR number "${number} + 1")
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
        string(APPEND served_rows "    {\"${place_${ending}}/${name}\", \"${type_${ending}}\", (const char *)file_${number}},\n")
        file(READ ${file} bytes HEX)
        string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
        string(APPEND served_bytes "static const unsigned char file_${number}[] = {${bytes}0};\n")
    endforeach()
    file(CONFIGURE OUTPUT ${served} CONTENT "/* Made by cmake/CkgProgram.cmake. */
#include \"serve/routes.h\"

${served_bytes}
const struct app_served_file app_served_files[] = {
${served_rows}    {0},
};
" @ONLY)
    list(APPEND program_sources ${served})

    add_library(ckg_no_faults STATIC app/store/fault_none.c)
    target_include_directories(ckg_no_faults PRIVATE app)
    add_library(ckg_app OBJECT ${program_sources})
    target_include_directories(ckg_app PUBLIC include app)
    target_compile_definitions(ckg_app PUBLIC _GNU_SOURCE)
    target_link_libraries(ckg_app PUBLIC ckg_no_faults Threads::Threads PkgConfig::YAML PkgConfig::JANSSON PkgConfig::SQLITE
        $<$<BOOL:${CKG_CAIRO}>:PkgConfig::CAIRO> $<$<BOOL:${CKG_POSTGRESQL}>:PkgConfig::LIBPQ> $<$<BOOL:${CKG_SERVE}>:PkgConfig::EVENT> m)

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
    set(bridge_parts ${bridge_sources} app/figure/draw/canvas_none.c app/store/fault_none.c
        $<IF:$<BOOL:${CKG_POSTGRESQL}>,app/store/postgresql.c;app/store/postgresql_connect.c;app/store/postgresql_values.c,app/store/postgresql_none.c>)
    foreach(folder base problems definition store evaluate study actions present figure figure/draw report api run)
        file(GLOB sources CONFIGURE_DEPENDS app/${folder}/*.c)
        list(FILTER sources EXCLUDE REGEX "/(fault|fault_none|postgresql[a-z_]*|canvas_cairo|canvas_none)\\.c$")
        list(APPEND bridge_parts ${sources})
    endforeach()
    add_library(ckg_bridge STATIC EXCLUDE_FROM_ALL ${bridge_parts})
    target_include_directories(ckg_bridge PRIVATE app PUBLIC include python)
    target_compile_definitions(ckg_bridge PRIVATE _GNU_SOURCE)
    target_link_libraries(ckg_bridge PUBLIC ckg_static Threads::Threads PkgConfig::YAML PkgConfig::JANSSON PkgConfig::SQLITE
        $<$<BOOL:${CKG_POSTGRESQL}>:PkgConfig::LIBPQ> m)
    set_target_properties(ckg_bridge PROPERTIES POSITION_INDEPENDENT_CODE ON C_VISIBILITY_PRESET hidden)
endif()
