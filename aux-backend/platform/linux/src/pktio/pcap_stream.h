/* A capture file that is read as a stream: what pcap_file.c and pcapng.c share. */
#ifndef MACS_ODP_PCAP_STREAM_H
#define MACS_ODP_PCAP_STREAM_H

#include "core/internal.h"

#define MACS_ODP_PCAP_BUFFER (2 * MACS_ODP_PCAP_FRAME_MAX)

/* Frames of more bytes than this are a corrupt file. */
#define MACS_ODP_PCAP_FRAME_MAX 262144u

struct macs_odp_pcapng_interface;

struct macs_odp_pcap_reader {
    char *path;
    int fd;
    bool ng;      /* pcapng */
    bool swapped; /* the file, or this section of it, has the other byte order than this machine */
    bool nanoseconds;
    bool ended;
    uint8_t *buffer;
    size_t start; /* of what is not consumed yet, in the buffer */
    size_t end;
    uint64_t consumed; /* bytes of the file before `start` */
    /* of pcapng */
    uint32_t block; /* length of the last block, and what of it is still to be passed over */
    uint32_t rest;
    uint32_t interfaces;
    struct macs_odp_pcapng_interface *interface;
};

struct macs_odp_pcap_frame {
    const uint8_t *data; /* valid until the next call */
    uint32_t len;        /* bytes in the file */
    uint32_t wire_len;   /* bytes that the frame once had: more than len if the capture cut it */
    uint64_t ts_ns;
};

enum macs_odp_pcap_result {
    MACS_ODP_PCAP_FRAME,
    MACS_ODP_PCAP_SKIPPED, /* a record that makes no sense; the next one may */
    MACS_ODP_PCAP_LATER,
    MACS_ODP_PCAP_END,
    MACS_ODP_PCAP_BROKEN
};

/* Get at least `need` bytes into the buffer; MACS_ODP_PCAP_FRAME: they are there. */
enum macs_odp_pcap_result macs_odp_pcap_fill(struct macs_odp_pcap_reader *reader, size_t need);
void macs_odp_pcap_consume(struct macs_odp_pcap_reader *reader, size_t bytes);
uint32_t macs_odp_pcap_word(const struct macs_odp_pcap_reader *reader, size_t at);
int macs_odp_pcap_refuse(const struct macs_odp_pcap_reader *reader, const char *what);
enum macs_odp_pcap_result macs_odp_pcap_broken(struct macs_odp_pcap_reader *reader, const char *what);

#endif
