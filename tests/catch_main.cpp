#ifndef JUDGE_CATCH2_V3
#define CATCH_CONFIG_MAIN
#endif
#include "catch.h"
