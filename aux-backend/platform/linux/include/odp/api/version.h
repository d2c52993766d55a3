/* Versions of the API and of this implementation. */
#ifndef ODP_API_VERSION_H_
#define ODP_API_VERSION_H_

#define ODP_VERSION_API_GENERATION 1
#define ODP_VERSION_API_MAJOR 50
#define ODP_VERSION_API_MINOR 0

#define ODP_VERSION_API_NUM(gen, ma, mi) ((gen) << 24 | (ma) << 16 | (mi) << 8)
#define ODP_VERSION_API ODP_VERSION_API_NUM(ODP_VERSION_API_GENERATION, ODP_VERSION_API_MAJOR, ODP_VERSION_API_MINOR)

const char *odp_version_api_str(void);
const char *odp_version_impl_name(void);
const char *odp_version_impl_str(void);

#endif
