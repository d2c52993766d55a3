/* Compile-time assertions. */
#ifndef ODP_API_DEBUG_H_
#define ODP_API_DEBUG_H_

#define ODP_STATIC_ASSERT(cond, msg) _Static_assert(cond, msg)

#endif
