/* A capture file is damaged in COUNT ways and read: no bytes at all may break the reader (run under sanitizers), and
 * what it gives lies within bounds. Arguments: FILE COUNT SCRATCH, a file that is written again and again. */
#include "check.h"
#include "pktio/pcap_file.h"

#include <fcntl.h>
#include <unistd.h>

enum { FILE_MAX = 1 << 16, DAMAGES = 6 };

static uint32_t random_state = 1;

static uint32_t next_random(void) {
    random_state = random_state * 1664525u + 1013904223u;
    return random_state >> 8;
}

static int quiet(odp_log_level_t level, const char *fmt, ...) {
    (void)level, (void)fmt;
    return 0;
}

static size_t load(const char *path, uint8_t *content) {
    int fd = open(path, O_RDONLY);
    ssize_t size = read(fd, content, FILE_MAX);
    CHECK(size > 0 && close(fd) == 0);
    return (size_t)size;
}

/* Numbers that lengths and counts go wrong with, bytes, pieces cut out. */
static size_t damage(uint8_t *content, size_t size) {
    static const uint32_t numbers[] = {0, 1, 3, 4, 12, 0x7fffffff, 0x80000000, 0xfffffffc, 0xffffffff, 262144, 262145};
    uint32_t what = next_random() % 4, number = numbers[next_random() % 11];
    size_t at = next_random() % size;
    if (what == 0)
        content[at] = (uint8_t)next_random();
    else if (what == 1 && at % 4 + 4 <= size)
        memcpy(content + (at & ~(size_t)3) % (size - 3), &number, sizeof(number));
    else if (what == 2)
        content[at] ^= (uint8_t)(1u << next_random() % 8);
    else if (next_random() % 8 == 0 && at > 0)
        size = at;
    return size;
}

static uint64_t read_all(const char *path) {
    struct macs_odp_pcap_reader reader;
    struct macs_odp_pcap_frame frame;
    uint64_t frames = 0, sum = 0;
    if (macs_odp_pcap_open(&reader, path, true) != 0)
        return 0;
    for (int round = 0; round < 2; round++) {
        enum macs_odp_pcap_result result;
        while ((result = macs_odp_pcap_next(&reader, &frame)) <= MACS_ODP_PCAP_SKIPPED) {
            CHECK(frame.len <= MACS_ODP_PCAP_FRAME_MAX);
            CHECK((frame.len > frame.wire_len) == (result == MACS_ODP_PCAP_SKIPPED));
            for (uint32_t i = 0; i < frame.len; i++)
                sum += frame.data[i];
            frames++;
        }
        if (macs_odp_pcap_rewind(&reader) != 0)
            break;
    }
    macs_odp_pcap_close(&reader);
    return frames + (sum == 0);
}

int main(int argc, char **argv) {
    static uint8_t whole[FILE_MAX], damaged[FILE_MAX];
    odp_instance_t instance;
    odp_init_t param;
    uint64_t frames = 0;
    CHECK(argc == 4);
    odp_init_param_init(&param);
    param.log_fn = quiet;
    CHECK(odp_init_global(&instance, &param, NULL) == 0 && odp_init_local(instance, ODP_THREAD_CONTROL) == 0);
    size_t size = load(argv[1], whole);
    CHECK(read_all(argv[1]) > 2);
    for (int count = atoi(argv[2]); count > 0; count--) {
        size_t left = size;
        memcpy(damaged, whole, size);
        for (uint32_t i = 0; i <= next_random() % DAMAGES; i++)
            left = damage(damaged, left);
        int fd = open(argv[3], O_WRONLY | O_CREAT | O_TRUNC, 0600);
        CHECK(write(fd, damaged, left) == (ssize_t)left && close(fd) == 0);
        frames += read_all(argv[3]);
    }
    CHECK(frames > 0);
    CHECK(odp_term_local() == 0 && odp_term_global(instance) == 0);
    return 0;
}
