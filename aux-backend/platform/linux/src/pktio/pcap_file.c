/* See pcap_file.h. */
#include "pktio/pcap_file.h"
#include "pktio/pcapng.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC_US 0xa1b2c3d4u
#define MAGIC_NS 0xa1b23c4du
#define LINK_ETHERNET 1u

enum { FILE_HEADER = 24, RECORD_HEADER = 16, WRITE_BUFFER = 1 << 18 };
enum { BESIDE_FRAME = 64 }; /* what a record has beside its frame, in either format, at most; so a file's header */

static int file_header(struct macs_odp_pcap_reader *reader) {
    enum macs_odp_pcap_result result = macs_odp_pcap_fill(reader, FILE_HEADER);
    if (result == MACS_ODP_PCAP_BROKEN)
        return macs_odp_fail(EIO);
    if (reader->end - reader->start < 4)
        return macs_odp_pcap_refuse(reader, "not a pcap file: too short");
    uint32_t magic = macs_odp_pcap_word(reader, 0), swapped = __builtin_bswap32(magic);
    reader->ng = magic == MACS_ODP_PCAPNG_MAGIC;
    if (reader->ng)
        return macs_odp_pcapng_open(reader);
    reader->swapped = swapped == MAGIC_US || swapped == MAGIC_NS;
    magic = reader->swapped ? swapped : magic;
    if (magic != MAGIC_US && magic != MAGIC_NS)
        return macs_odp_pcap_refuse(reader, "not a pcap file");
    if (result != MACS_ODP_PCAP_FRAME)
        return macs_odp_pcap_refuse(reader, "not a pcap file: its header is cut off");
    reader->nanoseconds = magic == MAGIC_NS;
    if ((macs_odp_pcap_word(reader, 20) & 0xffff) != LINK_ETHERNET)
        return macs_odp_pcap_refuse(reader, "a capture of a link that is not Ethernet");
    macs_odp_pcap_consume(reader, FILE_HEADER);
    return 0;
}

int macs_odp_pcap_open(struct macs_odp_pcap_reader *reader, const char *path, bool block) {
    memset(reader, 0, sizeof(*reader));
    reader->path = strdup(path);
    reader->buffer = malloc(MACS_ODP_PCAP_BUFFER);
    reader->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (reader->fd < 0) {
        macs_odp_log(ODP_LOG_ERR, "%s: cannot open: %s\n", path, strerror(errno));
        macs_odp_error = errno;
    } else if (reader->path == NULL || reader->buffer == NULL) {
        macs_odp_error = ENOMEM;
    } else if (file_header(reader) == 0) {
        if (!block)
            fcntl(reader->fd, F_SETFL, O_NONBLOCK);
        return 0;
    }
    macs_odp_pcap_close(reader);
    return -1;
}

enum macs_odp_pcap_result macs_odp_pcap_next(struct macs_odp_pcap_reader *reader, struct macs_odp_pcap_frame *frame) {
    if (reader->ended)
        return MACS_ODP_PCAP_END;
    if (reader->ng)
        return macs_odp_pcapng_next(reader, frame);
    enum macs_odp_pcap_result result = macs_odp_pcap_fill(reader, RECORD_HEADER);
    if (result == MACS_ODP_PCAP_END && reader->end == reader->start) {
        reader->ended = true;
        return MACS_ODP_PCAP_END;
    }
    uint32_t len = 0;
    if (result == MACS_ODP_PCAP_FRAME) {
        len = macs_odp_pcap_word(reader, 8);
        if (len > MACS_ODP_PCAP_FRAME_MAX)
            return macs_odp_pcap_broken(reader, "a corrupt record");
        result = macs_odp_pcap_fill(reader, RECORD_HEADER + len);
    }
    if (result == MACS_ODP_PCAP_LATER)
        return result;
    if (result != MACS_ODP_PCAP_FRAME)
        return macs_odp_pcap_broken(reader, "the file is cut off");
    uint64_t fraction = macs_odp_pcap_word(reader, 4);
    frame->ts_ns = macs_odp_pcap_word(reader, 0) * ODP_TIME_SEC_IN_NS + fraction * (reader->nanoseconds ? 1 : 1000);
    frame->wire_len = macs_odp_pcap_word(reader, 12);
    frame->len = len;
    frame->data = reader->buffer + reader->start + RECORD_HEADER;
    macs_odp_pcap_consume(reader, RECORD_HEADER + len);
    return frame->wire_len < len ? MACS_ODP_PCAP_SKIPPED : MACS_ODP_PCAP_FRAME;
}

void macs_odp_pcap_close(struct macs_odp_pcap_reader *reader) {
    if (reader->fd >= 0)
        close(reader->fd);
    free(reader->interface);
    free(reader->buffer);
    free(reader->path);
}

int macs_odp_pcap_rewind(struct macs_odp_pcap_reader *reader) {
    if (lseek(reader->fd, 0, SEEK_SET) != 0) {
        macs_odp_log(ODP_LOG_ERR, "%s: cannot be read again: %s\n", reader->path, strerror(errno));
        return macs_odp_fail(errno);
    }
    reader->ended = reader->swapped = false;
    reader->start = reader->end = 0;
    reader->consumed = 0;
    reader->rest = reader->interfaces = 0;
    return file_header(reader);
}

/* The bytes of a record in the buffer, and of the frame in it. */
static size_t record_bytes(const struct macs_odp_pcap_writer *writer, size_t at, uint32_t *frame) {
    uint32_t total;
    if (!writer->ng) {
        memcpy(frame, writer->buffer + at + 8, sizeof(*frame));
        return RECORD_HEADER + *frame;
    }
    memcpy(&total, writer->buffer + at + 4, sizeof(total));
    memcpy(frame, writer->buffer + at + 20, sizeof(*frame));
    return total;
}

/* Only `done` bytes of the buffer, which has records, could be written: those that were not written whole are lost. */
static void give_up(struct macs_odp_pcap_writer *writer, size_t done) {
    struct stat file;
    size_t at = 0, whole = 0;
    while (at < writer->used) {
        uint32_t frame;
        at += record_bytes(writer, at, &frame);
        if (at <= done) {
            whole = at;
            continue;
        }
        __atomic_store_n(&writer->lost, writer->lost + 1, __ATOMIC_RELAXED);
        __atomic_store_n(&writer->lost_bytes, writer->lost_bytes + frame, __ATOMIC_RELAXED);
    }
    writer->written += (off_t)whole;
    if (whole < done && fstat(writer->fd, &file) == 0 && S_ISREG(file.st_mode) &&
        ftruncate(writer->fd, writer->written) != 0)
        macs_odp_log(ODP_LOG_ERR, "%s: its last record is torn: %s\n", writer->path, strerror(errno));
}

int macs_odp_pcap_flush(struct macs_odp_pcap_writer *writer) {
    size_t done = 0;
    if (writer->failed)
        return macs_odp_fail(EIO);
    while (done < writer->used) {
        ssize_t put = write(writer->fd, writer->buffer + done, writer->used - done);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            break;
        done += (size_t)put;
    }
    int error = done < writer->used ? errno : 0;
    if (error != 0) {
        macs_odp_log(ODP_LOG_ERR, "%s: cannot write: %s\n", writer->path, strerror(error));
        __atomic_store_n(&writer->failed, true, __ATOMIC_RELAXED);
        if (writer->written > 0)
            give_up(writer, done);
    } else {
        writer->written += (off_t)done;
    }
    __atomic_store_n(&writer->used, 0, __ATOMIC_RELAXED);
    return error != 0 ? macs_odp_fail(error) : 0;
}

static size_t put_header(uint8_t *to, bool nanoseconds) {
    uint32_t header[6] = {nanoseconds ? MAGIC_NS : MAGIC_US, 0, 0, 0, MACS_ODP_PCAP_FRAME_MAX, LINK_ETHERNET};
    uint16_t version[2] = {2, 4};
    memcpy(&header[1], version, sizeof(version));
    memcpy(to, header, sizeof(header));
    return sizeof(header);
}

static size_t put_frame(uint8_t *to, const void *data, uint32_t len, uint64_t ts_ns, bool nanoseconds) {
    uint64_t fraction = ts_ns % ODP_TIME_SEC_IN_NS;
    uint32_t header[4] = {(uint32_t)(ts_ns / ODP_TIME_SEC_IN_NS), (uint32_t)(nanoseconds ? fraction : fraction / 1000),
                          len, len};
    memcpy(to, header, sizeof(header));
    memcpy(to + sizeof(header), data, len);
    return sizeof(header) + len;
}

static bool says_pcapng(const char *path) {
    size_t length = strlen(path), suffix = strlen(".pcapng");
    return length >= suffix && strcmp(path + length - suffix, ".pcapng") == 0;
}

int macs_odp_pcap_create(struct macs_odp_pcap_writer *writer, const char *path, bool nanoseconds) {
    memset(writer, 0, sizeof(*writer));
    writer->ng = says_pcapng(path);
    writer->nanoseconds = nanoseconds;
    writer->path = strdup(path);
    writer->buffer = malloc(WRITE_BUFFER);
    writer->fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (writer->fd < 0) {
        macs_odp_log(ODP_LOG_ERR, "%s: cannot create: %s\n", path, strerror(errno));
        macs_odp_error = errno;
    } else if (writer->path == NULL || writer->buffer == NULL) {
        macs_odp_error = ENOMEM;
    } else {
        return 0;
    }
    macs_odp_pcap_finish(writer);
    return -1;
}

int macs_odp_pcap_begin(struct macs_odp_pcap_writer *writer) {
    struct stat file;
    if (fstat(writer->fd, &file) == 0 && S_ISREG(file.st_mode) && ftruncate(writer->fd, 0) != 0) {
        macs_odp_log(ODP_LOG_ERR, "%s: cannot empty: %s\n", writer->path, strerror(errno));
        return macs_odp_fail(errno);
    }
    writer->used = writer->ng ? macs_odp_pcapng_put_header(writer->buffer, writer->nanoseconds)
                              : put_header(writer->buffer, writer->nanoseconds);
    return macs_odp_pcap_flush(writer);
}

int macs_odp_pcap_write(struct macs_odp_pcap_writer *writer, const void *data, uint32_t len, uint64_t ts_ns) {
    if (len > WRITE_BUFFER - BESIDE_FRAME)
        return macs_odp_fail(EMSGSIZE);
    if (writer->failed)
        return macs_odp_fail(EIO);
    if (writer->used + BESIDE_FRAME + len > WRITE_BUFFER && macs_odp_pcap_flush(writer) != 0)
        return -1;
    uint8_t *to = writer->buffer + writer->used;
    size_t more = writer->ng ? macs_odp_pcapng_put_frame(to, data, len, ts_ns, writer->nanoseconds)
                             : put_frame(to, data, len, ts_ns, writer->nanoseconds);
    __atomic_store_n(&writer->used, writer->used + more, __ATOMIC_RELAXED);
    return 0;
}

int macs_odp_pcap_finish(struct macs_odp_pcap_writer *writer) {
    int result = writer->used > 0 ? macs_odp_pcap_flush(writer) : 0;
    if (writer->fd >= 0 && close(writer->fd) != 0 && result == 0)
        result = macs_odp_fail(errno);
    free(writer->buffer);
    free(writer->path);
    return result;
}
