/* The steering of a program as a filter of packet sockets, for the kernel to choose among them.
 *
 * Two programs, one behind the other: the kernel takes the VLAN tag out of frames that have one, so that what stands
 * behind it in the frame is four bytes nearer, and the tag is beside it. Sources: Linux, Documentation/networking/
 * filter.rst; packet(7), PACKET_FANOUT_CBPF.
 */
#include "runtime/steering.h"

enum {
    LOAD_BYTE = 0x30,   /* A = frame[k] */
    LOAD_WORD = 0x20,   /* A = what k names, of the kernel's */
    LOAD_LENGTH = 0x80, /* A = length */
    LOAD = 0x60,        /* A = M[k] */
    STORE = 0x02,       /* M[k] = A */
    TO_X = 0x07,
    ADD = 0x04,
    AND = 0x54,
    XOR = 0xa4,
    XOR_X = 0xac,
    MULTIPLY = 0x24,
    OR_X = 0x4c,
    SHIFT_RIGHT = 0x74,
    SHIFT_LEFT = 0x64,
    GO = 0x05,
    IF_EQUAL = 0x15,
    IF_AT_LEAST = 0x35,
    ANSWER_A = 0x16,
};
#define LINK_LAYER ((uint32_t)-0x200000)
#define BESIDE(what) ((uint32_t)(-0x1000 + (what)))
#define TAG BESIDE(44)
#define HAS_TAG BESIDE(48)
#define TAG_TYPE BESIDE(60)
enum { ETHERNET = 14, TAG_AT = 12, TAG_BYTES = 4, LANES = 4 };

struct writer {
    const struct macs_steering *steering;
    struct macs_steer_instruction *made;
    uint32_t count, most;
    bool tagged;
};

static void put_jump(struct writer *to, uint16_t code, uint32_t operand, uint8_t yes, uint8_t no) {
    if (to->count < to->most)
        to->made[to->count] = (struct macs_steer_instruction){code, yes, no, operand};
    to->count++;
}

static void put(struct writer *to, uint16_t code, uint32_t operand) {
    put_jump(to, code, operand, 0, 0);
}

/* A = a byte of the frame as it was on the wire. */
static void put_byte(struct writer *to, uint32_t at) {
    if (!to->tagged || at < TAG_AT) {
        put(to, LOAD_BYTE, LINK_LAYER + at);
    } else if (at >= TAG_AT + TAG_BYTES) {
        put(to, LOAD_BYTE, LINK_LAYER + at - TAG_BYTES);
    } else {
        put(to, LOAD_WORD, at < TAG_AT + 2 ? TAG_TYPE : TAG);
        if (at % 2 == 0)
            put(to, SHIFT_RIGHT, 8);
        put(to, AND, 0xff);
    }
}

/* The bits of A's byte n, made one, at bit n. */
static void put_fold(struct writer *to) {
    for (uint32_t shift = 4; shift; shift /= 2) {
        put(to, TO_X, 0);
        put(to, SHIFT_RIGHT, shift);
        put(to, XOR_X, 0);
    }
    put(to, AND, 0x01010101);
    put(to, MULTIPLY, 0x01020408); /* bytes 0 … 3 meet in bits 24 … 27, the last one first */
    put(to, SHIFT_RIGHT, 24);
    put(to, AND, 0xf);
}

/* Four columns at once; their sum is in M[0] meanwhile. A = the columns, the first of them in bit 0. */
static void put_lanes(struct writer *to, const struct macs_steer_leaf *leaf, uint32_t lane) {
    put(to, AND, 0);
    put(to, STORE, 0);
    for (uint32_t i = leaf->first; i < (uint32_t)leaf->first + leaf->count; i++) {
        const struct macs_steer_term *term = &to->steering->terms[i];
        const uint32_t masks = (uint32_t)(term->masks >> 8 * lane);
        if (!masks)
            continue;
        put_byte(to, term->at);
        put(to, MULTIPLY, 0x01010101);
        put(to, AND, masks);
        put(to, TO_X, 0);
        put(to, LOAD, 0);
        put(to, XOR_X, 0);
        put(to, STORE, 0);
    }
    put(to, LOAD, 0);
    put_fold(to);
}

static void put_leaf(struct writer *to, const struct macs_steer_leaf *leaf) {
    put_lanes(to, leaf, LANES);
    put(to, SHIFT_LEFT, LANES);
    put(to, STORE, 1);
    put_lanes(to, leaf, 0);
    put(to, TO_X, 0);
    put(to, LOAD, 1);
    put(to, OR_X, 0);
    put(to, XOR, leaf->constant);
    put(to, ANSWER_A, 0);
}

/* Jumps of comparisons reach 255 instructions, so each has two that go anywhere behind it; where to is filled in when
 * all is there. */
static void put_node(struct writer *to, const struct macs_steer_node *node) {
    if (node->mask) {
        put_byte(to, node->at);
        put(to, AND, node->mask);
        put_jump(to, IF_EQUAL, node->value, 0, 1);
    } else {
        put(to, LOAD_LENGTH, 0);
        put(to, ADD, ETHERNET + (to->tagged ? TAG_BYTES : 0));
        put_jump(to, IF_AT_LEAST, node->at, 0, 1);
    }
    put(to, GO, node->yes);
    put(to, GO, node->no);
}

/* Nodes come before those that they lead to, as the compiler numbers them so. */
static void put_tree(struct writer *to) {
    const struct macs_steering *steering = to->steering;
    uint32_t begins[MACS_STEER_PARTS];
    const uint32_t first = to->count, parts = (uint32_t)steering->node_count + steering->leaf_count;
    if (parts > MACS_STEER_PARTS) {
        to->count = to->most + 1;
        return;
    }
    for (uint32_t part = 0; part < parts; part++) {
        begins[part] = to->count;
        if (part < steering->node_count)
            put_node(to, &steering->nodes[part]);
        else
            put_leaf(to, &steering->leaves[part - steering->node_count]);
    }
    for (uint32_t i = first; i < to->count && to->count <= to->most; i++)
        if (to->made[i].code == GO)
            to->made[i].operand = begins[to->made[i].operand] - i - 1;
}

uint32_t macs_steering_filter(const struct macs_steering *steering, struct macs_steer_instruction made[],
                              uint32_t most) {
    struct writer to = {.steering = steering, .made = made, .most = most};
    put(&to, LOAD_WORD, HAS_TAG);
    put_jump(&to, IF_EQUAL, 0, 1, 0);
    put(&to, GO, 0);
    const uint32_t plain = to.count;
    put_tree(&to);
    if (to.count > most)
        return 0;
    made[plain - 1].operand = to.count - plain;
    to.tagged = true;
    put_tree(&to);
    return to.count <= most ? to.count : 0;
}
