/* What pktio_netmap.c uses of netmap's API, for the netmap that test_netmap.c plays: its names, with values and layouts
 * of our own.
 */
#ifndef MACS_TEST_NETMAP_USER_H
#define MACS_TEST_NETMAP_USER_H

#include <stdbool.h>
#include <stdint.h>

#define NETMAP_DEVICE_NAME "/dev/netmap"
#define NIOCCTRL 0x6d01ul
#define NIOCTXSYNC 0x6d02ul
#define NIOCRXSYNC 0x6d03ul

enum { NETMAP_API = 14, NETMAP_REQ_IFNAMSIZ = 64, TEST_RINGS = 4, TEST_SLOTS = 16, TEST_BUFFER = 2048 };
enum { NETMAP_REQ_REGISTER = 1, NETMAP_REQ_PORT_INFO_GET, NETMAP_REQ_POOLS_INFO_GET };
enum { NR_REG_ALL_NIC = 1, NR_REG_ONE_NIC };
enum { NR_EXCLUSIVE = 1, NR_RX_RINGS_ONLY = 2, NR_TX_RINGS_ONLY = 4, NR_NO_TX_POLL = 8 };
enum { NS_MOREFRAG = 1 };

struct nmreq_header {
    uint16_t nr_version, nr_reqtype;
    uint64_t nr_body;
    char nr_name[NETMAP_REQ_IFNAMSIZ];
};
struct nmreq_register {
    uint64_t nr_offset, nr_memsize, nr_flags;
    uint32_t nr_mode;
    uint16_t nr_ringid;
};
struct nmreq_port_info_get {
    uint16_t nr_rx_rings, nr_tx_rings, nr_mem_id;
};
struct nmreq_pools_info {
    uint16_t nr_mem_id;
    uint32_t nr_buf_pool_objsize;
};
struct netmap_slot {
    uint32_t buf_idx;
    uint16_t len, flags;
};
struct netmap_ring {
    uint32_t head, cur, tail, num_slots, nr_buf_size;
    struct netmap_slot slot[TEST_SLOTS];
    char buffer[TEST_SLOTS][TEST_BUFFER];
};
struct netmap_if {
    uint32_t ni_rx_rings, ni_tx_rings;
    struct netmap_ring rx[TEST_RINGS], tx[TEST_RINGS];
};

#define NETMAP_IF(memory, offset) ((struct netmap_if *)(void *)((char *)(memory) + (offset)))
#define NETMAP_RXRING(rings, i) (&(rings)->rx[i])
#define NETMAP_TXRING(rings, i) (&(rings)->tx[i])
#define NETMAP_BUF(ring, i) ((ring)->buffer[i])

static inline uint32_t nm_ring_next(const struct netmap_ring *ring, uint32_t i) {
    return (i + 1) % ring->num_slots;
}

static inline uint32_t nm_ring_space(const struct netmap_ring *ring) {
    return (ring->tail + ring->num_slots - ring->head) % ring->num_slots;
}

static inline bool nm_ring_empty(const struct netmap_ring *ring) {
    return ring->head == ring->tail;
}

static inline bool nm_tx_pending(const struct netmap_ring *ring) {
    return nm_ring_next(ring, ring->tail) != ring->head;
}

#endif
