/* A door: frames. Input: a byte for B and b, then frames, each behind a byte for its port and two for its length. */
#include "switch.h"

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc, (void)argv;
    door();
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const uint32_t bursts[] = {1, 2, 8, 64};
    struct door *here = door();
    if (size == 0)
        return 0;
    const uint32_t burst = bursts[data[0] & 3], sub_batch = bursts[data[0] >> 2 & 3];
    for (size_t at = 1; size - at > 3;) {
        struct macs_port *port = &here->sw->ports[data[at] % DOOR_PORTS];
        size_t length = data[at + 1] | (size_t)data[at + 2] << 8;
        at += 3;
        length = length < size - at ? length : size - at;
        odp_packet_t packet;
        const int status = macs_ctl_packet(port, here->sw->pool, data + at, (uint32_t)length, &packet);
        if (length && (status || macs_ctl_inject(port, packet, 0)))
            break; /* there is no more room */
        at += length;
    }
    door_work(here, burst, sub_batch < burst ? sub_batch : burst);
    return 0;
}
