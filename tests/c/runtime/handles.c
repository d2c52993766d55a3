/* Handles are given out lowest first, whatever is taken and given back: beside a plain list of what is taken. */
#include "runtime/handles.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define STEPS 20000u

static uint32_t lowest_free(const uint8_t *taken, uint32_t size) {
    uint32_t at = 0;
    while (at < size && taken[at])
        at++;
    return at;
}

static void take(struct macs_handles *handles, uint8_t *taken, uint32_t size) {
    uint32_t handle = 0, expected = lowest_free(taken, size);
    int status = macs_handles_take(handles, &handle);
    assert(status == (expected == size ? -ENOSPC : 0));
    if (!status) {
        assert(handle == expected);
        taken[handle] = 1;
    }
}

static void check(uint32_t size) {
    struct macs_handles handles;
    uint8_t *taken = calloc(size + 1, 1);
    assert(taken && !macs_handles_init(&handles, size));
    for (uint32_t i = 0; i <= size; i++)
        take(&handles, taken, size); /* all, and once more */
    for (unsigned step = 0; step < STEPS && size; step++) {
        uint32_t handle = (uint32_t)rand() % size;
        if (taken[handle]) {
            macs_handles_give_back(&handles, handle);
            taken[handle] = 0;
        }
        if (rand() % 3)
            take(&handles, taken, size);
    }
    macs_handles_fini(&handles);
    free(taken);
}

int main(void) {
    static const uint32_t sizes[] = {0, 1, 63, 64, 65, 4095, 4096, 4097, 5000};
    for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
        check(sizes[i]);
    puts("ok");
    return 0;
}
