/* Gives every frame that leaves by an interface a VLAN tag that stands beside it, as a VLAN device does where there is
 * one: a BPF program at the interface's exit, until SIGTERM. Argument: the interface. Exit 77: the kernel refuses. */
#include <linux/bpf.h>
#include <net/if.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { TCX_EGRESS = 47, TCI = 0x2005 }; /* BPF_TCX_EGRESS, of Linux 6.6 */

static int load(void) {
    union {
        uint8_t bytes[2];
        uint16_t number;
    } tpid = {.bytes = {0x81, 0x00}};
    const struct bpf_insn code[] = {
        {.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 2, .imm = tpid.number},
        {.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 3, .imm = TCI},
        {.code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_skb_vlan_push},
        {.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0, .imm = 0},
        {.code = BPF_JMP | BPF_EXIT},
    };
    union bpf_attr attributes = {.prog_type = BPF_PROG_TYPE_SCHED_CLS,
                                 .insns = (uintptr_t)code,
                                 .insn_cnt = sizeof(code) / sizeof(code[0]),
                                 .license = (uintptr_t) "GPL"};
    return (int)syscall(SYS_bpf, BPF_PROG_LOAD, &attributes, sizeof(attributes));
}

int main(int argc, char **argv) {
    union bpf_attr attributes;
    memset(&attributes, 0, sizeof(attributes));
    attributes.link_create.prog_fd = (uint32_t)load();
    attributes.link_create.target_ifindex = argc == 2 ? if_nametoindex(argv[1]) : 0;
    attributes.link_create.attach_type = TCX_EGRESS;
    if (syscall(SYS_bpf, BPF_LINK_CREATE, &attributes, sizeof(attributes)) < 0) {
        perror("BPF_LINK_CREATE");
        return 77;
    }
    puts("ready");
    fflush(stdout);
    return pause();
}
