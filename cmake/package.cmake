# Debian packages: `cpack -G DEB` in the build folder makes tacit (command and documentation), libtacit0 (the shared
# library) and libtacit-dev (headers, find_package). dpkg-shlibdeps finds what they depend on.
set(TACIT_PACKAGE_CONTACT "Tacit contributors <tacit@example.org>" CACHE STRING "Whom packages name as their maintainer")
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VENDOR "Tacit contributors")
set(CPACK_PACKAGE_CONTACT ${TACIT_PACKAGE_CONTACT})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "neural networks on encrypted data")
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
    WORLD_READ WORLD_EXECUTE)
set(CPACK_COMPONENTS_ALL command library development)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(library_package libtacit${PROJECT_VERSION_MAJOR})
set(package_of_command tacit)
set(package_of_library ${library_package})
set(package_of_development libtacit-dev)

set(what "Runs trained networks (ONNX) on data that it cannot read, on CKKS and TFHE\nciphertexts.")
set(CPACK_COMPONENT_COMMAND_DESCRIPTION "${what} This is the command: it chooses the encryption\nparameters, makes \
keys, encrypts, evaluates, serves and decrypts.")
set(CPACK_DEBIAN_COMMAND_PACKAGE_NAME ${package_of_command})
set(CPACK_DEBIAN_COMMAND_PACKAGE_SECTION science)

set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "${what} This is the shared library, for programs that use its\nC++ interface.")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME ${package_of_library})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_SOURCE_DIR}/cmake/debian/triggers)

# The headers include the standard library alone, and what the library is linked with is no part of its interface: so
# whoever builds against it needs no other -dev package.
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "${what} These are the headers of its C++ interface, and the\nCMake \
package: find_package(tacit).")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME ${package_of_development})
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "${library_package} (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_RECOMMENDS "cmake, g++")

# What Debian's policy wants beside every package, and no other installation gets.
find_program(GZIP gzip)
if(GZIP)
  function(compressed source output)
    configure_file(${source} ${output} @ONLY)
    execute_process(COMMAND ${GZIP} -9nf ${output} COMMAND_ERROR_IS_FATAL ANY)
  endfunction()
  set(made ${CMAKE_CURRENT_BINARY_DIR}/debian)
  compressed(cmake/debian/changelog ${made}/changelog)
  compressed(cmake/debian/tacit.1 ${made}/tacit.1)
  foreach(component ${CPACK_COMPONENTS_ALL})
    install(FILES cmake/debian/copyright ${made}/changelog.gz DESTINATION share/doc/${package_of_${component}}
            COMPONENT ${component} EXCLUDE_FROM_ALL)
  endforeach()
  install(FILES ${made}/tacit.1.gz DESTINATION share/man/man1 COMPONENT command EXCLUDE_FROM_ALL)
endif()
include(CPack)
