# find_package(tacit) from an install prefix: the shared library, the public headers and the command.
include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/tacit)

install(TARGETS tacit_api EXPORT tacit)
install(DIRECTORY include/tacit DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT tacit FILE tacitConfig.cmake NAMESPACE tacit:: DESTINATION ${package_folder})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/tacitConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/tacitConfigVersion.cmake DESTINATION ${package_folder})
install(FILES LICENSE NOTICE DESTINATION ${CMAKE_INSTALL_DOCDIR})
if(TARGET tacit)
  install(TARGETS tacit)
endif()
