# Installs the build into a fresh prefix, then builds and runs a project that knows nothing but find_package(stiction).
# Called by ctest as: cmake -D BUILD_DIR=... -D WORK_DIR=... -D CONSUMER_DIR=... -D GENERATOR=... -D CXX=... -P check.cmake
set(prefix ${WORK_DIR}/prefix)
set(consumer_build ${WORK_DIR}/build)
file(REMOVE_RECURSE ${WORK_DIR})

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "failed with ${status}: ${command}\n${output}")
  endif()
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${prefix})
# The consumer sees the installed files only, with the compiler of this build and flags of its own.
run(${CMAKE_COMMAND} -S ${CONSUMER_DIR} -B ${consumer_build} -G ${GENERATOR} -D CMAKE_BUILD_TYPE=Debug
    -D CMAKE_PREFIX_PATH=${prefix} -D CMAKE_CXX_COMPILER=${CXX} -D EXPECTED_PREFIX=${prefix})
run(${CMAKE_COMMAND} --build ${consumer_build})
run(${consumer_build}/consumer)
run(${consumer_build}/example ${CONSUMER_DIR}/../../../scenes/sphere_slide_roll.toml)
