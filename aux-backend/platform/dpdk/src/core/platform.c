/* Starts and stops DPDK's environment (EAL) with the instance. EAL can be started only once: it stays until the process
 * ends.
 *
 * Memory is on huge pages if enough are free, else on ordinary pages (--no-huge). EAL leaves no files behind and needs
 * no other process (--in-memory). It takes no PCI device that MACS_DPDK_ARGS does not allow (-a ADDRESS); the words of
 * that variable are passed to EAL as they are. Threads are those of the program: EAL makes none that process packets,
 * and pins none.
 */
#include "core/dpdk.h"

#include <dirent.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_lcore.h>
#include <rte_mbuf.h>
#include <rte_mbuf_dyn.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Less is not worth starting with: a switch's packets alone take about 80 MB. */
#define HUGE_ENOUGH ((uint64_t)128 << 20)
/* Address space for --no-huge; it becomes real as it is used. */
#define ORDINARY_MB_MAX 4096u

enum { WORDS = 64, TEXT = 4096 };

const char *const macs_odp_platform_name = "macsad-dpdk";

static bool started;
static uint32_t lcore_of[ODP_THREAD_COUNT_MAX];

/* A command line for EAL. */
struct words {
    int count;
    char *word[WORDS];
    size_t used;
    char text[TEXT];
};

static void word_add(struct words *words, const char *word) {
    size_t size = strlen(word) + 1;
    if (words->count == WORDS || size > sizeof(words->text) - words->used)
        return;
    words->word[words->count++] = memcpy(words->text + words->used, word, size);
    words->used += size;
}

static bool word_given(const struct words *words, const char *one, const char *other) {
    for (int i = 1; i < words->count; i++)
        if (strncmp(words->word[i], one, strlen(one)) == 0 || strcmp(words->word[i], other) == 0)
            return true;
    return false;
}

/* Bytes in free huge pages of all sizes. */
static uint64_t huge_bytes(void) {
    uint64_t sum = 0;
    DIR *sizes = opendir("/sys/kernel/mm/hugepages");
    for (struct dirent *entry; sizes != NULL && (entry = readdir(sizes)) != NULL;) {
        char path[384];
        unsigned long kilobytes, pages;
        if (sscanf(entry->d_name, "hugepages-%lukB", &kilobytes) != 1)
            continue;
        snprintf(path, sizeof(path), "/sys/kernel/mm/hugepages/%s/free_hugepages", entry->d_name);
        FILE *file = fopen(path, "re");
        if (file != NULL && fscanf(file, "%lu", &pages) == 1)
            sum += (uint64_t)kilobytes * pages * 1024;
        if (file != NULL)
            fclose(file);
    }
    if (sizes != NULL)
        closedir(sizes);
    return sum;
}

/* One lcore, for this thread, on the CPUs that it has. */
static void word_add_cpus(struct words *words) {
    char text[1024] = "--lcores=0@(";
    size_t used = strlen(text);
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    sched_getaffinity(0, sizeof(cpus), &cpus);
    for (unsigned cpu = 0; cpu < CPU_SETSIZE && used < sizeof(text) - 8; cpu++)
        if (CPU_ISSET(cpu, &cpus))
            used += (size_t)snprintf(text + used, sizeof(text) - used, "%u,", cpu);
    text[used - 1] = ')';
    word_add(words, text);
}

static void command_line(struct words *words, bool huge) {
    char more[2048], memory[32], *rest = more;
    uint64_t half = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE) / 2 >> 20;
    *words = (struct words){.count = 0};
    word_add(words, "macsad");
    macs_odp_name(more, sizeof(more), getenv("MACS_DPDK_ARGS"));
    while (rest != NULL) {
        char *word = strsep(&rest, " \t");
        if (*word != '\0')
            word_add(words, word);
    }
    if (!word_given(words, "-a", "--allow"))
        word_add(words, "--no-pci");
    word_add_cpus(words);
    word_add(words, "--no-telemetry");
    if (huge && !word_given(words, "--no-huge", "--no-huge")) {
        word_add(words, "--in-memory");
        return;
    }
    snprintf(memory, sizeof(memory), "%u", half < ORDINARY_MB_MAX ? (unsigned)half : ORDINARY_MB_MAX);
    word_add(words, "--no-huge");
    word_add(words, "--no-shconf");
    if (!word_given(words, "-m", "-m")) {
        word_add(words, "-m");
        word_add(words, memory);
    }
}

static int eal_start(bool huge) {
    struct words words;
    command_line(&words, huge);
    return rte_eal_init(words.count, words.word);
}

/* Our flags of packets, among those that DPDK gives away. */
static int flags_reserve(void) {
    for (unsigned flag = 0; flag < MACS_ODP_FLAGS_COUNT; flag++) {
        struct rte_mbuf_dynflag wanted = {.flags = 0};
        snprintf(wanted.name, sizeof(wanted.name), "macs_odp_flag_%u", flag);
        if (rte_mbuf_dynflag_register_bitnum(&wanted, MACS_ODP_FLAGS_SHIFT + flag) < 0)
            return -1;
    }
    return 0;
}

int macs_odp_platform_start(void) {
    if (started)
        return 0;
    macs_odp_dpdk_listen();
    bool huge = huge_bytes() >= HUGE_ENOUGH;
    if ((eal_start(huge) < 0 && (!huge || eal_start(false) < 0)) || flags_reserve() != 0) {
        macs_odp_log(ODP_LOG_ERR, "DPDK does not start: %s\n", rte_strerror(rte_errno));
        macs_odp_dpdk_complain();
        return macs_odp_fail(rte_errno > 0 ? rte_errno : EIO);
    }
    for (unsigned thread = 0; thread < ODP_THREAD_COUNT_MAX; thread++)
        lcore_of[thread] = UINT32_MAX;
    started = true;
    return 0;
}

/* A thread beyond DPDK's number goes without caches. */
int macs_odp_platform_join(void) {
    if (rte_lcore_id() == LCORE_ID_ANY)
        rte_thread_register();
    __atomic_store_n(&lcore_of[macs_odp_thread], rte_lcore_id(), __ATOMIC_RELAXED);
    return 0;
}

void macs_odp_platform_leave(void) {
    __atomic_store_n(&lcore_of[macs_odp_thread], UINT32_MAX, __ATOMIC_RELAXED);
    if (rte_lcore_id() != LCORE_ID_ANY && rte_lcore_id() != rte_get_main_lcore())
        rte_thread_unregister();
}

uint32_t macs_odp_dpdk_lcore(uint32_t thread) {
    return __atomic_load_n(&lcore_of[thread], __ATOMIC_RELAXED);
}
