# The target `test-veer`: builds the project once more with veer-cc, in BUILD/veer, runs its tests with CTest, and looks
# for what they could have found. In CMakeLists.txt, behind enable_testing(): include(Veer.cmake).
#
# Options of your project that the second build needs go into VEER_CMAKE_ARGS.
find_program(VEER veer)
find_program(VEER_CC veer-cc)
set(VEER_FLAGS --budget 1m --error-exitcode=1 CACHE STRING "Options of veer test")
set(VEER_CMAKE_ARGS "" CACHE STRING "Options of the build that veer tests")

if(VEER AND VEER_CC AND CMAKE_PROJECT_NAME STREQUAL PROJECT_NAME)
  set(VEER_BUILD ${CMAKE_BINARY_DIR}/veer)
  add_custom_target(test-veer
    COMMAND ${CMAKE_COMMAND} -S ${CMAKE_SOURCE_DIR} -B ${VEER_BUILD} -DCMAKE_C_COMPILER=${VEER_CC}
            -DCMAKE_BUILD_TYPE=${CMAKE_BUILD_TYPE} ${VEER_CMAKE_ARGS}
    COMMAND ${CMAKE_COMMAND} --build ${VEER_BUILD}
    COMMAND ${VEER} test -o ${CMAKE_BINARY_DIR}/veer-out ${VEER_FLAGS} -- ${CMAKE_CTEST_COMMAND} --test-dir ${VEER_BUILD}
            --output-on-failure
    USES_TERMINAL VERBATIM)
endif()
