/* What an -errno of the writer's functions is in the answer to an UPDATE. */
#ifndef MACS_CONTROL_UPDATE_STATUS_H
#define MACS_CONTROL_UPDATE_STATUS_H

#include <errno.h>

#include "control/protocol.h"

static inline enum macs_update_status macs_update_status_of(int status) {
    switch (-status) {
    case 0:
        return MACS_UPDATE_DONE;
    case EEXIST:
        return MACS_UPDATE_EXISTS;
    case ENOENT:
    case ESRCH:
        return MACS_UPDATE_NONE;
    case ENOSPC:
        return MACS_UPDATE_FULL;
    case EBUSY:
        return MACS_UPDATE_BUSY;
    case ENOMEM:
        return MACS_UPDATE_NO_MEMORY;
    default:
        return MACS_UPDATE_WRONG;
    }
}

#endif
