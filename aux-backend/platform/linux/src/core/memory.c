/* Memory from the kernel, on huge pages if there are any, and the blocks of odp_shm_…. */
#include "core/internal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define SMALL_PAGE 4096u
#define HUGE_PAGE (2u << 20)
#define BLOCKS 128u

struct macs_odp_shm {
    char name[ODP_SHM_NAME_LEN];
    void *memory;
    void *addr;
    uint64_t size;
    uint64_t mapped;
    uint64_t page;
    uint32_t flags;
};

static struct macs_odp_shm *blocks[BLOCKS];

static void *map(uint64_t bytes, int flags) {
    void *address = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
    return address == MAP_FAILED ? NULL : address;
}

/* A range that starts at a huge page's boundary, for which transparent huge pages are asked. */
static void *map_aligned(uint64_t bytes) {
    uint8_t *address = map(bytes + HUGE_PAGE, MAP_NORESERVE);
    if (address == NULL)
        return NULL;
    uint64_t skip = (HUGE_PAGE - (uintptr_t)address % HUGE_PAGE) % HUGE_PAGE;
    if (skip)
        munmap(address, skip);
    munmap(address + skip + bytes, HUGE_PAGE - skip);
    madvise(address + skip, bytes, MADV_HUGEPAGE); /* may be refused: small pages do too */
    return address + skip;
}

void *macs_odp_map(uint64_t bytes, enum macs_odp_pages pages, uint64_t *mapped, uint64_t *page) {
    uint64_t huge = (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    void *address = NULL;
    if (bytes == 0 || bytes > (uint64_t)1 << 46)
        return NULL;
    *mapped = huge;
    *page = HUGE_PAGE;
    if (pages == MACS_ODP_PAGES_HUGE || (pages == MACS_ODP_PAGES_BEST && bytes >= HUGE_PAGE / 2))
        address = map(huge, MAP_HUGETLB);
    if (address != NULL || pages == MACS_ODP_PAGES_HUGE)
        return address;
    *page = SMALL_PAGE;
    if (pages == MACS_ODP_PAGES_BEST && bytes >= HUGE_PAGE / 2)
        return map_aligned(huge);
    *mapped = (bytes + SMALL_PAGE - 1) / SMALL_PAGE * SMALL_PAGE;
    return map(*mapped, MAP_NORESERVE);
}

void macs_odp_unmap(void *address, uint64_t mapped) {
    munmap(address, mapped);
}

void macs_odp_name(char *to, size_t size, const char *from) {
    size_t length = from ? strnlen(from, size - 1) : 0;
    if (length)
        memcpy(to, from, length);
    to[length] = '\0';
}

int odp_shm_capability(odp_shm_capability_t *capa) {
    memset(capa, 0, sizeof(*capa));
    capa->max_blocks = BLOCKS;
    capa->flags = ODP_SHM_SINGLE_VA | ODP_SHM_HP | ODP_SHM_NO_HP;
    return 0;
}

static struct macs_odp_shm *block_new(const char *name, uint64_t size, uint64_t align, uint32_t flags) {
    struct macs_odp_shm *shm = calloc(1, sizeof(*shm));
    enum macs_odp_pages pages = flags & ODP_SHM_HP      ? MACS_ODP_PAGES_HUGE
                                : flags & ODP_SHM_NO_HP ? MACS_ODP_PAGES_SMALL
                                                        : MACS_ODP_PAGES_BEST;
    uint64_t extra = align > SMALL_PAGE ? align : 0;
    if (shm == NULL)
        return NULL;
    shm->memory = macs_odp_map(size + extra, pages, &shm->mapped, &shm->page);
    if (shm->memory == NULL) {
        free(shm);
        return NULL;
    }
    uint64_t over = extra ? (uintptr_t)shm->memory % align : 0;
    shm->addr = (uint8_t *)shm->memory + (over ? align - over : 0);
    shm->size = size;
    shm->flags = flags;
    macs_odp_name(shm->name, sizeof(shm->name), name);
    return shm;
}

odp_shm_t odp_shm_reserve(const char *name, uint64_t size, uint64_t align, uint32_t flags) {
    odp_shm_t shm = ODP_SHM_INVALID;
    bool known = !(flags & ~(uint32_t)(ODP_SHM_SINGLE_VA | ODP_SHM_HP | ODP_SHM_NO_HP));
    bool both = (flags & ODP_SHM_HP) && (flags & ODP_SHM_NO_HP);
    if (!known || both || size == 0 || size > (uint64_t)1 << 46 || align > (uint64_t)1 << 40 || (align & (align - 1))) {
        macs_odp_error = EINVAL;
        return ODP_SHM_INVALID;
    }
    macs_odp_error = ENOMEM;
    pthread_mutex_lock(&macs_odp_lock);
    for (uint32_t index = 0; index < BLOCKS; index++)
        if (blocks[index] == NULL) {
            blocks[index] = shm = block_new(name, size, align, flags);
            break;
        }
    pthread_mutex_unlock(&macs_odp_lock);
    return shm;
}

static void block_free(struct macs_odp_shm *shm) {
    macs_odp_unmap(shm->memory, shm->mapped);
    free(shm);
}

int odp_shm_free(odp_shm_t shm) {
    int result = macs_odp_fail(EINVAL);
    pthread_mutex_lock(&macs_odp_lock);
    for (uint32_t index = 0; index < BLOCKS; index++)
        if (shm != NULL && blocks[index] == shm) {
            block_free(shm);
            blocks[index] = NULL;
            result = 0;
        }
    pthread_mutex_unlock(&macs_odp_lock);
    return result;
}

unsigned macs_odp_shm_term(void) {
    unsigned left = 0;
    for (uint32_t index = 0; index < BLOCKS; index++)
        if (blocks[index] != NULL) {
            block_free(blocks[index]);
            blocks[index] = NULL;
            left++;
        }
    return left;
}

odp_shm_t odp_shm_lookup(const char *name) {
    odp_shm_t found = ODP_SHM_INVALID;
    pthread_mutex_lock(&macs_odp_lock);
    for (uint32_t index = 0; index < BLOCKS && found == ODP_SHM_INVALID; index++)
        if (blocks[index] != NULL && strcmp(blocks[index]->name, name) == 0)
            found = blocks[index];
    pthread_mutex_unlock(&macs_odp_lock);
    return found;
}

void *odp_shm_addr(odp_shm_t shm) {
    return shm == NULL ? NULL : shm->addr;
}

int odp_shm_info(odp_shm_t shm, odp_shm_info_t *info) {
    if (shm == NULL)
        return macs_odp_fail(EINVAL);
    memset(info, 0, sizeof(*info));
    info->name = shm->name;
    info->addr = shm->addr;
    info->size = shm->size;
    info->page_size = shm->page;
    info->flags = shm->flags;
    info->num_seg = 1;
    return 0;
}

int odp_shm_segment_info(odp_shm_t shm, uint32_t index, uint32_t num, odp_shm_segment_info_t info[]) {
    if (shm == NULL || index > 1 || num > 1 - index)
        return macs_odp_fail(EINVAL);
    if (num > 0)
        info[0] = (odp_shm_segment_info_t){
            .addr = (uintptr_t)shm->addr, .iova = ODP_SHM_IOVA_INVALID, .pa = ODP_SHM_PA_INVALID, .len = shm->size};
    return 0;
}

uint64_t odp_shm_to_u64(odp_shm_t shm) {
    return (uintptr_t)shm;
}

void odp_shm_print(odp_shm_t shm) {
    macs_odp_log(ODP_LOG_PRINT, "shm \"%s\": %p, %" PRIu64 " bytes, %" PRIu64 " kB pages\n", shm->name, shm->addr,
                 shm->size, shm->page / 1024);
}

void odp_shm_print_all(void) {
    pthread_mutex_lock(&macs_odp_lock);
    for (uint32_t index = 0; index < BLOCKS; index++)
        if (blocks[index] != NULL)
            odp_shm_print(blocks[index]);
    pthread_mutex_unlock(&macs_odp_lock);
}
