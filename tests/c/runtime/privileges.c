/* What the switch may still do once its ports are open: what it may need to open them again, and nothing that it could
 * not do before. Each case in a process of its own, as nothing is given back. */
#include "runtime/privileges.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <odp_api.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *implementation = "macsad-linux";

const char *odp_version_impl_name(void) {
    return implementation;
}

/* A line of the process's status. */
static uint64_t status_of(const char *name) {
    char line[256];
    uint64_t value = UINT64_MAX;
    FILE *file = fopen("/proc/self/status", "r");
    assert(file);
    while (fgets(line, sizeof(line), file))
        if (!strncmp(line, name, strlen(name)))
            assert(sscanf(line + strlen(name), ": %" SCNx64, &value) == 1);
    fclose(file);
    return value;
}

#define RAW (UINT64_C(1) << CAP_NET_RAW)
#define ADMIN (UINT64_C(1) << CAP_NET_ADMIN)
#define LOCK (UINT64_C(1) << CAP_IPC_LOCK)
#define BPF (UINT64_C(1) << 39)

static void check(const char *const names[], unsigned count, uint64_t needed) {
    const pid_t child = fork();
    assert(child >= 0);
    if (!child) {
        struct macs_options options = {.port_count = count};
        for (unsigned i = 0; i < count; i++)
            options.ports[i].name = names[i];
        const uint64_t permitted = status_of("CapPrm"), effective = status_of("CapEff");
        for (unsigned again = 0; again < 2; again++) {
            assert(!macs_privileges_drop(&options) && status_of("NoNewPrivs") == 1);
            assert(status_of("CapPrm") == (permitted & needed) && status_of("CapEff") == (effective & needed));
            assert(needed == UINT64_MAX || !status_of("CapInh"));
        }
        _exit(0);
    }
    int status;
    assert(waitpid(child, &status, 0) == child && WIFEXITED(status) && !WEXITSTATUS(status));
}

int main(void) {
    static const char *const files[] = {"ctl:",  "pcap:in.pcap,out.pcap", "mem:a.pcap", "null:", "null:0", "loop",
                                        "tap:t0"};
    static const struct {
        const char *name;
        uint64_t needed;
    } interfaces[] = {
        {"eth0", RAW},
        {"ctl", RAW},
        {"tap0", RAW},
        {"af_packet:eth0", RAW},
        {"netmap:eth0", RAW | ADMIN},
        {"af_xdp:eth0", RAW | ADMIN | BPF | LOCK},
    };
    check(NULL, 0, 0);
    check(files, sizeof(files) / sizeof(*files), 0);
    for (unsigned i = 0; i < sizeof(interfaces) / sizeof(*interfaces); i++) {
        check(&interfaces[i].name, 1, interfaces[i].needed);
        check((const char *const[]){"ctl:", interfaces[i].name, "null:"}, 3, interfaces[i].needed);
    }
    check((const char *const[]){"netmap:eth0", "af_xdp:eth1", "eth2"}, 3, RAW | ADMIN | BPF | LOCK);
    implementation = "libodp-dpdk"; /* its drivers may need any */
    check(files, 1, UINT64_MAX);
    puts("ok");
    return 0;
}
