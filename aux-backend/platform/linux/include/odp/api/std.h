/* Memory functions of the C library under their ODP names; the compiler expands them inline. */
#ifndef ODP_API_STD_H_
#define ODP_API_STD_H_

#include <string.h>

static inline void *odp_memcpy(void *dst, const void *src, size_t num) {
    return memcpy(dst, src, num);
}

static inline void *odp_memset(void *ptr, int value, size_t num) {
    return memset(ptr, value, num);
}

static inline int odp_memcmp(const void *ptr1, const void *ptr2, size_t num) {
    return memcmp(ptr1, ptr2, num);
}

#endif
