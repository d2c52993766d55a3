/* See xdp.h. */
#include "xdp.h"

#include <linux/bpf.h>
#include <linux/if_link.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef BPF_F_XDP_HAS_FRAGS
#define BPF_F_XDP_HAS_FRAGS (1u << 5) /* Linux 5.18 */
#endif

static int bpf(enum bpf_cmd command, union bpf_attr *attributes) {
    long result = syscall(SYS_bpf, command, attributes, sizeof(*attributes));
    return result < 0 ? macs_odp_fail(errno) : (int)result;
}

static int map_create(uint32_t queues) {
    union bpf_attr attributes = {
        .map_type = BPF_MAP_TYPE_XSKMAP, .key_size = 4, .value_size = 4, .max_entries = queues};
    return bpf(BPF_MAP_CREATE, &attributes);
}

/* return bpf_redirect_map(map, context->rx_queue_index, XDP_PASS), which is XDP_PASS where the map has no socket */
static int program_load(int map, uint32_t flags) {
    const struct bpf_insn code[] = {
        {.code = BPF_LDX | BPF_MEM | BPF_W, .dst_reg = 2, .src_reg = 1, .off = offsetof(struct xdp_md, rx_queue_index)},
        {.code = BPF_LD | BPF_DW | BPF_IMM, .dst_reg = 1, .src_reg = BPF_PSEUDO_MAP_FD, .imm = map},
        {.code = 0}, /* the upper half of the number */
        {.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 3, .imm = XDP_PASS},
        {.code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_redirect_map},
        {.code = BPF_JMP | BPF_EXIT},
    };
    union bpf_attr attributes = {.prog_type = BPF_PROG_TYPE_XDP,
                                 .insns = (uintptr_t)code,
                                 .insn_cnt = sizeof(code) / sizeof(code[0]),
                                 .license = (uintptr_t) "",
                                 .prog_flags = flags};
    memcpy(attributes.prog_name, "macsad", sizeof("macsad"));
    return bpf(BPF_PROG_LOAD, &attributes);
}

int macs_odp_xdp_load(struct macs_odp_xdp *xdp, uint32_t queues) {
    *xdp = MACS_ODP_XDP_NONE;
    xdp->map = map_create(queues);
    if (xdp->map >= 0)
        xdp->program = program_load(xdp->map, BPF_F_XDP_HAS_FRAGS);
    if (xdp->map >= 0 && xdp->program < 0 && macs_odp_error == EINVAL)
        xdp->program = program_load(xdp->map, 0);
    if (xdp->program >= 0)
        return 0;
    macs_odp_xdp_unload(xdp);
    return -1;
}

int macs_odp_xdp_socket(struct macs_odp_xdp *xdp, uint32_t queue, int fd) {
    union bpf_attr attributes = {.map_fd = (uint32_t)xdp->map, .key = (uintptr_t)&queue, .value = (uintptr_t)&fd};
    return bpf(BPF_MAP_UPDATE_ELEM, &attributes);
}

static int attach(struct macs_odp_xdp *xdp, int ifindex, uint32_t flags) {
    union bpf_attr attributes = {.link_create = {.prog_fd = (uint32_t)xdp->program,
                                                 .target_ifindex = (uint32_t)ifindex,
                                                 .attach_type = BPF_XDP,
                                                 .flags = flags}};
    xdp->link = bpf(BPF_LINK_CREATE, &attributes);
    return xdp->link < 0 ? -1 : 0;
}

int macs_odp_xdp_attach(struct macs_odp_xdp *xdp, int ifindex) {
    xdp->native = attach(xdp, ifindex, XDP_FLAGS_DRV_MODE) == 0;
    if (xdp->native)
        return 0;
    if (macs_odp_error == EEXIST)
        return macs_odp_fail(EBUSY);
    return macs_odp_error == EBUSY ? -1 : attach(xdp, ifindex, XDP_FLAGS_SKB_MODE);
}

static void descriptor_close(int *fd) {
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

void macs_odp_xdp_unload(struct macs_odp_xdp *xdp) {
    descriptor_close(&xdp->link);
    descriptor_close(&xdp->program);
    descriptor_close(&xdp->map);
}
