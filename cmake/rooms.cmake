# overboard_room(NAME LINK libs… [PCH opencv] [HOT]): the library overboard_NAME from every source below NAME/.
function(overboard_options target)
    target_include_directories(${target} PUBLIC ${CMAKE_SOURCE_DIR})
    target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow
                           $<$<BOOL:${OVERBOARD_WERROR}>:-Werror>)
    # GCC 12 sees these in std::string and std::optional where they are not (GCC bugs 105329, 105562).
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-stringop-overflow
                               -Wno-stringop-overread -Wno-restrict -Wno-maybe-uninitialized)
    endif()
    target_compile_definitions(${target} PRIVATE OVERBOARD_VERSION="${PROJECT_VERSION}")
endfunction()

function(overboard_room name)
    cmake_parse_arguments(ROOM "HOT" "PCH" "LINK" ${ARGN})
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${name}/*.cpp)
    if(NOT sources)
        file(TOUCH ${CMAKE_BINARY_DIR}/empty.cpp)
        set(sources ${CMAKE_BINARY_DIR}/empty.cpp)
    endif()
    add_library(overboard_${name} STATIC ${sources})
    target_link_libraries(overboard_${name} PUBLIC ${ROOM_LINK} tl::expected Threads::Threads)
    overboard_options(overboard_${name})
    if(ROOM_HOT AND OVERBOARD_MARCH)
        # simdjson takes its AVX2 code only where carry-less multiplication is promised too.
        target_compile_options(overboard_${name} PRIVATE -march=${OVERBOARD_MARCH} -mpclmul)
    endif()
    if(ROOM_HOT AND CMAKE_BUILD_TYPE STREQUAL "Release")
        target_compile_options(overboard_${name} PRIVATE -O3)
    endif()
    overboard_pch(overboard_${name} ${ROOM_PCH})
endfunction()

# Headers that cost seconds each are compiled once a target.
function(overboard_pch target)
    set(headers <nlohmann/json.hpp> <fmt/format.h> <tl/expected.hpp>
        <algorithm> <cmath> <functional> <map> <memory> <optional> <string> <vector>)
    if("opencv" IN_LIST ARGN)
        list(APPEND headers <opencv2/core.hpp> <opencv2/imgproc.hpp> <opencv2/calib3d.hpp> <opencv2/imgcodecs.hpp>)
    endif()
    if("cli" IN_LIST ARGN)
        list(APPEND headers <CLI/CLI.hpp>)
    endif()
    if("gtest" IN_LIST ARGN)
        list(APPEND headers <gtest/gtest.h> <gmock/gmock.h>)
    endif()
    target_precompile_headers(${target} PRIVATE ${headers})
endfunction()
