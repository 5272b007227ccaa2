# SPDX-License-Identifier: MIT
# The stand-in's CMake package hip, with the targets that ROCm's has for host code.
include(${CMAKE_CURRENT_LIST_DIR}/hip-targets.cmake)
if(NOT TARGET hip::host)
  add_library(hip::host INTERFACE IMPORTED)
  set_target_properties(hip::host PROPERTIES INTERFACE_LINK_LIBRARIES hip::amdhip64
                        INTERFACE_COMPILE_DEFINITIONS __HIP_PLATFORM_AMD__=1)
endif()
