/* What an instance starts and stops beside ODP itself: nothing, on plain Linux. */
#include "core/internal.h"

const char *const macs_odp_platform_name = "macsad-linux";

int macs_odp_platform_start(void) {
    return 0;
}

int macs_odp_platform_join(void) {
    return 0;
}

void macs_odp_platform_leave(void) {
}
