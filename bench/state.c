/* The bare loop beside bench/state.p4 with REGISTER: receive a burst, hash each frame's addresses, prefetch a cell,
 * then add one to each cell and send. No less can be done for the same memory.
 *
 * Usage: state SOURCE SINK BUFFERS LENGTH: the names of the ports, packets of the pool and the bytes of each. Contest
 * "cells", NUMBER: frames in a burst.
 */
#include <macs/checksum.h>
#include <macs/prefetch.h>
#include <odp_api.h>

#include "ports.h"
#include "probe.h"
#include "tables/common/memory.h"

enum { BURST_MAX = 256, ROUNDS = 64, ADDRESSES = 12 };

#define CELLS ((size_t)1 << 25)

static struct ports ports;
static uint32_t *cells;

static uint64_t run(uint64_t burst) {
    odp_packet_t packets[BURST_MAX];
    uint32_t places[BURST_MAX];
    uint64_t through = 0;
    int wanted = burst && burst <= BURST_MAX ? (int)burst : 64;
    for (unsigned round = 0; round < ROUNDS; round++) {
        int received = odp_pktin_recv(ports.input, packets, wanted);
        for (int i = 0; i < received; i++) {
            struct macs_bytes addresses = {odp_packet_data(packets[i]), ADDRESSES, NULL, 0};
            places[i] = (uint32_t)macs_checksum_crc32(addresses) & (CELLS - 1);
            macs_prefetch_to_write(&cells[places[i]]);
        }
        for (int i = 0; i < received; i++)
            cells[places[i]]++;
        int sent = received > 0 ? odp_pktout_send(ports.output, packets, received) : 0;
        through += received > 0 ? (uint64_t)received : 0;
        if (sent >= 0 && sent < received)
            odp_packet_free_multi(packets + sent, received - sent);
    }
    return through;
}

int main(int argc, char **argv) {
    static const struct probe probes[] = {{"cells", run}};
    cells = macs_memory_alloc(CELLS * sizeof(cells[0]), false);
    if (!cells || argc < 5 || ports_open(&ports, argv[1], argv[2], (uint32_t)atol(argv[3]), (uint32_t)atol(argv[4]))) {
        fprintf(stderr, "cannot forward from %s\n", argc > 1 ? argv[1] : "nowhere");
        return 1;
    }
    int code = probe_serve(probes, 1);
    ports_close(&ports);
    macs_memory_free(cells, CELLS * sizeof(cells[0]));
    return code;
}
