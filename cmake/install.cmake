# find_package(tacit) from an install prefix: the shared library, the public headers and the command. Components are the
# Debian packages of package.cmake.
include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/tacit)

install(TARGETS tacit_api EXPORT tacit LIBRARY COMPONENT library NAMELINK_COMPONENT development)
install(DIRECTORY include/tacit DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
install(EXPORT tacit FILE tacitConfig.cmake NAMESPACE tacit:: DESTINATION ${package_folder} COMPONENT development)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/tacitConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/tacitConfigVersion.cmake DESTINATION ${package_folder} COMPONENT development)
install(TARGETS tacit COMPONENT command)
install(FILES README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT command)
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT command)
install(FILES LICENSE NOTICE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT licence)
include(cmake/package.cmake)
