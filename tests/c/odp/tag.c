/* Gives every frame that leaves by an interface a VLAN tag that stands beside it, as a VLAN device does where there is
 * one: a BPF program at the interface's exit, until SIGTERM. Arguments: the interface; how many tags (1). With a number
 * those of what comes in are taken away, by a program at its entrance. Exit 77: the kernel refuses. */
#include <linux/bpf.h>
#include <net/if.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { TCX_INGRESS = 46, TCX_EGRESS = 47, TCI = 0x2005, TAGS = 4 }; /* BPF_TCX_EGRESS, of Linux 6.6 */

/* `count` calls of vlan_push(skb, tpid, tci) or of vlan_pop(skb), which both lose the skb's register. */
static int load(unsigned count, int push) {
    union {
        uint8_t bytes[2];
        uint16_t number;
    } tpid = {.bytes = {0x81, 0x00}};
    const struct bpf_insn call[] = {
        {.code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = 1, .src_reg = 6},
        {.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 2, .imm = tpid.number},
        {.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 3, .imm = TCI},
        {.code = BPF_JMP | BPF_CALL, .imm = push ? BPF_FUNC_skb_vlan_push : BPF_FUNC_skb_vlan_pop},
    };
    const struct bpf_insn end[] = {{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0, .imm = 0},
                                   {.code = BPF_JMP | BPF_EXIT}};
    struct bpf_insn code[1 + 4 * TAGS + 2] = {{.code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = 6, .src_reg = 1}};
    for (unsigned i = 0; i < count; i++)
        memcpy(code + 1 + 4 * i, call, sizeof(call));
    memcpy(code + 1 + 4 * count, end, sizeof(end));
    union bpf_attr attributes = {.prog_type = BPF_PROG_TYPE_SCHED_CLS,
                                 .insns = (uintptr_t)code,
                                 .insn_cnt = 1 + 4 * count + 2,
                                 .license = (uintptr_t) "GPL"};
    return (int)syscall(SYS_bpf, BPF_PROG_LOAD, &attributes, sizeof(attributes));
}

static int attach(const char *interface, uint32_t where, int program) {
    union bpf_attr attributes;
    memset(&attributes, 0, sizeof(attributes));
    attributes.link_create.prog_fd = (uint32_t)program;
    attributes.link_create.target_ifindex = if_nametoindex(interface);
    attributes.link_create.attach_type = where;
    return syscall(SYS_bpf, BPF_LINK_CREATE, &attributes, sizeof(attributes)) < 0 ? -1 : 0;
}

int main(int argc, char **argv) {
    unsigned count = argc == 3 ? (unsigned)atoi(argv[2]) : 1;
    if (argc < 2 || count < 1 || count > TAGS)
        return 2;
    if (attach(argv[1], TCX_EGRESS, load(count, 1)) != 0 ||
        (argc == 3 && attach(argv[1], TCX_INGRESS, load(count, 0)) != 0)) {
        perror("BPF_LINK_CREATE");
        return 77;
    }
    puts("ready");
    fflush(stdout);
    return pause();
}
