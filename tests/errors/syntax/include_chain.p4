// The mistake is two files away.
#include "include_chain_outer.h"

const bit<8> fine = 1;
