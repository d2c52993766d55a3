/* CPU information of the kernel, waiting, and random bytes. */
#include "core/internal.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

/* Below this it spins: the kernel's timers are not more precise. */
#define SPIN_NS (100 * ODP_TIME_USEC_IN_NS)

uint64_t macs_odp_clock_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * ODP_TIME_SEC_IN_NS + (uint64_t)now.tv_nsec;
}

int odp_cpu_id(void) {
    int cpu = sched_getcpu();
    return cpu < 0 ? macs_odp_fail(errno) : cpu;
}

int odp_cpu_count(void) {
    odp_cpumask_t mask;
    return odp_cpumask_all_available(&mask);
}

/* The value of the first line "KEY : value" of /proc/cpuinfo behind the lines of `id` other processors. */
static bool cpuinfo(int id, const char *key, char *value, size_t size) {
    char line[256];
    int processor = -1;
    bool found = false;
    FILE *file = fopen("/proc/cpuinfo", "re");
    while (file != NULL && !found && fgets(line, sizeof(line), file) != NULL) {
        char *colon = strchr(line, ':');
        if (sscanf(line, "processor : %d", &processor) == 1 || colon == NULL || processor != id)
            continue;
        if (strncmp(line, key, strlen(key)) == 0) {
            colon[1 + strcspn(colon + 1, "\n")] = '\0';
            macs_odp_name(value, size, colon + 1 + strspn(colon + 1, " "));
            found = true;
        }
    }
    if (file != NULL)
        fclose(file);
    return found;
}

const char *odp_cpu_model_str_id(int id) {
    static __thread char model[128];
    return cpuinfo(id, "model name", model, sizeof(model)) ? model : "unknown";
}

const char *odp_cpu_model_str(void) {
    return odp_cpu_model_str_id(odp_cpu_id());
}

static uint64_t cpufreq(int id, const char *name) {
    char path[128];
    unsigned long khz = 0;
    snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/cpufreq/%s", id, name);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return 0;
    if (fscanf(file, "%lu", &khz) != 1)
        khz = 0;
    fclose(file);
    return khz * 1000u;
}

uint64_t odp_cpu_hz_id(int id) {
    char value[64];
    double mhz;
    uint64_t hz = cpufreq(id, "scaling_cur_freq");
    if (hz == 0 && cpuinfo(id, "cpu MHz", value, sizeof(value)) && sscanf(value, "%lf", &mhz) == 1)
        hz = (uint64_t)(mhz * 1e6);
    return hz;
}

uint64_t odp_cpu_hz_max_id(int id) {
    uint64_t hz = cpufreq(id, "cpuinfo_max_freq");
    return hz ? hz : odp_cpu_hz_id(id);
}

uint64_t odp_cpu_hz(void) {
    return odp_cpu_hz_id(odp_cpu_id());
}

uint64_t odp_cpu_hz_max(void) {
    return odp_cpu_hz_max_id(odp_cpu_id());
}

void odp_time_wait_until(odp_time_t time) {
    uint64_t now = odp_time_global_ns();
    if (time.ns > now + SPIN_NS) {
        uint64_t until = time.ns - SPIN_NS / 2;
        struct timespec wake = {(time_t)(until / ODP_TIME_SEC_IN_NS), (long)(until % ODP_TIME_SEC_IN_NS)};
        while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &wake, NULL) == EINTR) {
        }
    }
    while (odp_time_global_ns() < time.ns)
        odp_cpu_pause();
}

void odp_time_wait_ns(uint64_t ns) {
    odp_time_wait_until(odp_time_add_ns(odp_time_global(), ns));
}

odp_random_kind_t odp_random_max_kind(void) {
    return ODP_RANDOM_CRYPTO;
}

int32_t odp_random_data(uint8_t *buf, uint32_t len, odp_random_kind_t kind) {
    uint32_t done = 0;
    if (kind > ODP_RANDOM_CRYPTO || len > INT32_MAX)
        return macs_odp_fail(EINVAL);
    while (done < len) {
        ssize_t got = getrandom(buf + done, len - done, 0);
        if (got < 0 && errno != EINTR)
            return macs_odp_fail(errno);
        done += got > 0 ? (uint32_t)got : 0;
    }
    return (int32_t)len;
}

int32_t odp_random_test_data(uint8_t *buf, uint32_t len, uint64_t *seed) {
    if (len > INT32_MAX)
        return macs_odp_fail(EINVAL);
    for (uint32_t i = 0; i < len; i++) { /* splitmix64: Steele, Lea, Flood, OOPSLA 2014 */
        uint64_t mixed = *seed += 0x9e3779b97f4a7c15u;
        mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9u;
        mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebu;
        buf[i] = (uint8_t)(mixed >> 32);
    }
    return (int32_t)len;
}
