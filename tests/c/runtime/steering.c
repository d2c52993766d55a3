/* The steering of frames, and the kernel's filter that does the same: random trees, random frames, with a tag beside
 * the frame too, as the kernel has it.
 */
#include "runtime/steering.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NODES = 40, LEAVES = 20, TERMS = 100, FRAME = 64, ROUNDS = 300, FRAMES = 40, MOST = 4096 };

/* A frame as a filter sees it: its tag is not in it. */
struct seen {
    uint8_t bytes[FRAME];
    uint32_t length;
    bool tagged;
    uint8_t tag[4];
};

static uint32_t beside(const struct seen *seen, uint32_t what) {
    switch (what) {
    case 44:
        return (uint32_t)seen->tag[2] << 8 | seen->tag[3];
    case 48:
        return seen->tagged;
    case 60:
        return (uint32_t)seen->tag[0] << 8 | seen->tag[1];
    }
    abort();
}

/* What the kernel would do. */
static uint32_t filtered(const struct macs_steer_instruction code[], uint32_t count, const struct seen *seen) {
    uint32_t a = 0, x = 0, memory[2] = {0, 0};
    for (uint32_t at = 0; at < count; at++) {
        const uint32_t k = code[at].operand;
        switch (code[at].code) {
        case 0x30:
            assert(k - (uint32_t)-0x200000 < seen->length);
            a = seen->bytes[k - (uint32_t)-0x200000];
            break;
        case 0x20:
            a = beside(seen, k - (uint32_t)-0x1000);
            break;
        case 0x80:
            a = seen->length - 14;
            break;
        case 0x60:
            a = memory[k];
            break;
        case 0x02:
            memory[k] = a;
            break;
        case 0x07:
            x = a;
            break;
        case 0x04:
            a += k;
            break;
        case 0x54:
            a &= k;
            break;
        case 0xa4:
            a ^= k;
            break;
        case 0xac:
            a ^= x;
            break;
        case 0x4c:
            a |= x;
            break;
        case 0x24:
            a *= k;
            break;
        case 0x74:
            a >>= k;
            break;
        case 0x64:
            a <<= k;
            break;
        case 0x05:
            at += k;
            break;
        case 0x15:
            at += a == k ? code[at].yes : code[at].no;
            break;
        case 0x35:
            at += a >= k ? code[at].yes : code[at].no;
            break;
        case 0x16:
            return a;
        default:
            abort();
        }
    }
    abort();
}

static uint32_t below(uint32_t limit) {
    return (uint32_t)random() % limit;
}

static uint64_t masks(void) {
    return (uint64_t)random() << 42 ^ (uint64_t)random() << 21 ^ (uint64_t)random();
}

static void check(const struct macs_steering *steering, const struct macs_steer_instruction code[], uint32_t count) {
    struct seen seen = {.length = FRAME, .tagged = below(2)};
    uint8_t whole[FRAME];
    for (unsigned i = 0; i < FRAME; i++)
        whole[i] = (uint8_t)(random() & random());
    if (seen.tagged) {
        memcpy(seen.tag, whole + 12, 4);
        memcpy(seen.bytes, whole, 12);
        memcpy(seen.bytes + 12, whole + 16, FRAME - 16);
        seen.length -= 4;
    } else {
        memcpy(seen.bytes, whole, FRAME);
    }
    assert(filtered(code, count, &seen) == macs_steer(steering, whole, FRAME));
}

int main(void) {
    static struct macs_steer_node nodes[NODES];
    static struct macs_steer_leaf leaves[LEAVES];
    static struct macs_steer_term terms[TERMS];
    static struct macs_steer_instruction code[MOST], shorter[MOST];
    unsigned fitted = 0;
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct macs_steering steering = {nodes, leaves, terms, (uint16_t)below(NODES), 1, 8};
        steering.leaf_count = (uint16_t)(1 + below(LEAVES));
        const uint32_t parts = steering.node_count + (uint32_t)steering.leaf_count;
        for (uint32_t i = 0; i < steering.node_count; i++) {
            const uint8_t mask = below(4) ? (uint8_t)(1u << below(8)) : 0;
            nodes[i] = (struct macs_steer_node){.at = (uint16_t)below(FRAME), .mask = mask};
            nodes[i].value = below(2) ? mask : 0;
            if (!mask) /* it asks for the length, often for just that of the frames */
                nodes[i].at = (uint16_t)(below(2) ? FRAME - 1 + below(3) : below(2 * FRAME));
            nodes[i].yes = (uint16_t)(i + 1 + below(parts - i - 1));
            nodes[i].no = (uint16_t)(i + 1 + below(parts - i - 1));
        }
        for (uint32_t i = 0; i < TERMS; i++)
            terms[i] = (struct macs_steer_term){(uint16_t)below(FRAME), masks()};
        for (uint32_t i = 0; i < steering.leaf_count; i++)
            leaves[i] = (struct macs_steer_leaf){(uint16_t)below(TERMS / 2), (uint16_t)below(8), (uint8_t)below(256)};
        const uint32_t count = macs_steering_filter(&steering, code, MOST);
        assert(!count || !macs_steering_filter(&steering, shorter, count - 1));
        fitted += count > 0;
        for (unsigned frame = 0; count && frame < FRAMES; frame++)
            check(&steering, code, count);
    }
    printf("%u filters\n", fitted);
    return fitted > ROUNDS / 2 ? 0 : 1;
}
