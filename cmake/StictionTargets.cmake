# What every target of this project shares: language, warnings, floating-point rules, sanitizers.

add_library(stiction_flags INTERFACE)
set_target_properties(stiction_flags PROPERTIES EXPORT_NAME flags)
target_compile_features(stiction_flags INTERFACE cxx_std_20)
# Same input, same bits: no contraction of a*b+c, no reassociation. Users of the installed package inherit this, the
# instruction set (it decides Eigen's alignment) and the sanitizers, without which they would not link; nothing else.
target_compile_options(stiction_flags INTERFACE -ffp-contract=off
                       "$<BUILD_INTERFACE:-Wall;-Wextra;-Wpedantic;-Wnon-virtual-dtor>")
# Where files are compiled together, a local name of one is a global name to the next.
target_compile_options(stiction_flags INTERFACE "$<BUILD_INTERFACE:$<IF:$<BOOL:$<TARGET_PROPERTY:STICTION_TOGETHER>>,\
-Wno-subobject-linkage;-Wno-stringop-overflow;-Wno-stringop-overread,-Wshadow>>")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 warns falsely of copies inside std::string that overlap or pass its end when it optimises. Whether it does
  # depends on the length of a literal, the path of the checkout among them.
  target_compile_options(stiction_flags INTERFACE "$<BUILD_INTERFACE:-Wno-restrict;-Wno-array-bounds>")
endif()
if(STICTION_WERROR)
  target_compile_options(stiction_flags INTERFACE $<BUILD_INTERFACE:-Werror>)
endif()
if(STICTION_MARCH)
  target_compile_options(stiction_flags INTERFACE -march=${STICTION_MARCH})
endif()
if(STICTION_SANITIZE)
  # Undefined behaviour ends the program, so that a test fails rather than prints.
  target_compile_options(stiction_flags INTERFACE -fsanitize=${STICTION_SANITIZE} -fno-sanitize-recover=all
                         -fno-omit-frame-pointer)
  # GCC 12 warns falsely of uninitialised members inside <regex> when it instruments them.
  target_compile_options(stiction_flags INTERFACE $<BUILD_INTERFACE:-Wno-maybe-uninitialized>)
  target_link_options(stiction_flags INTERFACE -fsanitize=${STICTION_SANITIZE})
endif()
find_program(MOLD_PROGRAM mold)
if(MOLD_PROGRAM)
  target_link_options(stiction_flags INTERFACE $<BUILD_INTERFACE:-fuse-ld=mold>)
endif()

# Two thirds of a cold build used to be the parsing of Eigen, fmt and the standard library. One precompiled header
# serves all libraries, another the programs (which are not position-independent). Sources still include what they use.
set(stiction_common_headers <algorithm> <array> <cmath> <cstdint> <filesystem> <functional> <limits> <map> <memory>
    <numbers> <optional> <span> <string> <string_view> <vector> <Eigen/Cholesky> <Eigen/Core> <Eigen/Eigenvalues>
    <Eigen/LU> <Eigen/QR> <fmt/format.h> <tl/expected.hpp>)
function(stiction_header_target name)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/precompiled/${name}.cc CONTENT "")
  add_library(${name} STATIC ${PROJECT_BINARY_DIR}/precompiled/${name}.cc)
  target_link_libraries(${name} PRIVATE stiction_flags Eigen3::Eigen fmt::fmt tl::expected)
  target_precompile_headers(${name} PRIVATE ${ARGN})
endfunction()
function(stiction_precompiled_headers)
  stiction_header_target(stiction_library_headers ${stiction_common_headers})
  set_target_properties(stiction_library_headers PROPERTIES POSITION_INDEPENDENT_CODE ON)
  stiction_header_target(stiction_program_headers ${stiction_common_headers})
endfunction()

# Sets `result` to what a source file defines at namespace scope, by the look of its lines: "name=" and the meaning that
# another file may give it, too (an alias), or the file itself (anything else). What this misses shows as a redefinition
# when files are compiled together.
function(stiction_local_names source result)
  file(STRINGS ${source} lines REGEX "^(#define |[A-Za-z].*[ *&][A-Za-z_0-9]+(\\(|\\[| = | *\\{|;|$))")
  list(FILTER lines EXCLUDE REGEX "^(namespace|using namespace) ")
  set(names "")
  foreach(line IN LISTS lines)
    if(line MATCHES "^using ([A-Za-z_0-9]+) = (.*)$")
      list(APPEND names "${CMAKE_MATCH_1}=${CMAKE_MATCH_2}")
      continue()
    endif()
    string(REGEX REPLACE "\\(.*" "(" line "${line}")
    string(REGEX MATCHALL "[ *&][A-Za-z_][A-Za-z_0-9]*(\\(|\\[| =| *\\{|;)" found "${line}")
    string(REGEX MATCHALL "^(#define|class|struct|enum class|enum) [A-Za-z_0-9]+" types "${line}")
    string(REGEX REPLACE "(#define|class|struct|enum class|enum) |[^A-Za-z_0-9;]" "" found "${found};${types}")
    list(REMOVE_ITEM found "")
    list(TRANSFORM found APPEND "=${source}")
    list(APPEND names ${found})
  endforeach()
  set(${result} "${names}" PARENT_SCOPE)
endfunction()

# Has the sources of a target compiled several at a time, which costs half as much as one by one: each joins the first
# group of at most `stiction_group_size` that gives none of its local names another meaning.
set(stiction_group_size 12)
function(stiction_compile_together target)
  if(NOT STICTION_UNITY)
    return()
  endif()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${ARGN})  # a new name may need another group
  foreach(source IN LISTS ARGN)
    stiction_local_names(${source} names)
    set(group -1)
    set(clash TRUE)
    while(clash)
      math(EXPR group "${group} + 1")
      set(clash FALSE)
      if(DEFINED size_${group} AND NOT size_${group} LESS stiction_group_size)
        set(clash TRUE)
        continue()
      endif()
      foreach(name IN LISTS names)
        string(REGEX MATCH "^([A-Za-z_0-9]*)=(.*)$" ignored "${name}")
        if(DEFINED meaning_${group}_${CMAKE_MATCH_1} AND NOT meaning_${group}_${CMAKE_MATCH_1} STREQUAL CMAKE_MATCH_2)
          set(clash TRUE)
          break()
        endif()
      endforeach()
    endwhile()
    foreach(name IN LISTS names)
      string(REGEX MATCH "^([A-Za-z_0-9]*)=(.*)$" ignored "${name}")
      set(meaning_${group}_${CMAKE_MATCH_1} "${CMAKE_MATCH_2}")
    endforeach()
    if(NOT DEFINED size_${group})
      set(size_${group} 0)
    endif()
    math(EXPR size_${group} "${size_${group}} + 1")
    file(RELATIVE_PATH name ${PROJECT_SOURCE_DIR} ${source})
    string(APPEND text_${group} "#include \"${name}\"\n")
    set_source_files_properties(${source} PROPERTIES HEADER_FILE_ONLY ON)
  endforeach()
  # The files name their sources from the root of the repository: the compiler cache then serves every checkout.
  set(group 0)
  while(DEFINED text_${group})
    set(file ${PROJECT_BINARY_DIR}/together/${target}_${group}.cc)
    file(CONFIGURE OUTPUT ${file} CONTENT "${text_${group}}" @ONLY)
    target_sources(${target} PRIVATE ${file})
    math(EXPR group "${group} + 1")
  endwhile()
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
  set_target_properties(${target} PROPERTIES STICTION_TOGETHER ON)
endfunction()

# stiction_folder(NAME DEPS...): the library made of one folder under src/stiction, linked only to the folders and
# packages named. script/check-includes verifies that the includes agree with this order.
function(stiction_folder name)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${name}/*.cc)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${name}/*.h)
  set(target stiction_${name})
  if(sources)
    add_library(${target} STATIC ${sources} ${headers})
    stiction_compile_together(${target} ${sources})
    if(NOT name STREQUAL "base")
      target_precompile_headers(${target} REUSE_FROM stiction_library_headers)
    endif()
    set(scope PUBLIC)
  else()
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
  endif()
  add_library(stiction::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name} POSITION_INDEPENDENT_CODE ON)
  target_include_directories(${target} ${scope} $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>
                             $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(${target} ${scope} stiction_flags ${ARGN})
  install(TARGETS ${target} EXPORT stictionTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(DIRECTORY ${name}/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/stiction/${name} FILES_MATCHING PATTERN "*.h")
endfunction()
