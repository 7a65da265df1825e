#pragma once

#include "ropewalk/dialects/config_reader.h"
