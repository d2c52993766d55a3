/* Sets of CPUs. */
#ifndef ODP_API_CPUMASK_H_
#define ODP_API_CPUMASK_H_

#include <odp/api/std_types.h>

#define ODP_CPUMASK_SIZE 1024
/* "0x", a digit for each four CPUs, the final null. */
#define ODP_CPUMASK_STR_SIZE (ODP_CPUMASK_SIZE / 4 + 3)

typedef struct odp_cpumask_t {
    uint64_t word[ODP_CPUMASK_SIZE / 64];
} odp_cpumask_t;

/* Hexadecimal, CPU 0 in the lowest bit, "0x" optional in from_str and always there in to_str. from_str adds nothing if
 * a character is not a digit. to_str returns the characters written, the null included, or -1: buffer too small. */
void odp_cpumask_from_str(odp_cpumask_t *mask, const char *str);
int32_t odp_cpumask_to_str(const odp_cpumask_t *mask, char *str, int32_t size);

/* A CPU outside 0 … ODP_CPUMASK_SIZE-1 is ignored, and never in a set. */
void odp_cpumask_zero(odp_cpumask_t *mask);
void odp_cpumask_set(odp_cpumask_t *mask, int cpu);
void odp_cpumask_setall(odp_cpumask_t *mask);
void odp_cpumask_clr(odp_cpumask_t *mask, int cpu);
int odp_cpumask_isset(const odp_cpumask_t *mask, int cpu);
int odp_cpumask_count(const odp_cpumask_t *mask);

void odp_cpumask_and(odp_cpumask_t *dest, const odp_cpumask_t *src1, const odp_cpumask_t *src2);
void odp_cpumask_or(odp_cpumask_t *dest, const odp_cpumask_t *src1, const odp_cpumask_t *src2);
void odp_cpumask_xor(odp_cpumask_t *dest, const odp_cpumask_t *src1, const odp_cpumask_t *src2);
int odp_cpumask_equal(const odp_cpumask_t *mask1, const odp_cpumask_t *mask2);
void odp_cpumask_copy(odp_cpumask_t *dest, const odp_cpumask_t *src);

/* -1 when there is none. next: the first after `cpu`. */
int odp_cpumask_first(const odp_cpumask_t *mask);
int odp_cpumask_last(const odp_cpumask_t *mask);
int odp_cpumask_next(const odp_cpumask_t *mask, int cpu);

/* CPUs for worker and control threads: those of odp_init_t if given; else workers get all that the process may use but
 * the first, control threads the first (one CPU serves both where there is only one). At most `num`, 0: all.
 * Returns how many; mask may be NULL. */
int odp_cpumask_default_worker(odp_cpumask_t *mask, int num);
int odp_cpumask_default_control(odp_cpumask_t *mask, int num);
int odp_cpumask_all_available(odp_cpumask_t *mask);

#endif
