#pragma once

// The version of these headers. CMake and ropewalk --version read it from here.
#define ROPEWALK_VERSION_MAJOR 0
#define ROPEWALK_VERSION_MINOR 1
#define ROPEWALK_VERSION_PATCH 0
#define ROPEWALK_VERSION "0.1.0"
