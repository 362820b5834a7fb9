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

set(CPACK_COMPONENT_COMMAND_DESCRIPTION "${CPACK_PACKAGE_DESCRIPTION_SUMMARY}: the command
 Runs trained networks (ONNX) on data that it cannot read. It chooses the
 encryption parameters, makes keys, encrypts, evaluates on ciphertexts
 (CKKS or TFHE) and decrypts, as a command or as a service.")
set(CPACK_DEBIAN_COMMAND_PACKAGE_NAME ${package_of_command})
set(CPACK_DEBIAN_COMMAND_PACKAGE_SECTION science)

set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "${CPACK_PACKAGE_DESCRIPTION_SUMMARY}: the shared library
 Runs trained networks (ONNX) on data that it cannot read, on CKKS and TFHE
 ciphertexts. This package holds what programs load that use its C++ interface.")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME ${package_of_library})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)

# The headers include the standard library alone, and what the library is linked with is no part of its interface: so
# whoever builds against it needs no other -dev package.
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "${CPACK_PACKAGE_DESCRIPTION_SUMMARY}: for developers
 Headers of the C++ interface and the CMake package: find_package(tacit).")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME ${package_of_development})
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "${library_package} (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_RECOMMENDS "cmake, g++")

# What Debian's policy wants beside every package, and no other installation gets.
set(changelog ${CMAKE_CURRENT_BINARY_DIR}/debian/changelog)
configure_file(cmake/debian/changelog ${changelog} @ONLY)
file(ARCHIVE_CREATE OUTPUT ${changelog}.gz PATHS ${changelog} FORMAT raw COMPRESSION GZip COMPRESSION_LEVEL 9 MTIME 0)
foreach(component ${CPACK_COMPONENTS_ALL})
  install(FILES cmake/debian/copyright ${changelog}.gz DESTINATION share/doc/${package_of_${component}}
          COMPONENT ${component} EXCLUDE_FROM_ALL)
endforeach()
include(CPack)
