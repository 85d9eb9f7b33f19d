# Debian packages first; where one is missing and the machine may download, a pinned release.
include(FetchContent)
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)

find_package(nlohmann_json 3.10 QUIET)
if(NOT nlohmann_json_FOUND)
  FetchContent_Declare(nlohmann_json GIT_REPOSITORY https://github.com/nlohmann/json GIT_TAG v3.11.3)
  FetchContent_MakeAvailable(nlohmann_json)
endif()

find_package(fmt 9 QUIET)
if(NOT fmt_FOUND)
  FetchContent_Declare(fmt GIT_REPOSITORY https://github.com/fmtlib/fmt GIT_TAG 10.2.1)
  FetchContent_MakeAvailable(fmt)
endif()

find_package(valijson QUIET)
if(NOT valijson_FOUND)
  FetchContent_Declare(valijson GIT_REPOSITORY https://github.com/tristanpenman/valijson GIT_TAG v1.0)
  FetchContent_MakeAvailable(valijson)
endif()

pkg_check_modules(seccomp REQUIRED IMPORTED_TARGET libseccomp)
pkg_check_modules(zstd REQUIRED IMPORTED_TARGET libzstd)

if(JUDGE_PYTHON)
  # The interpreter that will import the module: judge.py passes its own as -DPython_EXECUTABLE.
  set(PYBIND11_FINDPYTHON ON)
  find_package(Python 3.9 COMPONENTS Interpreter Development.Module REQUIRED)
  find_package(pybind11 2.10 QUIET)
  if(NOT pybind11_FOUND)
    FetchContent_Declare(pybind11 GIT_REPOSITORY https://github.com/pybind/pybind11 GIT_TAG v2.13.6)
    FetchContent_MakeAvailable(pybind11)
  endif()
endif()

if(JUDGE_TESTS)
  find_package(Catch2 QUIET)  # 2.13 (Debian 12) or 3.x
  if(NOT Catch2_FOUND)
    FetchContent_Declare(Catch2 GIT_REPOSITORY https://github.com/catchorg/Catch2 GIT_TAG v3.5.4)
    FetchContent_MakeAvailable(Catch2)
  endif()
endif()
