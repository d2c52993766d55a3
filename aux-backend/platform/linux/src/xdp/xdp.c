/* See xdp.h. */
#include "xdp/xdp.h"

#include "xdp/btf.h"
#include "xdp/xdp_code.h"

#include <linux/if_link.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef BPF_F_XDP_HAS_FRAGS
#define BPF_F_XDP_HAS_FRAGS (1u << 5) /* Linux 5.18 */
#endif
#ifndef BPF_F_XDP_DEV_BOUND_ONLY
#define BPF_F_XDP_DEV_BOUND_ONLY (1u << 6) /* Linux 6.3 */
#endif

/* Ways to attach, the best first. Only a program that is bound to its interface may ask for the tag, and only by the
 * driver; only one that says that it can do with frames in pieces gets long ones. */
static const struct way {
    bool tags;
    uint32_t flags;
    uint32_t mode;
} ways[] = {
    {true, BPF_F_XDP_HAS_FRAGS | BPF_F_XDP_DEV_BOUND_ONLY, XDP_FLAGS_DRV_MODE},
    {false, BPF_F_XDP_HAS_FRAGS, XDP_FLAGS_DRV_MODE},
    {false, 0, XDP_FLAGS_DRV_MODE},
    {false, BPF_F_XDP_HAS_FRAGS, XDP_FLAGS_SKB_MODE},
    {false, 0, XDP_FLAGS_SKB_MODE},
};

static int bpf(enum bpf_cmd command, union bpf_attr *attributes) {
    long result = syscall(SYS_bpf, command, attributes, sizeof(*attributes));
    return result < 0 ? macs_odp_fail(errno) : (int)result;
}

static void descriptor_close(int *fd) {
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

int macs_odp_xdp_open(struct macs_odp_xdp *xdp, uint32_t queues) {
    union bpf_attr attributes = {
        .map_type = BPF_MAP_TYPE_XSKMAP, .key_size = 4, .value_size = 4, .max_entries = queues};
    *xdp = MACS_ODP_XDP_NONE;
    xdp->map = bpf(BPF_MAP_CREATE, &attributes);
    return xdp->map < 0 ? -1 : 0;
}

int macs_odp_xdp_socket(struct macs_odp_xdp *xdp, uint32_t queue, int fd) {
    union bpf_attr attributes = {.map_fd = (uint32_t)xdp->map, .key = (uintptr_t)&queue, .value = (uintptr_t)&fd};
    return bpf(BPF_MAP_UPDATE_ELEM, &attributes);
}

/* The kernel lets only programs under the GPL, among others, call its functions. */
static int load(int map, const struct way *way, uint32_t tag_function, int ifindex) {
    struct bpf_insn code[MACS_ODP_XDP_CODE_MAX];
    union bpf_attr attributes = {.prog_type = BPF_PROG_TYPE_XDP,
                                 .insns = (uintptr_t)code,
                                 .insn_cnt = macs_odp_xdp_code(code, map, way->tags ? tag_function : 0),
                                 .license = (uintptr_t) "Dual MIT/GPL",
                                 .prog_ifindex = way->tags ? (uint32_t)ifindex : 0,
                                 .prog_flags = way->flags,
                                 .expected_attach_type = BPF_XDP};
    memcpy(attributes.prog_name, "macsad", sizeof("macsad"));
    return bpf(BPF_PROG_LOAD, &attributes);
}

static int attach(int program, int ifindex, uint32_t mode) {
    union bpf_attr attributes = {
        .link_create = {
            .prog_fd = (uint32_t)program, .target_ifindex = (uint32_t)ifindex, .attach_type = BPF_XDP, .flags = mode}};
    return bpf(BPF_LINK_CREATE, &attributes);
}

int macs_odp_xdp_attach(struct macs_odp_xdp *xdp, int ifindex) {
    uint32_t tag_function = macs_odp_btf_function("bpf_xdp_metadata_rx_vlan_tag");
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        if (ways[i].tags && tag_function == 0)
            continue;
        xdp->program = load(xdp->map, &ways[i], tag_function, ifindex);
        xdp->link = xdp->program < 0 ? -1 : attach(xdp->program, ifindex, ways[i].mode);
        xdp->native = ways[i].mode == XDP_FLAGS_DRV_MODE;
        if (xdp->link >= 0)
            return 0;
        descriptor_close(&xdp->program);
        if (macs_odp_error == EBUSY || macs_odp_error == EEXIST)
            return macs_odp_fail(EBUSY);
    }
    return -1;
}

void macs_odp_xdp_close(struct macs_odp_xdp *xdp) {
    descriptor_close(&xdp->link);
    descriptor_close(&xdp->program);
    descriptor_close(&xdp->map);
}
