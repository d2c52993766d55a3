/* The bare ODP loop: receive a burst from one port, send it to another, and nothing else. The floor of any program.
 *
 * Usage: loop SOURCE SINK BUFFERS LENGTH: the names of the ports, packets of the pool and the bytes of each. Contest
 * "loop", NUMBER: frames in a burst. Where nothing comes it sleeps for a moment. Over any ODP.
 */
#include <odp_api.h>

#include "ports.h"
#include "probe.h"

enum { BURST_MAX = 256, ROUNDS = 64, NAP_NS = 10000 };

static struct ports ports;

static void nap(void) {
    struct timespec pause = {.tv_nsec = NAP_NS};
    nanosleep(&pause, NULL);
}

static uint64_t run(uint64_t burst) {
    odp_packet_t packets[BURST_MAX];
    uint64_t through = 0;
    int wanted = burst && burst <= BURST_MAX ? (int)burst : 32;
    for (unsigned round = 0; round < ROUNDS; round++) {
        int received = odp_pktin_recv(ports.input, packets, wanted);
        int sent = received > 0 ? odp_pktout_send(ports.output, packets, received) : 0;
        through += received > 0 ? (uint64_t)received : 0;
        if (sent >= 0 && sent < received)
            odp_packet_free_multi(packets + sent, received - sent);
        if (received <= 0)
            nap();
    }
    return through;
}

int main(int argc, char **argv) {
    static const struct probe probes[] = {{"loop", run}};
    if (argc < 5 || ports_open(&ports, argv[1], argv[2], (uint32_t)atol(argv[3]), (uint32_t)atol(argv[4]))) {
        fprintf(stderr, "cannot forward from %s\n", argc > 1 ? argv[1] : "nowhere");
        return 1;
    }
    int code = probe_serve(probes, 1);
    ports_close(&ports);
    return code;
}
