# SPDX-License-Identifier: MIT
# How one file becomes one test or more; test/CMakeLists.txt tells the rules.

function(hipfile_glob variable)
  list(TRANSFORM ARGN PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  file(GLOB files CONFIGURE_DEPENDS ${ARGN})
  set(${variable} ${files} PARENT_SCOPE)
endfunction()

# assert() stays alive in tests. _GNU_SOURCE is given as a file would define it itself, so that a
# file that does so too is no redefinition.
function(hipfile_test_flags target)
  target_compile_definitions(${target} PRIVATE $<$<COMPILE_LANGUAGE:C>:_GNU_SOURCE=>)
  target_compile_options(${target} PRIVATE -UNDEBUG)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/test ${PROJECT_SOURCE_DIR}/test/support
                             ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/hiplite/include)
endfunction()

# Forked children do not wait for the parent's threads, and may start their own.
set(test_environment BUILD_DIR=${PROJECT_BINARY_DIR} SOURCE_DIR=${PROJECT_SOURCE_DIR}
    "TSAN_OPTIONS=report_thread_leaks=0 die_after_fork=0 $ENV{TSAN_OPTIONS}"
    "LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/test/lsan.supp:print_suppressions=0")

set(HIPFILE_TEST_TIMEOUT 300 CACHE STRING "Seconds that a test may take")

# Registers the command as a test, once for each ctest-args line or once without arguments.
function(hipfile_register file name label)
  file(STRINGS ${file} marks REGEX "^(//|#) ctest(-args|-manual|:)")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  if(marks MATCHES "ctest-manual")
    return()
  endif()
  set(properties "")
  set(names "")
  foreach(mark ${marks})
    if(mark MATCHES "ctest-args: *([^ ]+) *(.*)$")
      list(APPEND names ${name}:${CMAKE_MATCH_1})
      separate_arguments(arguments UNIX_COMMAND "${CMAKE_MATCH_2}")
      add_test(NAME ${name}:${CMAKE_MATCH_1} COMMAND ${ARGN} ${arguments})
    elseif(mark MATCHES "ctest: *(.+)$")
      separate_arguments(words UNIX_COMMAND "${CMAKE_MATCH_1}")
      list(APPEND properties ${words})
    endif()
  endforeach()
  if(NOT names)
    set(names ${name})
    add_test(NAME ${name} COMMAND ${ARGN})
  endif()
  set_tests_properties(${names} PROPERTIES LABELS ${label} SKIP_RETURN_CODE 77 TIMEOUT ${HIPFILE_TEST_TIMEOUT}
                       ENVIRONMENT "${test_environment}"
                       ${properties})
endfunction()

function(hipfile_test_program source)
  cmake_path(GET source STEM stem)
  cmake_path(GET source EXTENSION LAST_ONLY extension)
  cmake_path(GET source PARENT_PATH folder)
  cmake_path(GET folder FILENAME folder)
  string(REGEX REPLACE "^test_" "" name ${stem})
  if(extension STREQUAL ".cpp")
    string(APPEND name "-cpp")
  endif()
  set(target test_${folder}_${name})
  add_executable(${target} ${source})
  hipfile_test_flags(${target})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY
                        ${CMAKE_CURRENT_BINARY_DIR}/${folder})
  if(NOT folder STREQUAL "conformance")
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  endif()
  target_link_libraries(${target} PRIVATE $<TARGET_NAME_IF_EXISTS:test_support> ${ARGN} Threads::Threads)
  hipfile_register(${source} ${folder}/${name} ${folder} ${HIPFILE_TEST_LAUNCHER} $<TARGET_FILE:${target}>)
endfunction()

function(hipfile_test_script script)
  if(IS_DIRECTORY ${script})
    return()
  endif()
  file(READ ${script} start LIMIT 2)
  if(NOT start MATCHES "^#!")
    return()
  endif()
  cmake_path(GET script FILENAME name)
  cmake_path(GET script PARENT_PATH folder)
  cmake_path(GET folder FILENAME folder)
  hipfile_register(${script} ${folder}/${name} ${folder} ${script})
endfunction()
