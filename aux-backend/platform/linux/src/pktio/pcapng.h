/* The pcapng file format, on a pcap_stream.
 *
 * Read: sections of either byte order, any number of interfaces, any resolution of time; packets in enhanced, simple
 * and obsolete blocks. Other blocks are skipped, and so are options that are not about time. Interfaces of other link
 * types are accepted as long as no packet is of them. The file is not trusted.
 * Written: one section with one interface.
 * Source: IETF draft-ietf-opsawg-pcapng.
 */
#ifndef MACS_ODP_PCAPNG_H
#define MACS_ODP_PCAPNG_H

#include "pktio/pcap_stream.h"

#define MACS_ODP_PCAPNG_MAGIC 0x0a0d0d0au

/* What the file's interfaces have said of themselves. */
struct macs_odp_pcapng_interface {
    uint32_t link;
    uint32_t snaplen; /* 0: none */
    uint8_t resolution;
    int64_t offset; /* seconds */
};

/* Up to the first interface's description, from which reader->nanoseconds is known. 0, or -1 (logged). */
int macs_odp_pcapng_open(struct macs_odp_pcap_reader *reader);
enum macs_odp_pcap_result macs_odp_pcapng_next(struct macs_odp_pcap_reader *reader, struct macs_odp_pcap_frame *frame);

/* Write into a buffer with room for 64 bytes more than the frame; the bytes written are returned. */
size_t macs_odp_pcapng_put_header(uint8_t *to, bool nanoseconds);
size_t macs_odp_pcapng_put_frame(uint8_t *to, const void *data, uint32_t len, uint64_t ts_ns, bool nanoseconds);

#endif
