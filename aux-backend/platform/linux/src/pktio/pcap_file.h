/* Capture files, classic pcap and pcapng, read and written as a stream; for the ports pcap: and mem:.
 *
 * Read: time stamps of microseconds or nanoseconds, either byte order, Ethernet only. The file is not trusted: a bad
 * header is refused when the file is opened, and a bad or truncated record ends the stream; both are logged with their
 * position. A record whose captured length is larger than its frame's length is skipped.
 * Written: pcapng if the name of the file ends in .pcapng, else classic pcap. What cannot be written is
 * counted. A record that was written in part is removed, if the file can be truncated.
 * Threads: one at a time for a reader or a writer.
 * Source: IETF draft-ietf-opsawg-pcap.
 */
#ifndef MACS_ODP_PCAP_FILE_H
#define MACS_ODP_PCAP_FILE_H

#include "pktio/pcap_stream.h"

struct macs_odp_pcap_writer {
    char *path;
    int fd;
    bool ng;
    bool nanoseconds;
    bool failed; /* logged once; nothing is written any more */
    uint8_t *buffer;
    size_t used;
    off_t written; /* bytes of whole records in the file */
    uint64_t lost; /* frames that were taken and not written, and their bytes */
    uint64_t lost_bytes;
};

/* 0, or -1 (logged). With `block` false, a pipe that has nothing now gives MACS_ODP_PCAP_LATER. */
int macs_odp_pcap_open(struct macs_odp_pcap_reader *reader, const char *path, bool block);
enum macs_odp_pcap_result macs_odp_pcap_next(struct macs_odp_pcap_reader *reader, struct macs_odp_pcap_frame *frame);
void macs_odp_pcap_close(struct macs_odp_pcap_reader *reader);

/* Begin again. 0, or -1: it is a pipe, or has changed meanwhile (logged). */
int macs_odp_pcap_rewind(struct macs_odp_pcap_reader *reader);

/* Opens the file, and makes it if it is not there; what is in it stays until it is begun. pcapng if its name ends in
 * ".pcapng". Times are cut to microseconds unless `nanoseconds`. 0, or -1 (logged). */
int macs_odp_pcap_create(struct macs_odp_pcap_writer *writer, const char *path, bool nanoseconds);
/* Empties the file and writes its head. 0, or -1 (logged). */
int macs_odp_pcap_begin(struct macs_odp_pcap_writer *writer);
int macs_odp_pcap_write(struct macs_odp_pcap_writer *writer, const void *data, uint32_t len, uint64_t ts_ns);
int macs_odp_pcap_flush(struct macs_odp_pcap_writer *writer);
int macs_odp_pcap_finish(struct macs_odp_pcap_writer *writer);

#endif
