// PNA with what the DPDK SWX pipeline adds: hash algorithms, lengths for counters and meters, an IPsec accelerator.
#define MACSAD_DPDK_EXTENSIONS
#include <pna.p4>
