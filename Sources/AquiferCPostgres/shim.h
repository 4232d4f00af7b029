#pragma once
#include "lazy.h"
