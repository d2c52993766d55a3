/* BTF, the kernel's description of its own types and functions, for BPF programs that call a function of the kernel. */
#ifndef MACS_ODP_BTF_H
#define MACS_ODP_BTF_H

#include "core/internal.h"

/* The number of a function of the running kernel, by its name: what a BPF program calls it by. 0: there is none, or the
 * kernel does not describe itself. Reads some megabytes. Source: Documentation/bpf/btf.rst. */
uint32_t macs_odp_btf_function(const char *name);

#endif
