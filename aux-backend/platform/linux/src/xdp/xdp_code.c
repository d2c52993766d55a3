/* See xdp_code.h. Source: Documentation/bpf/standardization/instruction-set.rst, Documentation/networking/
 * xdp-rx-metadata.rst. */
#include "xdp/xdp_code.h"

#include <stddef.h>
#include <string.h>

/* A context's, a frame's or the stack's bytes; registers; calls. */
#define LOAD(size, to, from, at)                                                                                       \
    { .code = BPF_LDX | BPF_MEM | (size), .dst_reg = (to), .src_reg = (from), .off = (at) }
#define STORE(size, to, at, from)                                                                                      \
    { .code = BPF_STX | BPF_MEM | (size), .dst_reg = (to), .src_reg = (from), .off = (at) }
#define MOVE(to, from)                                                                                                 \
    { .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = (to), .src_reg = (from) }
#define SET(to, number)                                                                                                \
    { .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = (to), .imm = (number) }
#define ADD(to, number)                                                                                                \
    { .code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = (to), .imm = (number) }
#define CALL(function)                                                                                                 \
    { .code = BPF_JMP | BPF_CALL, .imm = (function) }

/* Registers: 0 the result of a call, 1 to 5 its arguments, 6 to 9 kept over calls, 10 the end of the stack. */
enum { CONTEXT = 6, STACK = 10 };
enum { TAG = 4, MACS = 12, TPID = -8, TCI = -4 }; /* the tag's halves on the stack */
enum { TAG_CALL = 6, TAG_END = 26 };              /* instructions of the part below */

/* Jump to the end of that part, from its instruction number `from`. */
#define END_IF(compare, left, right, number, from)                                                                     \
    { .code = BPF_JMP | (compare), .dst_reg = (left), .src_reg = (right), .imm = (number), .off = TAG_END - (from)-1 }

static const struct bpf_insn put_tag_back[TAG_END] = {
    [0] = {.code = BPF_ST | BPF_MEM | BPF_DW, .dst_reg = STACK, .off = TPID, .imm = 0},
    [1] = MOVE(1, CONTEXT),
    [2] = MOVE(2, STACK),
    [3] = ADD(2, TPID),
    [4] = MOVE(3, STACK),
    [5] = ADD(3, TCI),
    [TAG_CALL] = {.code = BPF_JMP | BPF_CALL, .src_reg = BPF_PSEUDO_KFUNC_CALL}, /* 0: there is a tag */
    [7] = END_IF(BPF_JNE | BPF_K, 0, 0, 0, 7),
    [8] = MOVE(1, CONTEXT),
    [9] = SET(2, -TAG),
    [10] = CALL(BPF_FUNC_xdp_adjust_head),
    [11] = END_IF(BPF_JNE | BPF_K, 0, 0, 0, 11),
    [12] = LOAD(BPF_W, 1, CONTEXT, offsetof(struct xdp_md, data)),
    [13] = LOAD(BPF_W, 2, CONTEXT, offsetof(struct xdp_md, data_end)),
    [14] = MOVE(3, 1),
    [15] = ADD(3, MACS + TAG),
    [16] = END_IF(BPF_JGT | BPF_X, 3, 2, 0, 16),
    [17] = LOAD(BPF_DW, 4, 1, TAG), /* the addresses, in two steps */
    [18] = STORE(BPF_DW, 1, 0, 4),
    [19] = LOAD(BPF_W, 4, 1, TAG + 8),
    [20] = STORE(BPF_W, 1, 8, 4),
    [21] = LOAD(BPF_H, 4, STACK, TPID),
    [22] = STORE(BPF_H, 1, MACS, 4),
    [23] = LOAD(BPF_H, 4, STACK, TCI),
    [24] = {.code = BPF_ALU | BPF_END | BPF_TO_BE, .dst_reg = 4, .imm = 16},
    [25] = STORE(BPF_H, 1, MACS + 2, 4),
};

/* return bpf_redirect_map(map, context->rx_queue_index, XDP_PASS), which is XDP_PASS where the map has no socket */
static const struct bpf_insn redirect[] = {
    LOAD(BPF_W, 2, CONTEXT, offsetof(struct xdp_md, rx_queue_index)),
    {.code = BPF_LD | BPF_DW | BPF_IMM, .dst_reg = 1, .src_reg = BPF_PSEUDO_MAP_FD},
    {.code = 0}, /* the upper half of the number */
    SET(3, XDP_PASS),
    CALL(BPF_FUNC_redirect_map),
    {.code = BPF_JMP | BPF_EXIT},
};
enum { REDIRECT_MAP = 1, REDIRECT_END = sizeof(redirect) / sizeof(redirect[0]) };

uint32_t macs_odp_xdp_code(struct bpf_insn code[], int map, uint32_t tag_function) {
    uint32_t count = 0;
    code[count++] = (struct bpf_insn)MOVE(CONTEXT, 1);
    if (tag_function != 0) {
        memcpy(code + count, put_tag_back, sizeof(put_tag_back));
        code[count + TAG_CALL].imm = (int32_t)tag_function;
        count += TAG_END;
    }
    memcpy(code + count, redirect, sizeof(redirect));
    code[count + REDIRECT_MAP].imm = map;
    return count + REDIRECT_END;
}
