/* Memory barriers. */
#ifndef ODP_API_SYNC_H_
#define ODP_API_SYNC_H_

static inline void odp_mb_release(void) {
    __atomic_thread_fence(__ATOMIC_RELEASE);
}

static inline void odp_mb_acquire(void) {
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
}

static inline void odp_mb_full(void) {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/* Stronger than odp_mb_full(): earlier accesses are complete, not only ordered, before a later one starts. */
static inline void odp_mb_sync(void) {
#if defined(__aarch64__)
    __asm__ volatile("dsb sy" ::: "memory");
#elif defined(__x86_64__)
    __asm__ volatile("mfence" ::: "memory");
#else
    __sync_synchronize();
#endif
}

static inline void odp_mb_sync_load(void) {
#if defined(__aarch64__)
    __asm__ volatile("dsb ld" ::: "memory");
#elif defined(__x86_64__)
    __asm__ volatile("lfence" ::: "memory");
#else
    __sync_synchronize();
#endif
}

static inline void odp_mb_sync_store(void) {
#if defined(__aarch64__)
    __asm__ volatile("dsb st" ::: "memory");
#elif defined(__x86_64__)
    __asm__ volatile("sfence" ::: "memory");
#else
    __sync_synchronize();
#endif
}

#endif
