# Headers, both libraries, the pkg-config file and the CMake package. Both files find the rest relative to themselves, so
# that an installed tree can be moved.

include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/ckg)

install(TARGETS ckg ckg_static EXPORT ckgTargets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/ckg DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(EXPORT ckgTargets NAMESPACE ckg:: DESTINATION ${package_dir})

configure_package_config_file(cmake/ckgConfig.cmake.in ckgConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(ckgConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/ckgConfig.cmake ${PROJECT_BINARY_DIR}/ckgConfigVersion.cmake DESTINATION ${package_dir})

file(RELATIVE_PATH pkgconfig_to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" pkgconfig_to_prefix ${pkgconfig_to_prefix})
configure_file(ckg.pc.in ckg.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/ckg.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
