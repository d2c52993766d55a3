/* Rates and ages: the colours that a meter gives, and when an entry that nothing hits is told of. */
#include <assert.h>
#include <stdio.h>

#include "runtime/ages.h"
#include "runtime/meter.h"

#include <macs/meter.h>

static struct macs_worker worker;
static struct macs_meter *meter;

static void set(double committed, double peak, double rate) {
    const struct macs_meter_rates rates = {
        .committed_rate = rate, .committed_burst = committed, .peak_rate = rate, .peak_burst = peak};
    macs_meter_set(meter, 1, &rates);
}

/* The colours of as many packets as there are letters: of `before`, if that is a colour. */
static bool gives(const char *colours, uint64_t before, uint64_t bytes) {
    static const char letters[] = "gyr";
    for (; *colours; colours++) {
        const uint64_t colour = before == MACS_NO_COLOUR ? macs_meter_execute(meter, &worker, 1, (uint32_t)bytes)
                                                         : macs_meter_execute_aware(meter, &worker, 1, before, bytes);
        if (colour > MACS_RED || letters[colour] != *colours)
            return false;
    }
    return true;
}

static void check_meter(enum macs_unit unit, uint64_t one) {
    assert(macs_meter_create(&meter, 2, unit) == 0 && macs_meter_size(meter) == 2);
    worker.now_ns = 0;
    assert(gives("ggg", MACS_NO_COLOUR, one) && gives("yyy", MACS_YELLOW, one) && gives("rrr", MACS_RED, one));
    assert(macs_meter_execute_aware(meter, &worker, 2, MACS_YELLOW, one) == MACS_YELLOW);
    assert(macs_meter_execute(meter, &worker, 2, (uint32_t)one) == MACS_GREEN);
    const double size = unit == MACS_PACKETS ? 1 : (double)one;
    set(2 * size, 5 * size, 0);
    assert(gives("ggyyyr", MACS_NO_COLOUR, one));
    set(5 * size, 2 * size, 0); /* red takes of neither bucket, yellow of the peak's, green of both */
    assert(gives("ggrr", MACS_NO_COLOUR, one));
    set(2 * size, 5 * size, 0);
    assert(gives("yyyy", MACS_YELLOW, one) && gives("gr", MACS_NO_COLOUR, one));
    set(2 * size, 5 * size, 0);
    assert(gives("rrrrrr", MACS_RED, one) && gives("ggyyyr", MACS_GREEN, one));
    set(2 * size, 4 * size, size / 1000); /* one in a microsecond */
    assert(gives("ggyyr", MACS_NO_COLOUR, one));
    worker.now_ns += 999;
    assert(gives("r", MACS_NO_COLOUR, one));
    worker.now_ns += 1;
    assert(gives("gr", MACS_NO_COLOUR, one));
    worker.now_ns -= 1000; /* the clock of another worker: nothing comes twice */
    assert(gives("r", MACS_NO_COLOUR, one));
    worker.now_ns += 1000;
    assert(gives("r", MACS_NO_COLOUR, one));
    worker.now_ns += 1000000; /* no more than the buckets hold */
    assert(gives("ggyyr", MACS_NO_COLOUR, one));
    struct macs_meter_rates rates;
    assert(macs_meter_get(meter, 1, &rates) && rates.committed_burst == 2 * size && rates.peak_burst == 4 * size);
    macs_meter_set(meter, 1, NULL);
    assert(!macs_meter_get(meter, 1, &rates) && gives("ggg", MACS_NO_COLOUR, one));
    macs_meter_destroy(meter);
}

static int64_t next_of(struct macs_ages *ages, uint64_t now_ns) {
    uint32_t left = UINT32_MAX;
    return macs_ages_next(ages, &left, now_ns);
}

static void check_ages(void) {
    enum { SIZE = 5, TIMEOUT = 10000000, BEGUN = 7 };
    struct macs_ages *ages = macs_ages_create(SIZE);
    assert(ages && next_of(ages, BEGUN) < 0);
    for (uint32_t i = 0; i < SIZE; i++)
        macs_ages_begin(ages, i, BEGUN);
    for (uint32_t i = 0; i < SIZE; i++) { /* the first, the last: each alone has a timeout */
        macs_ages_limit(ages, i, TIMEOUT);
        assert(ages->limited == 1 && next_of(ages, BEGUN + TIMEOUT - 1) < 0);
        assert(next_of(ages, BEGUN + TIMEOUT) == i && next_of(ages, BEGUN + 3 * TIMEOUT) < 0);
        macs_ages_limit(ages, i, TIMEOUT + 1); /* another one: it is told of again */
        assert(ages->limited == 1 && next_of(ages, BEGUN + TIMEOUT) < 0 && next_of(ages, BEGUN + TIMEOUT + 1) == i);
        worker.now_ns = BEGUN + TIMEOUT + 2;
        macs_ages_hit(ages, &worker, i);
        assert(macs_ages_idle_ns(ages, i, worker.now_ns + 5) == 5 &&
               macs_ages_idle_ns(ages, i, worker.now_ns - 5) == 0);
        worker.now_ns += MACS_AGES_GRAIN_NS - 1; /* too soon to be written down */
        macs_ages_hit(ages, &worker, i);
        assert(macs_ages_idle_ns(ages, i, worker.now_ns) == MACS_AGES_GRAIN_NS - 1);
        assert(next_of(ages, BEGUN + 2 * TIMEOUT + 2) < 0 && next_of(ages, BEGUN + 2 * TIMEOUT + 3) == i);
        macs_ages_limit(ages, i, 0);
        assert(ages->limited == 0 && next_of(ages, UINT64_MAX) < 0);
        macs_ages_begin(ages, i, BEGUN);
    }
    for (uint32_t i = 0; i < SIZE; i++)
        macs_ages_limit(ages, i, TIMEOUT);
    assert(ages->limited == SIZE);
    unsigned told = 0;
    for (int64_t index; (index = next_of(ages, BEGUN + TIMEOUT)) >= 0; told |= 1u << index)
        assert(!(told >> index & 1));
    assert(told == (1u << SIZE) - 1);
    macs_ages_end(ages, 2);
    assert(ages->limited == SIZE - 1);
    for (uint32_t i = 0; i < SIZE; i++)
        macs_ages_begin(ages, i, BEGUN);
    assert(ages->limited == 0);
    macs_ages_limit(ages, 1, TIMEOUT);
    macs_ages_limit(ages, 3, TIMEOUT);
    unsigned found = 0; /* a few at a time: each is looked at in its turn */
    for (unsigned turn = 0; turn < SIZE; turn++) {
        uint32_t left = 1;
        found += macs_ages_next(ages, &left, BEGUN + TIMEOUT) >= 0;
        assert(left == 0);
    }
    assert(found == 2);
    macs_ages_destroy(ages);
}

int main(void) {
    check_meter(MACS_PACKETS, 60);
    check_meter(MACS_BYTES, 60);
    check_ages();
    puts("ok");
    return 0;
}
