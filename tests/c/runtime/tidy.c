/* A table is tidied when it has been quiet for a second, and for 50 times as long as tidying it took; all before the
 * first packet; none where the program leaves them so. */
#include "runtime/tidy.h"

#include <assert.h>
#include <stdio.h>

#define SECOND UINT64_C(1000000000)

static uint64_t clock_ns, takes_ns;
static unsigned tidied, fails;

uint64_t macs_odp_clock_ns(void) {
    return clock_ns;
}

int macs_table_tidy(struct macs_table *table) {
    if (table->quiet.tidied == table->quiet.changes)
        return 0;
    tidied++;
    clock_ns += takes_ns;
    table->quiet.tidied = table->quiet.changes; /* whether it fails or not */
    return fails ? fails--, -1 : 0;
}

static struct macs_table tables[2];
static struct macs_program program = {.tables = tables};
static struct macs_switch sw = {.program = &program, .table_count = 2};

/* How often a table is tidied in so many rounds of a tenth of a second. */
static unsigned rounds(unsigned count) {
    const unsigned before = tidied;
    while (count--) {
        clock_ns += SECOND / 10;
        macs_tidy_look(&sw, clock_ns);
    }
    return tidied - before;
}

int main(void) {
    assert(rounds(30) == 0); /* nothing has changed */
    tables[0].quiet.changes += 5;
    assert(rounds(10) == 0 && rounds(1) == 1 && rounds(30) == 0);
    for (unsigned i = 0; i < 30; i++) { /* it is being filled */
        tables[1].quiet.changes++;
        assert(rounds(1) == 0);
    }
    tables[0].quiet.changes++;
    takes_ns = SECOND / 5;
    assert(rounds(9) == 0 && rounds(3) == 2 && rounds(20) == 0); /* one in a round */
    tables[0].quiet.changes++;
    assert(rounds(90) == 0 && rounds(20) == 1); /* it took a fifth of a second: ten of quiet */
    takes_ns = 0;
    tables[0].quiet.changes++;
    fails = 1;
    macs_tidy_all(&sw);
    assert(tidied == 5 && rounds(8) == 0 && rounds(4) == 1 && rounds(30) == 0); /* again, as it failed */
    tables[0].quiet.changes++;
    program.leaves_untidy = true;
    macs_tidy_all(&sw);
    assert(rounds(30) == 0);
    puts("ok");
    return 0;
}
