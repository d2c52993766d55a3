/* Commands for counters, registers and meters. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "control/console.h"
#include "control/elements.h"
#include "control/value.h"
#include "runtime/custom_crc.h"
#include "runtime/externs.h"
#include "runtime/hold.h"
#include "runtime/meter.h"

struct extern_list {
    const struct macs_program *program;
    unsigned kinds; /* bit k: enum macs_extern_kind k is in the list */
};

/* The place among all externs of the list's member number `index`. */
static unsigned extern_at(const struct extern_list *list, unsigned index) {
    unsigned at = 0;
    for (;; at++)
        if (list->kinds >> list->program->extern_descs[at].kind & 1 && !index--)
            return at;
}

static const char *extern_name(const void *argument, unsigned index) {
    const struct extern_list *list = argument;
    return list->program->extern_descs[extern_at(list, index)].name;
}

/* The extern of those kinds that a word names: its description and state, or NULL. */
static const struct macs_extern_desc *find_extern(struct macs_console *console, const char *what, unsigned kinds,
                                                  const char *word, void **state, struct macs_text *answer) {
    struct extern_list list = {console->program, kinds};
    unsigned count = 0;
    for (uint16_t i = 0; i < list.program->extern_count; i++)
        count += kinds >> list.program->extern_descs[i].kind & 1;
    struct macs_names names = {what, count, extern_name, &list};
    int index = macs_names_find(&names, word, answer);
    if (index < 0)
        return NULL;
    unsigned at = extern_at(&list, (unsigned)index);
    *state = list.program->externs[at];
    return &list.program->extern_descs[at];
}

/* The element that a word names: its index, or for a direct extern its entry's handle. */
static int parse_index(struct macs_console *console, const struct macs_extern_desc *desc, const char *word,
                       uint32_t *index, struct macs_text *answer) {
    uint64_t value;
    *index = 0;
    if (!macs_value_uint64(word, &value))
        return macs_text_fail(answer, "'%.80s' is not an index", word);
    if (desc->table) {
        struct macs_entries *entries = macs_console_table(console, desc->table, answer);
        if (!entries)
            return -1;
        return macs_console_status(entries->table->desc, macs_entries_index(entries, value, index), answer);
    }
    if (value >= desc->size)
        return macs_text_fail(answer, "index %" PRIu64 " is beyond %s, which has %" PRIu32 " elements", value,
                              desc->name, desc->size);
    *index = (uint32_t)value;
    return 0;
}

#define COUNTERS (1u << MACS_COUNTER | 1u << MACS_DIRECT_COUNTER)
#define METERS (1u << MACS_METER | 1u << MACS_DIRECT_METER)

static int counter_read(struct macs_console *console, unsigned count, char **words, struct macs_text *answer) {
    (void)count;
    void *state;
    const struct macs_extern_desc *desc = find_extern(console, "counter", COUNTERS, words[0], &state, answer);
    uint32_t index;
    if (!desc || parse_index(console, desc, words[1], &index, answer))
        return -1;
    struct macs_count value = macs_counter_get(state, index);
    macs_text_add(answer, "%s[%s]= (%" PRIu64 " bytes, %" PRIu64 " packets)\n", words[0], words[1], value.bytes,
                  value.packets);
    return 0;
}

static int counter_write(struct macs_console *console, unsigned count, char **words, struct macs_text *answer) {
    (void)count;
    void *state;
    const struct macs_extern_desc *desc = find_extern(console, "counter", COUNTERS, words[0], &state, answer);
    uint32_t index;
    struct macs_count value;
    if (!desc || parse_index(console, desc, words[1], &index, answer))
        return -1;
    if (!macs_value_uint64(words[2], &value.packets) || !macs_value_uint64(words[3], &value.bytes))
        return macs_text_fail(answer, "packets and bytes must be numbers");
    macs_counter_set(state, index, value);
    macs_text_add(answer, "%s[%s] has been updated\n", words[0], words[1]);
    return 0;
}

static void reset_counter(uint32_t index, void *state) {
    macs_counter_set(state, index, (struct macs_count){0});
}

static int counter_reset(struct macs_console *console, unsigned count, char **words, struct macs_text *answer) {
    (void)count;
    void *state;
    const struct macs_extern_desc *desc = find_extern(console, "counter", COUNTERS, words[0], &state, answer);
    return desc ? macs_console_sweep(console, desc->size, reset_counter, state) : -1;
}

/* --- registers ------------------------------------------------------------------------------------------------------
 */

/* A region is a few instructions, unless its worker hangs; but other processes may keep it from its processor. */
#define HOLD_NS 1000000000u

bool macs_element_set(struct macs_register *reg, const struct macs_extern_desc *desc, uint32_t index,
                      const uint8_t *bytes) {
    uint64_t limbs[UINT16_MAX / 64 + 1] = {0};
    const uint32_t count = macs_value_bytes(desc->bits);
    for (uint32_t back = 0; back < count; back++)
        limbs[back / 8] |= (uint64_t)bytes[count - 1 - back] << back % 8 * 8;
    if (desc->locks && !macs_hold_from_outside(desc->locks, index, HOLD_NS))
        return false;
    macs_register_write(reg, index, limbs);
    if (desc->locks)
        macs_hold_end_from_outside(desc->locks, index);
    return true;
}

/* One of several words is read while no worker is at it, unless that takes too long. */
void macs_element_get(const struct macs_register *reg, const struct macs_extern_desc *desc, uint32_t index,
                      uint8_t *bytes) {
    uint64_t limbs[UINT16_MAX / 64 + 1];
    const uint32_t count = macs_value_bytes(desc->bits);
    const bool held = desc->locks && desc->bits > 64 && macs_hold_from_outside(desc->locks, index, HOLD_NS / 100);
    macs_register_read(reg, index, limbs);
    if (held)
        macs_hold_end_from_outside(desc->locks, index);
    for (uint32_t back = 0; back < count; back++)
        bytes[count - 1 - back] = (uint8_t)(limbs[back / 8] >> back % 8 * 8);
}

static void print_element(const struct macs_register *reg, const struct macs_extern_desc *desc, uint32_t index,
                          struct macs_text *answer) {
    uint8_t bytes[UINT16_MAX / 8 + 1];
    macs_element_get(reg, desc, index, bytes);
    macs_value_print(answer, bytes, macs_value_bytes(desc->bits));
}

struct shown {
    const struct macs_register *reg;
    const struct macs_extern_desc *desc;
    struct macs_text *answer;
};

static void show_element(uint32_t index, void *argument) {
    const struct shown *shown = argument;
    if (shown->answer->cut)
        return;
    macs_text_add(shown->answer, index ? ", " : " ");
    print_element(shown->reg, shown->desc, index, shown->answer);
}

static int register_read(struct macs_console *console, unsigned count, char **words, struct macs_text *answer) {
    void *state;
    const struct macs_extern_desc *desc =
        find_extern(console, "register", 1u << MACS_REGISTER, words[0], &state, answer);
    uint32_t index;
    if (!desc || (count > 1 && parse_index(console, desc, words[1], &index, answer)))
        return -1;
    int status = 0;
    if (count > 1) {
        macs_text_add(answer, "%s[%s]= ", words[0], words[1]);
        print_element(state, desc, index, answer);
    } else {
        if (!console->progress->begun)
            macs_text_add(answer, "%s=", words[0]);
        status = macs_console_sweep(console, desc->size, show_element, &(struct shown){state, desc, answer});
    }
    if (!status)
        macs_text_add(answer, "\n");
    return status;
}

static int is_held(const struct macs_extern_desc *desc, struct macs_text *answer) {
    return macs_text_fail(answer, "a worker holds %s and does not let go", desc->name);
}

static int register_write(struct macs_console *console, unsigned count, char **words, struct macs_text *answer) {
    (void)count;
    void *state;
    const struct macs_extern_desc *desc =
        find_extern(console, "register", 1u << MACS_REGISTER, words[0], &state, answer);
    uint32_t index;
    uint8_t bytes[UINT16_MAX / 8 + 1];
    if (!desc || parse_index(console, desc, words[1], &index, answer) ||
        macs_value_parse(words[2], strlen(words[2]), desc->bits, bytes, answer))
        return -1;
    return macs_element_set(state, desc, index, bytes) ? 0 : is_held(desc, answer);
}

/* Iterates over elements; neighbours share a lock. */
struct reset {
    struct macs_register *reg;
    const struct macs_extern_desc *desc;
    const uint64_t *value;
    bool holds, failed;
    uint32_t index; /* of the element that it holds */
    uint32_t since; /* so many elements ago */
};

#define RESET_TOGETHER 64u

static void let_go(struct reset *reset) {
    if (reset->holds)
        macs_hold_end_from_outside(reset->desc->locks, reset->index);
    reset->holds = false;
}

/* Hold an element. False: a worker does not let go of it. */
static bool take(struct reset *reset, uint32_t index) {
    const struct macs_locks *locks = reset->desc->locks;
    if (!locks)
        return true;
    if (reset->holds && macs_hold_is_same(locks, index, reset->index) && ++reset->since < RESET_TOGETHER)
        return true;
    let_go(reset);
    reset->holds = macs_hold_from_outside(locks, index, HOLD_NS);
    reset->index = index;
    reset->since = 0;
    return reset->holds;
}

static void reset_element(uint32_t index, void *argument) {
    struct reset *reset = argument;
    reset->failed = reset->failed || !take(reset, index);
    if (!reset->failed)
        macs_register_write(reset->reg, index, reset->value);
}

/* Set all elements of the register of that name to zero, or to what the program has them begin with. */
static int set_all(struct macs_console *console, const char *word, bool to_initial, struct macs_text *answer) {
    static const uint64_t zero[UINT16_MAX / 64 + 1];
    void *state;
    const struct macs_extern_desc *desc = find_extern(console, "register", 1u << MACS_REGISTER, word, &state, answer);
    if (!desc)
        return -1;
    struct reset reset = {.reg = state, .desc = desc, .value = to_initial && desc->initial ? desc->initial : zero};
    int status = macs_console_sweep(console, desc->size, reset_element, &reset);
    let_go(&reset);
    return reset.failed ? is_held(desc, answer) : status;
}

static int register_reset(struct macs_console *console, unsigned count, char **words, struct macs_text *answer) {
    (void)count;
    return set_all(console, words[0], false, answer);
}

static int register_restore(struct macs_console *console, unsigned count, char **words, struct macs_text *answer) {
    (void)count;
    return set_all(console, words[0], true, answer);
}

/* --- meters ---------------------------------------------------------------------------------------------------------
 */

/* RATE:BURST, the rate in bytes (or packets) a microsecond. */
static bool parse_rate(const char *word, double *rate, double *burst) {
    char *end;
    *rate = strtod(word, &end) / 1000;
    if (end == word || *end != ':')
        return false;
    const char *second = end + 1;
    *burst = strtod(second, &end);
    return end != second && !*end && *rate >= 0 && *rate < 1e15 && *burst >= 0 && *burst < 1e15;
}

static int parse_rates(char **words, struct macs_meter_rates *rates, struct macs_text *answer) {
    if (!parse_rate(words[0], &rates->committed_rate, &rates->committed_burst) ||
        !parse_rate(words[1], &rates->peak_rate, &rates->peak_burst))
        return macs_text_fail(answer, "rates are given as RATE:BURST, committed first, then peak");
    if (rates->committed_rate > rates->peak_rate)
        return macs_text_fail(answer, "the committed rate is above the peak rate");
    return 0;
}

static int meter_set_rates(struct macs_console *console, unsigned count, char **words, struct macs_text *answer) {
    (void)count;
    void *state;
    const struct macs_extern_desc *desc = find_extern(console, "meter", METERS, words[0], &state, answer);
    uint32_t index;
    struct macs_meter_rates rates;
    if (!desc || parse_index(console, desc, words[1], &index, answer) || parse_rates(words + 2, &rates, answer))
        return -1;
    macs_meter_set(state, index, &rates);
    return 0;
}

struct metered {
    struct macs_meter *meter;
    struct macs_meter_rates rates;
};

static void set_rates(uint32_t index, void *argument) {
    const struct metered *metered = argument;
    macs_meter_set(metered->meter, index, &metered->rates);
}

static int meter_array_set_rates(struct macs_console *console, unsigned count, char **words, struct macs_text *answer) {
    (void)count;
    void *state;
    const struct macs_extern_desc *desc = find_extern(console, "meter", METERS, words[0], &state, answer);
    struct metered metered = {.meter = state};
    if (!desc || parse_rates(words + 1, &metered.rates, answer))
        return -1;
    return macs_console_sweep(console, macs_meter_size(state), set_rates, &metered);
}

static int meter_get_rates(struct macs_console *console, unsigned count, char **words, struct macs_text *answer) {
    (void)count;
    void *state;
    const struct macs_extern_desc *desc = find_extern(console, "meter", METERS, words[0], &state, answer);
    uint32_t index;
    struct macs_meter_rates rates;
    if (!desc || parse_index(console, desc, words[1], &index, answer))
        return -1;
    if (macs_meter_get(state, index, &rates))
        macs_text_add(answer, "0: info rate = %g, burst size = %g\n1: info rate = %g, burst size = %g\n",
                      rates.committed_rate * 1000, rates.committed_burst, rates.peak_rate * 1000, rates.peak_burst);
    return 0;
}

/* --- custom CRCs ----------------------------------------------------------------------------------------------------
 */

static int parse_flag(const char *word, bool *flag, struct macs_text *answer) {
    uint64_t value;
    if (!macs_value_uint64(word, &value) || value > 1)
        return macs_text_fail(answer, "'%.80s' is neither 0 nor 1", word);
    *flag = value;
    return 0;
}

/* CALCULATION POLYNOMIAL INITIAL FINAL REFLECT_DATA REFLECT_REMAINDER */
static int set_crc(struct macs_console *console, uint32_t width, char **words, struct macs_text *answer) {
    void *state;
    const char *what = width == 16 ? "crc16" : "crc32";
    const struct macs_extern_desc *desc = find_extern(console, what, 1u << MACS_CUSTOM_CRC, words[0], &state, answer);
    uint64_t numbers[3];
    struct macs_crc_parameters parameters;
    if (!desc)
        return -1;
    if (desc->bits != width)
        return macs_text_fail(answer, "%s is a CRC of %u bits", desc->name, desc->bits);
    for (unsigned i = 0; i < 3; i++)
        if (!macs_value_uint64(words[1 + i], &numbers[i]) || numbers[i] >> width)
            return macs_text_fail(answer, "'%.80s' is no number of %" PRIu32 " bits", words[1 + i], width);
    parameters.polynomial = (uint32_t)numbers[0];
    parameters.initial = (uint32_t)numbers[1];
    parameters.final = (uint32_t)numbers[2];
    if (parse_flag(words[4], &parameters.reflect_data, answer) ||
        parse_flag(words[5], &parameters.reflect_remainder, answer))
        return -1;
    int status = macs_custom_crc_set(state, &parameters);
    return status ? macs_text_fail(answer, "%s: %s", desc->name, strerror(-status)) : 0;
}

static int set_crc16(struct macs_console *console, unsigned count, char **words, struct macs_text *answer) {
    (void)count;
    return set_crc(console, 16, words, answer);
}

static int set_crc32(struct macs_console *console, unsigned count, char **words, struct macs_text *answer) {
    (void)count;
    return set_crc(console, 32, words, answer);
}

#define CRC_WORDS "CALCULATION POLYNOMIAL INITIAL FINAL REFLECT_DATA REFLECT_REMAINDER"

const struct macs_command macs_extern_commands[] = {
    {"set_crc16_parameters", set_crc16, 6, 6, CRC_WORDS, "set the parameters of a hash crc16_custom"},
    {"set_crc32_parameters", set_crc32, 6, 6, CRC_WORDS, "set the parameters of a hash crc32_custom"},
    {"counter_read", counter_read, 2, 2, "COUNTER INDEX", "read a counter; the index of a direct one is a handle"},
    {"counter_write", counter_write, 4, 4, "COUNTER INDEX PACKETS BYTES", "set a counter"},
    {"counter_reset", counter_reset, 1, 1, "COUNTER", "set all of a counter's elements to zero"},
    {"register_read", register_read, 1, 2, "REGISTER [INDEX]", "read a register, or all of it"},
    {"register_write", register_write, 3, 3, "REGISTER INDEX VALUE", "set a register"},
    {"register_reset", register_reset, 1, 1, "REGISTER", "set all of a register's elements to zero"},
    {"register_restore", register_restore, 1, 1, "REGISTER", "set them to what the program has them begin with"},
    {"meter_set_rates", meter_set_rates, 4, 4, "METER INDEX RATE:BURST RATE:BURST",
     "committed and peak rate of a meter, in bytes or packets a microsecond"},
    {"meter_array_set_rates", meter_array_set_rates, 3, 3, "METER RATE:BURST RATE:BURST",
     "the same for all of a meter's elements"},
    {"meter_get_rates", meter_get_rates, 2, 2, "METER INDEX", "a meter's rates"},
    {0},
};
