/* Bare loops over state: what a program with such state cannot be faster than.
 *
 * They receive a burst, hash each frame, prefetch its cell, then add one to it and send. Contests, NUMBER: frames in
 * a burst.
 * cells   as bench/state.p4 with REGISTER: one cell of 32 M, a CRC-32 of 12 bytes
 * words   as bench/state.p4: a word of a table of 4 M entries, half of whose words are in use
 * counts  the same with COUNTER: packets and bytes are added to the count that the word tells, a burst later
 * work, work+word, work+count
 *         no word, a word, a word and its count, with arithmetic for each packet: "work" takes about as long as
 *         bench/state.p4 with a table of 256 entries
 * near, near+count
 *         the first with 256 words that stay in the cache; and with counts that are added together behind the burst
 * Usage: state SOURCE SINK BUFFERS LENGTH: the names of the ports, packets of the pool and the bytes of each.
 */
#include <macs/checksum.h>
#include <macs/counter.h>
#include <macs/inline.h>
#include <macs/prefetch.h>
#include <odp_api.h>
#include <string.h>

#include "ports.h"
#include "probe.h"
#include "tables/common/memory.h"

enum { BURST_MAX = 256, ROUNDS = 64, ADDRESSES = 12, STEPS = 8 };

#define CELLS ((size_t)1 << 25)

/* A table of 4 M entries as words, eight a line, half of them in use; and its counts, by the entries' indices. */
#define BUCKETS ((size_t)1 << 20)
#define ENTRIES ((size_t)4000000)

enum { NEAR = 256 };

static struct ports ports;
static uint32_t *cells;
static uint64_t *words; /* eight a bucket */
static struct macs_count *counts;
static struct macs_near_counts near;

static uint32_t hash(const odp_packet_t packet) {
    return (uint32_t)macs_checksum_crc32((struct macs_bytes){odp_packet_data(packet), ADDRESSES, NULL, 0});
}

static uint64_t send_all(odp_packet_t packets[], int received) {
    int sent = received > 0 ? odp_pktout_send(ports.output, packets, received) : 0;
    if (sent >= 0 && sent < received)
        odp_packet_free_multi(packets + sent, received - sent);
    return received > 0 ? (uint64_t)received : 0;
}

static uint64_t one_cell(uint64_t burst) {
    odp_packet_t packets[BURST_MAX];
    uint32_t places[BURST_MAX];
    uint64_t through = 0;
    for (unsigned round = 0; round < ROUNDS; round++) {
        int received = odp_pktin_recv(ports.input, packets, (int)burst);
        for (int i = 0; i < received; i++) {
            places[i] = hash(packets[i]) & (CELLS - 1);
            macs_prefetch_far_to_write(&cells[places[i]]);
        }
        for (int i = 0; i < received; i++)
            cells[places[i]]++;
        through += send_all(packets, received);
    }
    return through;
}

/* Arithmetic on a value, three instructions a step; no packet waits for another one's. */
MACS_ALWAYS_INLINE void reckon(uint64_t value, int steps) {
    for (int step = 0; step < steps; step++) {
        value = (value ^ value >> 7) * 3;
        probe_keep(value);
    }
}

/* A count that is to be added to, and the bytes of the frame. */
struct addition {
    struct macs_count *to;
    uint64_t bytes;
};

static void count(const struct addition additions[], int number) {
    for (int i = 0; i < number; i++) {
        additions[i].to->packets++;
        additions[i].to->bytes += additions[i].bytes;
    }
}

/* A word by each frame's destination, which is an index, if it is read; the count with that index, if it is added to.
 * The counts of a burst are made when the next one is there. `steps`: of arithmetic before and behind. */
MACS_ALWAYS_INLINE uint64_t look_up(uint64_t burst, bool reads, bool adds, int steps) {
    odp_packet_t packets[BURST_MAX];
    uint32_t places[BURST_MAX];
    struct addition additions[2][BURST_MAX];
    int before = 0;
    uint64_t through = 0;
    for (unsigned round = 0; round < ROUNDS; round++) {
        int received = odp_pktin_recv(ports.input, packets, (int)burst);
        for (int i = 0; i < received; i++) {
            uint64_t key;
            memcpy(&key, odp_packet_data(packets[i]), sizeof key);
            reckon(key, steps);
            places[i] = (uint32_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 41);
            if (reads)
                __builtin_prefetch(&words[places[i]], 0, 2);
        }
        count(additions[(round + 1) % 2], before);
        for (int i = 0; i < received; i++) {
            uint64_t word = reads ? words[places[i]] : places[i];
            reckon(word, steps);
            probe_keep(word);
            if (adds) {
                additions[round % 2][i] = (struct addition){&counts[word], odp_packet_len(packets[i])};
                macs_prefetch_far_to_write(&counts[word]);
            }
        }
        before = adds && received > 0 ? received : 0;
        through += send_all(packets, received);
    }
    count(additions[(ROUNDS + 1) % 2], before);
    return through;
}

/* The same of 256 words, with arithmetic; counts wait until the burst is through, or until 64 do. */
MACS_ALWAYS_INLINE uint64_t look_up_near(uint64_t burst, bool adds) {
    odp_packet_t packets[BURST_MAX];
    uint64_t through = 0;
    for (unsigned round = 0; round < ROUNDS; round++) {
        int received = odp_pktin_recv(ports.input, packets, (int)burst);
        for (int i = 0; i < received; i++) {
            uint64_t key;
            memcpy(&key, odp_packet_data(packets[i]), sizeof key);
            reckon(key, STEPS);
            const uint64_t word = words[key * UINT64_C(0x9e3779b97f4a7c15) >> 56];
            reckon(word, STEPS);
            probe_keep(word);
            if (adds)
                macs_count_defer_near(&near, &counts[word % NEAR], odp_packet_len(packets[i]));
        }
        macs_near_counts_flush(&near);
        through += send_all(packets, received);
    }
    return through;
}

static uint64_t near_word(uint64_t burst) {
    return look_up_near(burst, false);
}

static uint64_t near_count(uint64_t burst) {
    return look_up_near(burst, true);
}

static uint64_t one_word(uint64_t burst) {
    return look_up(burst, true, false, 0);
}

static uint64_t one_count(uint64_t burst) {
    return look_up(burst, true, true, 0);
}

static uint64_t work(uint64_t burst) {
    return look_up(burst, false, false, STEPS);
}

static uint64_t work_and_word(uint64_t burst) {
    return look_up(burst, true, false, STEPS);
}

static uint64_t work_and_count(uint64_t burst) {
    return look_up(burst, true, true, STEPS);
}

int main(int argc, char **argv) {
    static const struct probe probes[] = {{"cells", one_cell},          {"words", one_word},
                                          {"counts", one_count},        {"work", work},
                                          {"work+word", work_and_word}, {"work+count", work_and_count},
                                          {"near", near_word},          {"near+count", near_count}};
    cells = macs_memory_alloc(CELLS * sizeof(cells[0]), false);
    words = macs_memory_alloc(BUCKETS * 8 * sizeof(words[0]), false);
    counts = macs_memory_alloc(ENTRIES * sizeof(counts[0]), false);
    for (size_t i = 0; words && i < BUCKETS * 8; i++)
        words[i] = i * UINT64_C(0x9e3779b97f4a7c15) % ENTRIES;
    if (!cells || !words || !counts || argc < 5 ||
        ports_open(&ports, argv[1], argv[2], (uint32_t)atol(argv[3]), (uint32_t)atol(argv[4]))) {
        fprintf(stderr, "cannot forward from %s\n", argc > 1 ? argv[1] : "nowhere");
        return 1;
    }
    int code = probe_serve(probes, sizeof probes / sizeof probes[0]);
    ports_close(&ports);
    macs_memory_free(cells, CELLS * sizeof(cells[0]));
    return code;
}
