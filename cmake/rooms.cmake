# overboard_room(NAME LINK libs… [PCH opencv | PCH_OF room with the same flags] [HOT|TALKS]): the library overboard_NAME from every source below NAME/.
# HOT rooms compute: everything the processor has. Rooms that mostly TALK (JSON, SQL, options) spend a third of their
# compiling on optimising that, and none of their time running it (see overboard_talks).
function(overboard_options target)
    target_include_directories(${target} PUBLIC ${CMAKE_SOURCE_DIR})
    # -pthread for all: targets that share a precompiled header must agree on it.
    target_compile_options(${target} PRIVATE -pthread -Wall -Wextra -Wpedantic -Wshadow
                           $<$<BOOL:${OVERBOARD_WERROR}>:-Werror>)
    # GCC 12 sees these in std::string and std::optional where they are not (GCC bugs 105329, 105562).
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-stringop-overflow
                               -Wno-stringop-overread -Wno-restrict -Wno-maybe-uninitialized)
    endif()
    target_compile_definitions(${target} PRIVATE OVERBOARD_VERSION="${PROJECT_VERSION}")
endfunction()

function(overboard_room name)
    cmake_parse_arguments(ROOM "HOT;TALKS" "PCH;PCH_OF" "LINK" ${ARGN})
    # A room's own files before its folders': a game's names, opened at the end of its files, then reach no service's.
    file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${name}/*.cpp)
    file(GLOB_RECURSE all_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${name}/*.cpp)
    list(APPEND sources ${all_sources})
    list(REMOVE_DUPLICATES sources)
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
    if(ROOM_TALKS)
        overboard_talks(overboard_${name})
    endif()
    overboard_unity(overboard_${name})
    if(ROOM_PCH_OF)
        target_precompile_headers(overboard_${name} REUSE_FROM overboard_${ROOM_PCH_OF})
    else()
        overboard_pch(overboard_${name} ${ROOM_PCH})
    endif()
endfunction()

# Little optimising: such code spends a third of its compiling on it and none of its time running it.
function(overboard_talks target)
    target_compile_options(${target} PRIVATE -O1)
endfunction()

# Where OVERBOARD_UNITY says so, several files at a time: much of their compiling goes into what they all include.
# Two files of a target may then not use one name for two things in their unnamed namespaces. The games do, so rules/
# and its tests, where whole games would meet, stay with four; vision, with some hundred files of small local names,
# and its tests are compiled file by file.
function(overboard_unity target)
    if(OVERBOARD_UNITY AND NOT target MATCHES "vision$")
        set(batch 8)
        if(target MATCHES "rules$")
            set(batch 4)
        endif()
        set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${batch})
        target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
    endif()
endfunction()

# Headers that cost seconds each are compiled once a target.
function(overboard_pch target)
    set(headers <nlohmann/json.hpp> <fmt/format.h> <tl/expected.hpp>
        <algorithm> <cmath> <functional> <map> <memory> <optional> <string> <vector>)
    if("opencv" IN_LIST ARGN)
        list(APPEND headers <opencv2/core.hpp> <opencv2/imgproc.hpp> <opencv2/calib3d.hpp> <opencv2/imgcodecs.hpp>)
    endif()
    if("gtest" IN_LIST ARGN)
        list(APPEND headers <gtest/gtest.h> <gmock/gmock.h>)
    endif()
    target_precompile_headers(${target} PRIVATE ${headers})
endfunction()
