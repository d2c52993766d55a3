#include "pktio/pcap_stream.h"

#include <string.h>
#include <unistd.h>

uint32_t macs_odp_pcap_word(const struct macs_odp_pcap_reader *reader, size_t at) {
    uint32_t value;
    memcpy(&value, reader->buffer + reader->start + at, sizeof(value));
    return reader->swapped ? __builtin_bswap32(value) : value;
}

enum macs_odp_pcap_result macs_odp_pcap_fill(struct macs_odp_pcap_reader *reader, size_t need) {
    if (reader->start + need > MACS_ODP_PCAP_BUFFER) {
        memmove(reader->buffer, reader->buffer + reader->start, reader->end - reader->start);
        reader->end -= reader->start;
        reader->start = 0;
    }
    while (reader->end - reader->start < need) {
        ssize_t got = read(reader->fd, reader->buffer + reader->end, MACS_ODP_PCAP_BUFFER - reader->end);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0 && errno == EAGAIN)
            return MACS_ODP_PCAP_LATER;
        if (got < 0) {
            macs_odp_log(ODP_LOG_ERR, "%s: cannot read: %s\n", reader->path, strerror(errno));
            return MACS_ODP_PCAP_BROKEN;
        }
        if (got == 0)
            return MACS_ODP_PCAP_END;
        reader->end += (size_t)got;
    }
    return MACS_ODP_PCAP_FRAME;
}

void macs_odp_pcap_consume(struct macs_odp_pcap_reader *reader, size_t bytes) {
    reader->start += bytes;
    reader->consumed += bytes;
}

int macs_odp_pcap_refuse(const struct macs_odp_pcap_reader *reader, const char *what) {
    macs_odp_log(ODP_LOG_ERR, "%s: %s\n", reader->path, what);
    return macs_odp_fail(EINVAL);
}

enum macs_odp_pcap_result macs_odp_pcap_broken(struct macs_odp_pcap_reader *reader, const char *what) {
    reader->ended = true;
    macs_odp_log(ODP_LOG_ERR, "%s: %s at byte %" PRIu64 "; the rest is not read\n", reader->path, what,
                 reader->consumed);
    return MACS_ODP_PCAP_BROKEN;
}
