/* See pcapng.h. */
#include "pktio/pcapng.h"

#include <stdlib.h>
#include <string.h>

#define BYTE_ORDER_MAGIC 0x1a2b3c4du
#define LINK_ETHERNET 1u

enum { SECTION = MACS_ODP_PCAPNG_MAGIC, INTERFACE = 1, OBSOLETE = 2, SIMPLE = 3, ENHANCED = 6 };
enum { BLOCK_HEAD = 8, BLOCK_MIN = 12, TRAILER = 4, SECTION_MIN = 28, INTERFACE_MIN = 20 };
enum { ENHANCED_HEAD = 28, SIMPLE_HEAD = 12 };
enum { OPTION_END = 0, OPTION_RESOLUTION = 9, OPTION_OFFSET = 14 };
enum { OPTIONS_MAX = 65536, INTERFACES_MAX = 65536, MICROSECONDS = 6, NANOSECONDS = 9, POWER_OF_TWO = 0x80 };

static const char CORRUPT[] = "a corrupt block";
static const char CUT_OFF[] = "the file is cut off";

static enum macs_odp_pcap_result need(struct macs_odp_pcap_reader *reader, size_t bytes) {
    enum macs_odp_pcap_result result = macs_odp_pcap_fill(reader, bytes);
    return result == MACS_ODP_PCAP_END ? macs_odp_pcap_broken(reader, CUT_OFF) : result;
}

static uint32_t half(const struct macs_odp_pcap_reader *reader, size_t at) {
    uint16_t value;
    memcpy(&value, reader->buffer + reader->start + at, sizeof(value));
    return reader->swapped ? __builtin_bswap16(value) : value;
}

static uint64_t high_low(const struct macs_odp_pcap_reader *reader, size_t at) {
    return (uint64_t)macs_odp_pcap_word(reader, at) << 32 | macs_odp_pcap_word(reader, at + 4);
}

/* A time in units of the interface, as nanoseconds. What has no place in them wraps around. */
static uint64_t to_ns(uint64_t time, const struct macs_odp_pcapng_interface *interface) {
    unsigned digits = interface->resolution & ~(unsigned)POWER_OF_TWO;
    uint64_t ns = time;
    if (interface->resolution & POWER_OF_TWO) {
        uint64_t seconds = digits < 64 ? time >> digits : 0, fraction = time - (digits < 64 ? seconds << digits : 0);
        for (; digits > 30; digits--)
            fraction >>= 1;
        ns = seconds * ODP_TIME_SEC_IN_NS + (fraction * ODP_TIME_SEC_IN_NS >> digits);
    } else {
        for (; digits < NANOSECONDS; digits++)
            ns *= 10;
        for (; digits > NANOSECONDS && ns > 0; digits--)
            ns /= 10;
    }
    return ns + (uint64_t)interface->offset * ODP_TIME_SEC_IN_NS;
}

/* The head of a section in the buffer: from here on its byte order holds, and no interface is known. */
static enum macs_odp_pcap_result section(struct macs_odp_pcap_reader *reader) {
    enum macs_odp_pcap_result result = need(reader, SECTION_MIN);
    if (result != MACS_ODP_PCAP_FRAME)
        return result;
    reader->swapped = false;
    uint32_t magic = macs_odp_pcap_word(reader, BLOCK_HEAD);
    reader->swapped = magic != BYTE_ORDER_MAGIC;
    if (reader->swapped && __builtin_bswap32(magic) != BYTE_ORDER_MAGIC)
        return macs_odp_pcap_broken(reader, CORRUPT);
    if (half(reader, 12) != 1)
        return macs_odp_pcap_broken(reader, "a section of an unknown version");
    reader->interfaces = 0;
    return MACS_ODP_PCAP_FRAME;
}

static void options(const struct macs_odp_pcap_reader *reader, size_t at, size_t end,
                    struct macs_odp_pcapng_interface *interface) {
    while (at + 4 <= end) {
        uint32_t code = half(reader, at), len = half(reader, at + 2);
        at += 4;
        if (code == OPTION_END || len > end - at)
            return;
        if (code == OPTION_RESOLUTION && len == 1)
            interface->resolution = reader->buffer[reader->start + at];
        if (code == OPTION_OFFSET && len == 8) {
            uint64_t first = macs_odp_pcap_word(reader, at), second = macs_odp_pcap_word(reader, at + 4);
            bool big = reader->swapped != ODP_BIG_ENDIAN; /* a number of 64 bits in the section's byte order */
            interface->offset = (int64_t)(big ? first << 32 | second : second << 32 | first);
        }
        at += (len + 3) & ~3u;
    }
}

static enum macs_odp_pcap_result describe(struct macs_odp_pcap_reader *reader, uint32_t len) {
    size_t whole = len < OPTIONS_MAX ? len : OPTIONS_MAX;
    enum macs_odp_pcap_result result =
        len < INTERFACE_MIN ? macs_odp_pcap_broken(reader, CORRUPT) : need(reader, whole);
    if (result != MACS_ODP_PCAP_FRAME)
        return result;
    if (reader->interfaces == INTERFACES_MAX)
        return macs_odp_pcap_broken(reader, "too many interfaces");
    if ((reader->interfaces & (reader->interfaces + 1)) == 0) { /* one less than a power of two: grow */
        size_t more = 2 * ((size_t)reader->interfaces + 1) * sizeof(*reader->interface);
        void *grown = realloc(reader->interface, more);
        if (grown == NULL)
            return macs_odp_pcap_broken(reader, "no memory for its interfaces");
        reader->interface = grown;
    }
    struct macs_odp_pcapng_interface *interface = &reader->interface[reader->interfaces++];
    *interface = (struct macs_odp_pcapng_interface){
        .link = half(reader, BLOCK_HEAD), .snaplen = macs_odp_pcap_word(reader, 12), .resolution = MICROSECONDS};
    options(reader, 16, whole - TRAILER, interface);
    return MACS_ODP_PCAP_FRAME;
}

/* A packet's block: `head` bytes before the data, which with `len` bytes are in the buffer when this is called. */
static enum macs_odp_pcap_result packet(struct macs_odp_pcap_reader *reader, uint32_t type, uint32_t len,
                                        struct macs_odp_pcap_frame *frame) {
    size_t head = type == SIMPLE ? SIMPLE_HEAD : ENHANCED_HEAD;
    enum macs_odp_pcap_result result =
        len < head + TRAILER ? macs_odp_pcap_broken(reader, CORRUPT) : need(reader, head);
    if (result != MACS_ODP_PCAP_FRAME)
        return result;
    uint32_t number = type == ENHANCED ? macs_odp_pcap_word(reader, 8) : type == OBSOLETE ? half(reader, 8) : 0;
    if (number >= reader->interfaces)
        return macs_odp_pcap_broken(reader, CORRUPT);
    const struct macs_odp_pcapng_interface *interface = &reader->interface[number];
    if (interface->link != LINK_ETHERNET)
        return macs_odp_pcap_broken(reader, "a frame of a link that is not Ethernet");
    *frame = (struct macs_odp_pcap_frame){.wire_len = macs_odp_pcap_word(reader, head - 4)};
    frame->len = frame->wire_len;
    if (type != SIMPLE) {
        frame->len = macs_odp_pcap_word(reader, head - 8);
        frame->ts_ns = to_ns(high_low(reader, head - 16), interface);
    } else if (interface->snaplen != 0 && interface->snaplen < frame->len) {
        frame->len = interface->snaplen;
    }
    if (frame->len > MACS_ODP_PCAP_FRAME_MAX || frame->len > len - head - TRAILER)
        return macs_odp_pcap_broken(reader, CORRUPT);
    result = need(reader, head + frame->len);
    frame->data = reader->buffer + reader->start + head;
    return result;
}

/* Pass over the rest of the last block, which its length ends once more. */
static enum macs_odp_pcap_result pass(struct macs_odp_pcap_reader *reader) {
    while (reader->rest > TRAILER) {
        size_t here = reader->end - reader->start, step = reader->rest - TRAILER;
        enum macs_odp_pcap_result result = here == 0 ? need(reader, 1) : MACS_ODP_PCAP_FRAME;
        if (result != MACS_ODP_PCAP_FRAME)
            return result;
        here = reader->end - reader->start;
        step = step < here ? step : here;
        macs_odp_pcap_consume(reader, step);
        reader->rest -= (uint32_t)step;
    }
    if (reader->rest == 0)
        return MACS_ODP_PCAP_FRAME;
    enum macs_odp_pcap_result result = need(reader, TRAILER);
    if (result != MACS_ODP_PCAP_FRAME)
        return result;
    if (macs_odp_pcap_word(reader, 0) != reader->block)
        return macs_odp_pcap_broken(reader, CORRUPT);
    macs_odp_pcap_consume(reader, TRAILER);
    reader->rest = 0;
    return MACS_ODP_PCAP_FRAME;
}

/* One block, but for its end: FRAME, and its type; if that is a packet's, *frame is set. */
static enum macs_odp_pcap_result block(struct macs_odp_pcap_reader *reader, uint32_t *type,
                                       struct macs_odp_pcap_frame *frame) {
    enum macs_odp_pcap_result result = pass(reader);
    if (result != MACS_ODP_PCAP_FRAME)
        return result;
    result = macs_odp_pcap_fill(reader, BLOCK_HEAD);
    if (result == MACS_ODP_PCAP_END && reader->end == reader->start)
        return result;
    if (result != MACS_ODP_PCAP_FRAME)
        return result == MACS_ODP_PCAP_END ? macs_odp_pcap_broken(reader, CUT_OFF) : result;
    *type = macs_odp_pcap_word(reader, 0);
    if (*type == SECTION && (result = section(reader)) != MACS_ODP_PCAP_FRAME)
        return result;
    uint32_t len = macs_odp_pcap_word(reader, 4);
    if (len < (*type == SECTION ? SECTION_MIN : BLOCK_MIN) || len % 4 != 0)
        return macs_odp_pcap_broken(reader, CORRUPT);
    size_t used = BLOCK_HEAD;
    if (*type == INTERFACE)
        result = describe(reader, len);
    if (*type == ENHANCED || *type == SIMPLE || *type == OBSOLETE) {
        result = packet(reader, *type, len, frame);
        used = (*type == SIMPLE ? SIMPLE_HEAD : ENHANCED_HEAD) + frame->len;
    }
    if (result != MACS_ODP_PCAP_FRAME)
        return result;
    reader->block = len;
    reader->rest = len - (uint32_t)used;
    macs_odp_pcap_consume(reader, used);
    return MACS_ODP_PCAP_FRAME;
}

int macs_odp_pcapng_open(struct macs_odp_pcap_reader *reader) {
    struct macs_odp_pcap_frame frame;
    enum macs_odp_pcap_result result;
    uint32_t type;
    while (reader->interfaces == 0 && (result = block(reader, &type, &frame)) != MACS_ODP_PCAP_END)
        if (result != MACS_ODP_PCAP_FRAME)
            return macs_odp_fail(EINVAL); /* logged */
    if (reader->interfaces == 0)
        return 0;
    uint8_t resolution = reader->interface[0].resolution;
    reader->nanoseconds = resolution > ((resolution & POWER_OF_TWO) ? POWER_OF_TWO + 20 : MICROSECONDS);
    if (reader->interface[0].link != LINK_ETHERNET)
        return macs_odp_pcap_refuse(reader, "a capture of a link that is not Ethernet");
    return 0;
}

enum macs_odp_pcap_result macs_odp_pcapng_next(struct macs_odp_pcap_reader *reader, struct macs_odp_pcap_frame *frame) {
    uint32_t type = 0;
    for (;;) {
        enum macs_odp_pcap_result result = block(reader, &type, frame);
        if (result == MACS_ODP_PCAP_END)
            reader->ended = true;
        if (result != MACS_ODP_PCAP_FRAME)
            return result;
        if (type == ENHANCED || type == SIMPLE || type == OBSOLETE)
            return frame->wire_len < frame->len ? MACS_ODP_PCAP_SKIPPED : MACS_ODP_PCAP_FRAME;
    }
}

size_t macs_odp_pcapng_put_header(uint8_t *to, bool nanoseconds) {
    const uint32_t section_block[] = {SECTION, SECTION_MIN, BYTE_ORDER_MAGIC, 0, UINT32_MAX, UINT32_MAX, SECTION_MIN};
    const uint32_t interface_block[] = {INTERFACE, 32, 0, 0, 0, 0, 0, 32};
    const uint16_t version[] = {1, 0}, link[] = {LINK_ETHERNET, 0}, option[] = {OPTION_RESOLUTION, 1};
    uint8_t *second = to + sizeof(section_block);
    memcpy(to, section_block, sizeof(section_block));
    memcpy(to + 12, version, sizeof(version));
    memcpy(second, interface_block, sizeof(interface_block));
    memcpy(second + 8, link, sizeof(link));
    memcpy(second + 16, option, sizeof(option));
    second[20] = nanoseconds ? NANOSECONDS : MICROSECONDS;
    return sizeof(section_block) + sizeof(interface_block);
}

size_t macs_odp_pcapng_put_frame(uint8_t *to, const void *data, uint32_t len, uint64_t ts_ns, bool nanoseconds) {
    uint64_t time = nanoseconds ? ts_ns : ts_ns / 1000;
    uint32_t padded = (len + 3) & ~3u, total = ENHANCED_HEAD + padded + TRAILER;
    const uint32_t head[] = {ENHANCED, total, 0, (uint32_t)(time >> 32), (uint32_t)time, len, len};
    memcpy(to, head, sizeof(head));
    memcpy(to + ENHANCED_HEAD, data, len);
    memset(to + ENHANCED_HEAD + len, 0, padded - len);
    memcpy(to + ENHANCED_HEAD + padded, &total, TRAILER);
    return total;
}
