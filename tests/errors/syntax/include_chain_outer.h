/* a comment
   of two lines */
#include "include_chain_inner.h"
