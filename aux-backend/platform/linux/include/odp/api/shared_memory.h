/* Blocks of zeroed memory, on huge pages if there are any. */
#ifndef ODP_API_SHARED_MEMORY_H_
#define ODP_API_SHARED_MEMORY_H_

#include <odp/api/std_types.h>

typedef struct macs_odp_shm *odp_shm_t;

#define ODP_SHM_INVALID ((odp_shm_t)0)
#define ODP_SHM_NAME_LEN 64
#define ODP_SHM_IOVA_INVALID ((uint64_t)-1)
#define ODP_SHM_PA_INVALID ODP_SHM_IOVA_INVALID

#define ODP_SHM_PROC 0x2
#define ODP_SHM_SINGLE_VA 0x4
#define ODP_SHM_EXPORT 0x08
#define ODP_SHM_HP 0x10
#define ODP_SHM_HW_ACCESS 0x20
#define ODP_SHM_NO_HP 0x40

typedef struct odp_shm_info_t {
    const char *name;
    void *addr;
    uint64_t size;
    uint64_t page_size;
    uint32_t flags;
    uint32_t num_seg;
} odp_shm_info_t;

/* A block is one segment. */
typedef struct odp_shm_segment_info_t {
    uintptr_t addr;
    uint64_t iova; /* not known: ODP_SHM_IOVA_INVALID, ODP_SHM_PA_INVALID */
    uint64_t pa;
    uint64_t len;
} odp_shm_segment_info_t;

typedef struct odp_shm_capability_t {
    uint32_t max_blocks;
    uint64_t max_size;
    uint64_t max_align;
    uint32_t flags;
} odp_shm_capability_t;

int odp_shm_capability(odp_shm_capability_t *capa);

/* flags: ODP_SHM_SINGLE_VA (always so), ODP_SHM_HP (fails without huge pages), ODP_SHM_NO_HP; any other: refused. */
odp_shm_t odp_shm_reserve(const char *name, uint64_t size, uint64_t align, uint32_t flags);
int odp_shm_free(odp_shm_t shm);
odp_shm_t odp_shm_lookup(const char *name);
void *odp_shm_addr(odp_shm_t shm);
int odp_shm_info(odp_shm_t shm, odp_shm_info_t *info);
int odp_shm_segment_info(odp_shm_t shm, uint32_t index, uint32_t num, odp_shm_segment_info_t info[]);
void odp_shm_print(odp_shm_t shm);
void odp_shm_print_all(void);
uint64_t odp_shm_to_u64(odp_shm_t shm);

#endif
