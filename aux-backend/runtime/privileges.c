#include "runtime/privileges.h"

#include <errno.h>
#include <linux/capability.h>
#include <odp_api.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef CAP_BPF /* older headers */
#define CAP_BPF 39
#endif

#define BIT(capability) (UINT64_C(1) << (capability))

/* What a port needs after it was opened: to open an interface that was removed and is back. */
struct need {
    const char *prefix;
    uint64_t capabilities;
};

static const struct need needs[] = {
    {"ctl:", 0},
    {"pcap:", 0},
    {"mem:", 0},
    {"null:", 0},
    {"loop", 0},
    {"tap:", 0}, /* the device is made when the port is opened, and goes when it is closed */
    {"af_xdp:", BIT(CAP_NET_RAW) | BIT(CAP_NET_ADMIN) | BIT(CAP_BPF) | BIT(CAP_IPC_LOCK)},
    {"netmap:", BIT(CAP_NET_RAW) | BIT(CAP_NET_ADMIN)},
    {"", BIT(CAP_NET_RAW)}, /* an interface, by packet sockets */
};

static uint64_t needed(const char *port) {
    const struct need *need = needs;
    while (strncmp(port, need->prefix, strlen(need->prefix)) != 0)
        need++;
    return need->capabilities;
}

/* Drivers of other platforms may need any privilege at any time. */
static bool knows_its_needs(void) {
    return !strcmp(odp_version_impl_name(), "macsad-linux");
}

static int keep(uint64_t capabilities) {
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[2];
    if (syscall(SYS_capget, &head, data))
        return -errno;
    for (unsigned half = 0; half < 2; half++) {
        data[half].effective &= (uint32_t)(capabilities >> 32 * half);
        data[half].permitted &= (uint32_t)(capabilities >> 32 * half);
        data[half].inheritable = 0;
    }
    return syscall(SYS_capset, &head, data) ? -errno : 0;
}

int macs_privileges_drop(const struct macs_options *options) {
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
        return -errno;
    if (!knows_its_needs())
        return 0;
    uint64_t capabilities = 0;
    for (unsigned i = 0; i < options->port_count; i++)
        capabilities |= needed(options->ports[i].name);
    return keep(capabilities);
}
