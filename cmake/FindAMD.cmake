# SuiteSparse's approximate minimum degree ordering (Debian: libsuitesparse-dev), which has no CMake package of its own
# before SuiteSparse 7: defines SuiteSparse::AMD.
find_path(AMD_INCLUDE_DIR suitesparse/amd.h)
find_library(AMD_LIBRARY amd)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(AMD REQUIRED_VARS AMD_LIBRARY AMD_INCLUDE_DIR)
mark_as_advanced(AMD_INCLUDE_DIR AMD_LIBRARY)
if(AMD_FOUND AND NOT TARGET SuiteSparse::AMD)
  add_library(SuiteSparse::AMD UNKNOWN IMPORTED)
  set_target_properties(SuiteSparse::AMD PROPERTIES IMPORTED_LOCATION "${AMD_LIBRARY}"
                        INTERFACE_INCLUDE_DIRECTORIES "${AMD_INCLUDE_DIR}")
endif()
