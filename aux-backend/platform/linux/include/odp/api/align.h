/* Alignment and layout macros. */
#ifndef ODP_API_ALIGN_H_
#define ODP_API_ALIGN_H_

#define ODP_CACHE_LINE_SIZE 64
#define ODP_PAGE_SIZE 4096

#define ODP_ALIGNED(bytes) __attribute__((__aligned__(bytes)))
#define ODP_PACKED __attribute__((__packed__))
#define ODP_ALIGNED_CACHE ODP_ALIGNED(ODP_CACHE_LINE_SIZE)
#define ODP_ALIGNED_PAGE ODP_ALIGNED(ODP_PAGE_SIZE)
#define ODP_OFFSETOF(type, member) __builtin_offsetof(type, member)
#define ODP_FIELD_SIZEOF(type, member) sizeof(((type *)0)->member)
#define ODP_CACHE_LINE_ROUNDUP(x) (((x) + ODP_CACHE_LINE_SIZE - 1) / ODP_CACHE_LINE_SIZE * ODP_CACHE_LINE_SIZE)

#endif
