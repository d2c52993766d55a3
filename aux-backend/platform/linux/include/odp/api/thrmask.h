/* Sets of threads, by thread number: the same as sets of CPUs (odp/api/cpumask.h). */
#ifndef ODP_API_THRMASK_H_
#define ODP_API_THRMASK_H_

#include <odp/api/thread.h>

#define ODP_THRMASK_SIZE ODP_THREAD_COUNT_MAX
#define ODP_THRMASK_STR_SIZE (ODP_THRMASK_SIZE / 4 + 3)

typedef struct odp_thrmask_t {
    uint64_t word[ODP_THRMASK_SIZE / 64];
} odp_thrmask_t;

void odp_thrmask_from_str(odp_thrmask_t *mask, const char *str);
int32_t odp_thrmask_to_str(const odp_thrmask_t *mask, char *str, int32_t size);
void odp_thrmask_zero(odp_thrmask_t *mask);
void odp_thrmask_set(odp_thrmask_t *mask, int thr);
void odp_thrmask_setall(odp_thrmask_t *mask);
void odp_thrmask_clr(odp_thrmask_t *mask, int thr);
int odp_thrmask_isset(const odp_thrmask_t *mask, int thr);
int odp_thrmask_count(const odp_thrmask_t *mask);
void odp_thrmask_and(odp_thrmask_t *dest, const odp_thrmask_t *src1, const odp_thrmask_t *src2);
void odp_thrmask_or(odp_thrmask_t *dest, const odp_thrmask_t *src1, const odp_thrmask_t *src2);
void odp_thrmask_xor(odp_thrmask_t *dest, const odp_thrmask_t *src1, const odp_thrmask_t *src2);
int odp_thrmask_equal(const odp_thrmask_t *mask1, const odp_thrmask_t *mask2);
void odp_thrmask_copy(odp_thrmask_t *dest, const odp_thrmask_t *src);
int odp_thrmask_first(const odp_thrmask_t *mask);
int odp_thrmask_last(const odp_thrmask_t *mask);
int odp_thrmask_next(const odp_thrmask_t *mask, int thr);

/* The worker or control threads there are now; returns how many. */
int odp_thrmask_worker(odp_thrmask_t *mask);
int odp_thrmask_control(odp_thrmask_t *mask);

#endif
