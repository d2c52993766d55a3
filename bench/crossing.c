/* Frames that a program forwards from one network interface to another, and how long each is on its way.
 *
 * Usage: crossing FILE CONTROL SENDER RECEIVER. Frames of a capture file come at random times, by the port paced: with
 * its file CONTROL; they are sent to the interface SENDER, and received from RECEIVER, where the program that is
 * measured has forwarded them to. A frame takes the time of its sending with it behind its last byte, where headers
 * do not reach; frames without one are the kernel's. The time from the call that sends to the call that receives is
 * counted by paced:. Contest "cross", NUMBER: frames in a burst.
 */
#include <odp_api.h>

#include "ports.h"
#include "probe.h"

enum { BURST_MAX = 256, ROUNDS = 64, BUFFERS = 16384 };

static const uint64_t MAGIC = UINT64_C(0x6d61637361642074);

struct stamp {
    uint64_t magic;
    uint64_t ns; /* of odp_time_global_ns() */
};

static struct ports paced; /* when frames come, and where times are counted */
static struct ports wires; /* where they are sent to and received from: `sink` and `source` */

/* With their times; those that have no room for one are not sent. How many are left. */
static int stamped(odp_packet_t packets[], int count) {
    const struct stamp stamp = {MAGIC, odp_time_global_ns()};
    int left = 0;
    for (int i = 0; i < count; i++) {
        void *tail = odp_packet_push_tail(packets[i], sizeof(stamp));
        if (tail == NULL) {
            odp_packet_free(packets[i]);
            continue;
        }
        memcpy(tail, &stamp, sizeof(stamp));
        packets[left++] = packets[i];
    }
    return left;
}

/* Those that have been sent here, with the time of that; the others are freed. How many are left. */
static int timed(odp_packet_t packets[], int count) {
    int left = 0;
    for (int i = 0; i < count; i++) {
        struct stamp stamp = {0, 0};
        const uint32_t length = odp_packet_len(packets[i]);
        if (length > sizeof(stamp))
            odp_packet_copy_to_mem(packets[i], length - (uint32_t)sizeof(stamp), sizeof(stamp), &stamp);
        if (stamp.magic != MAGIC) {
            odp_packet_free(packets[i]);
            continue;
        }
        odp_packet_ts_set(packets[i], odp_time_global_from_ns(stamp.ns));
        packets[left++] = packets[i];
    }
    return left;
}

static void send_all(odp_pktout_queue_t output, odp_packet_t packets[], int count) {
    int sent = count > 0 ? odp_pktout_send(output, packets, count) : 0;
    sent = sent > 0 ? sent : 0;
    if (sent < count)
        odp_packet_free_multi(packets + sent, count - sent);
}

static uint64_t cross(uint64_t burst) {
    odp_packet_t packets[BURST_MAX];
    uint64_t through = 0;
    const int wanted = burst && burst <= BURST_MAX ? (int)burst : 32;
    for (unsigned round = 0; round < ROUNDS; round++) {
        int came = odp_pktin_recv(paced.input, packets, wanted);
        if (came > 0)
            send_all(wires.output, packets, stamped(packets, came));
        int back = odp_pktin_recv(wires.input, packets, wanted);
        if (back > 0) {
            back = timed(packets, back);
            send_all(paced.output, packets, back);
            through += (uint64_t)back;
        }
    }
    return through;
}

int main(int argc, char **argv) {
    static const struct probe probes[] = {{"cross", cross}};
    char names[4][512];
    if (argc < 5) {
        fprintf(stderr, "expected FILE CONTROL SENDER RECEIVER\n");
        return 1;
    }
    snprintf(names[0], sizeof(names[0]), "paced:%s,%s", argv[1], argv[2]);
    snprintf(names[1], sizeof(names[1]), "paced:,%s", argv[2]);
    snprintf(names[2], sizeof(names[2]), "af_packet:%s", argv[4]);
    snprintf(names[3], sizeof(names[3]), "af_packet:%s", argv[3]);
    if (ports_open(&paced, names[0], names[1], BUFFERS, PORTS_SEGMENT) ||
        ports_both(&wires, names[2], names[3], paced.pool)) {
        fprintf(stderr, "cannot send to %s and receive from %s\n", argv[3], argv[4]);
        return 1;
    }
    int code = probe_serve(probes, 1);
    ports_end(&wires);
    ports_close(&paced);
    return code;
}
