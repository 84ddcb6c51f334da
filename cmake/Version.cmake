# One version for everything: project(VERSION), and the commit where the source is a clone.
#
# stiction_add_version(TARGET) adds the source file that defines stiction::version(). It is looked at in every build, and
# written only when the commit has changed, so that a build is never stale and a commit costs one object and the links.
# The same file, called by cmake -P with SOURCE_DIR, VERSION, TEMPLATE and OUTPUT, is what looks.

function(stiction_add_version target)
  set(output ${PROJECT_BINARY_DIR}/generated/version.cc)
  set(template ${PROJECT_SOURCE_DIR}/cmake/version.cc.in)
  set(look ${CMAKE_COMMAND} -D SOURCE_DIR=${PROJECT_SOURCE_DIR} -D VERSION=${PROJECT_VERSION} -D TEMPLATE=${template}
           -D OUTPUT=${output} -P ${PROJECT_SOURCE_DIR}/cmake/Version.cmake)
  add_custom_target(stiction_version ALL COMMAND ${look} BYPRODUCTS ${output} COMMENT "Version" VERBATIM)
  target_sources(${target} PRIVATE ${output})
  add_dependencies(${target} stiction_version)
endfunction()

# Sets `result` to the commit of the clone at `source`, or to nothing where there is none or git cannot tell.
function(stiction_commit source result)
  set(${result} "" PARENT_SCOPE)
  # A tarball that was unpacked inside some other repository has no .git of its own.
  find_program(GIT_PROGRAM git)
  if(NOT EXISTS ${source}/.git OR NOT GIT_PROGRAM)
    return()
  endif()
  # Whoever builds a source tree trusts it, whoever owns it.
  set(git ${GIT_PROGRAM} -c safe.directory=${source} -C ${source})
  execute_process(COMMAND ${git} rev-parse --short=10 HEAD OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE
                  ERROR_QUIET RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    return()
  endif()
  execute_process(COMMAND ${git} --no-optional-locks status --porcelain --untracked-files=no
                  OUTPUT_VARIABLE changes ERROR_QUIET)
  if(changes)
    string(APPEND commit ".modified")
  endif()
  set(${result} ${commit} PARENT_SCOPE)
endfunction()

if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  stiction_commit(${SOURCE_DIR} commit)
  set(STICTION_VERSION ${VERSION})
  if(commit)
    string(APPEND STICTION_VERSION "+${commit}")
  endif()
  configure_file(${TEMPLATE} ${OUTPUT} @ONLY)  # leaves a file alone that would not change
endif()
