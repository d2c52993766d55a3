/* What the implementation's files share: the instance, errors, logging, memory. */
#ifndef MACS_ODP_INTERNAL_H
#define MACS_ODP_INTERNAL_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <errno.h>
#include <odp_api.h>
#include <pthread.h>

/* The thread's error number (odp_errno()). */
extern __thread int macs_odp_error;

/* Set the error number and return -1, or log a line too. */
static inline int macs_odp_fail(int error) {
    macs_odp_error = error;
    return -1;
}

void macs_odp_log(odp_log_level_t level, const char *fmt, ...) ODP_PRINTF_FORMAT(2, 3);

/* Log, then call the abort function: for what would corrupt memory if it went on. */
void macs_odp_abort(const char *fmt, ...) ODP_PRINTF_FORMAT(1, 2) ODP_NORETURN;

/* Guards the lists of pools, ports, queues, blocks: taken by the slow calls only. */
extern pthread_mutex_t macs_odp_lock;

/* CPU masks of odp_init_t, empty when not given. */
extern odp_cpumask_t macs_odp_worker_cpus;
extern odp_cpumask_t macs_odp_control_cpus;

/* Zeroed memory of at least `bytes` bytes, aligned to 4096. `*mapped` is the length to unmap, `*page` the page size. */
enum macs_odp_pages { MACS_ODP_PAGES_BEST, MACS_ODP_PAGES_HUGE, MACS_ODP_PAGES_SMALL };
void *macs_odp_map(uint64_t bytes, enum macs_odp_pages pages, uint64_t *mapped, uint64_t *page);
void macs_odp_unmap(void *address, uint64_t mapped);

/* The platform below ODP: its name; start it, once in a process at least (0, or -1 and logged); a thread joins the
 * instance (0, or -1) and leaves it. */
extern const char *const macs_odp_platform_name;
int macs_odp_platform_start(void);
int macs_odp_platform_join(void);
void macs_odp_platform_leave(void);

/* Copy a name, cut to `size`; NULL is "". */
void macs_odp_name(char *to, size_t size, const char *from);

/* The calling thread leaves: give what its caches hold back to the pools. */
void macs_odp_pool_leave(void);

/* Free everything of a kind: odp_term_global() calls them in this order. Return how many there still were. */
unsigned macs_odp_pktio_term(void);
unsigned macs_odp_queue_term(void);
unsigned macs_odp_pool_term(void);
unsigned macs_odp_shm_term(void);

/* The same for crypto sessions. NULL until there is one: so a program that has none does not link with their code. */
extern unsigned (*macs_odp_crypto_term)(void);

/* The masks of CPUs and of threads are one thing: sets of small numbers in `words` 64-bit words. */
void macs_odp_mask_from_str(uint64_t *word, unsigned words, const char *str);
int32_t macs_odp_mask_to_str(const uint64_t *word, unsigned words, char *str, int32_t size);
int macs_odp_mask_next(const uint64_t *word, unsigned words, int after);
int macs_odp_mask_last(const uint64_t *word, unsigned words);

#endif
