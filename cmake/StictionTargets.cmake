# What every target of this project shares: language, warnings, floating-point rules, sanitizers.

add_library(stiction_flags INTERFACE)
target_compile_features(stiction_flags INTERFACE cxx_std_20)
# Same input, same bits: no contraction of a*b+c, no reassociation.
target_compile_options(stiction_flags INTERFACE -ffp-contract=off
                       $<BUILD_INTERFACE:-Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor>
                       $<$<BOOL:${STICTION_WERROR}>:$<BUILD_INTERFACE:-Werror>>
                       $<$<BOOL:${STICTION_MARCH}>:-march=${STICTION_MARCH}>)
if(STICTION_SANITIZE)
  target_compile_options(stiction_flags INTERFACE $<BUILD_INTERFACE:-fsanitize=${STICTION_SANITIZE} -fno-omit-frame-pointer>)
  target_link_options(stiction_flags INTERFACE $<BUILD_INTERFACE:-fsanitize=${STICTION_SANITIZE}>)
endif()
find_program(MOLD_PROGRAM mold)
if(MOLD_PROGRAM)
  target_link_options(stiction_flags INTERFACE $<BUILD_INTERFACE:-fuse-ld=mold>)
endif()

# stiction_folder(NAME DEPS...): the library made of one folder under src/stiction, linked only to the folders and
# packages named. script/check-includes verifies that the includes agree with this order.
function(stiction_folder name)
  file(GLOB sources CONFIGURE_DEPENDS ${name}/*.cc)
  file(GLOB headers CONFIGURE_DEPENDS ${name}/*.h)
  set(target stiction_${name})
  if(sources)
    add_library(${target} STATIC ${sources} ${headers})
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
