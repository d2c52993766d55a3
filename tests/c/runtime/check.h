/* Stops a test of the runtime at the first thing that is not true. */
#ifndef MACS_TEST_RUNTIME_CHECK_H
#define MACS_TEST_RUNTIME_CHECK_H

#include <stdio.h>
#include <stdlib.h>

#define CHECK(cond)                                                                                                    \
    do {                                                                                                               \
        if (!(cond)) {                                                                                                 \
            printf("line %d: not true: %s\n", __LINE__, #cond);                                                        \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

#endif
