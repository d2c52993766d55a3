// PSA with what the DPDK SWX pipeline adds: counters and meters that are told the packet's length.
#define MACSAD_DPDK_EXTENSIONS
#include <psa.p4>
