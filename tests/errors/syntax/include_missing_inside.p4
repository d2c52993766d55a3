#include "include_missing_inside.h"
