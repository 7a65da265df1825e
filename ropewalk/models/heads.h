#pragma once

#include "ropewalk/models/declared_reader.h"
#include "ropewalk/models/defaults.h"
