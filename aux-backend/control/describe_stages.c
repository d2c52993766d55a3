/* The stage clocks of all workers in JSON, for `ctl stats --stages`; see describe.h. */
#include <inttypes.h>

#include "control/describe.h"
#include "runtime/stats.h"
#include "runtime/worker.h"

static uint64_t load(const _Atomic uint64_t *count) {
    return atomic_load_explicit(count, memory_order_relaxed);
}

/* What a clock times: of the runtime, or a step of the program. */
static struct macs_clock_desc desc_of(const struct macs_program *program, unsigned number) {
    static const char *const of_runtime[MACS_CLOCKS_OF_RUNTIME] = {
        [MACS_CLOCK_RECEIVE] = "receive", [MACS_CLOCK_BETWEEN] = "between", [MACS_CLOCK_SEND] = "send"};
    if (number < MACS_CLOCKS_OF_RUNTIME)
        return (struct macs_clock_desc){"runtime", 0, of_runtime[number], ""};
    return program->clock_descs[number - MACS_CLOCKS_OF_RUNTIME];
}

static void describe_clock(const struct macs_program *program, const struct macs_clock *row, unsigned number,
                           struct macs_text *text) {
    const struct macs_clock_desc desc = desc_of(program, number);
    macs_text_add(text, "%s{\"function\":", number ? "," : "");
    macs_text_json(text, desc.function);
    macs_text_add(text, ",\"stage\":%u,\"step\":", desc.stage);
    macs_text_json(text, desc.step);
    macs_text_add(text, ",\"title\":");
    macs_text_json(text, desc.title);
    macs_text_add(text, ",\"calls\":%" PRIu64 ",\"packets\":%" PRIu64 ",\"cycles\":%" PRIu64 "}", load(&row->calls),
                  load(&row->packets), load(&row->cycles));
}

void macs_describe_stages(const struct macs_switch *sw, struct macs_text *text) {
    macs_text_add(text, "[");
    for (unsigned i = 0; i < sw->worker_count; i++) {
        const struct macs_thread *thread = sw->workers[i];
        const struct macs_clocks *clocks = thread->clocks;
        macs_text_add(text,
                      "%s{\"worker\":%u,\"bursts\":%" PRIu64 ",\"sampled\":%" PRIu64 ",\"interrupted\":%" PRIu64
                      ",\"clocks\":[",
                      i ? "," : "", i, load(&thread->stats.bursts), clocks ? load(&clocks->sampled) : 0,
                      clocks ? load(&clocks->interrupted) : 0);
        for (unsigned number = 0; clocks && number < clocks->count; number++)
            describe_clock(sw->program, &clocks->rows[number], number, text);
        macs_text_add(text, "]}");
    }
    macs_text_add(text, "]\n");
}
