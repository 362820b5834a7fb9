# cmake -DBUILD=<build folder> -DSOURCE=<the consumer> -DWORK=<scratch folder> -DCOMPILER=... -DGENERATOR=...
#       -DPROGRAM=<the generator's> -P install_and_consume.cmake
# With the generator of the build itself: CMake's default one may not be installed. Installs the build into a fresh prefix, builds the consumer against that alone, and runs it.
file(REMOVE_RECURSE ${WORK})
foreach(step "${CMAKE_COMMAND};--install;${BUILD};--prefix;${WORK}/prefix"
             "${CMAKE_COMMAND};-G;${GENERATOR};-DCMAKE_MAKE_PROGRAM=${PROGRAM};-S;${SOURCE};-B;${WORK}/build;-DCMAKE_PREFIX_PATH=${WORK}/prefix;-DCMAKE_CXX_COMPILER=${COMPILER};-DCMAKE_BUILD_TYPE=Release"
             "${CMAKE_COMMAND};--build;${WORK}/build"
             "${WORK}/build/consumer")
  execute_process(COMMAND ${step} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
file(REMOVE_RECURSE ${WORK})
