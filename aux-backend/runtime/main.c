/* The main program of a switch: reads options, makes the switch, loads entries, opens the control socket, and runs
 * until it is told to stop.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <macs/program.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <unistd.h>

#include "control/describe.h"
#include "control/learned.h"
#include "control/script.h"
#include "control/server.h"
#include "runtime/adapt.h"
#include "runtime/fall_back.h"
#include "runtime/capture.h"
#include "runtime/files.h"
#include "runtime/loops.h"
#include "runtime/privileges.h"
#include "runtime/stats.h"
#include "runtime/lifecycle.h"
#include "runtime/shown.h"
#include "runtime/tidy.h"

enum exit_code { EXIT_FINE, EXIT_FAILED, EXIT_USAGE };

/* How often an idle control thread writes log and statistics, and how often it looks for an end that may come any time.
 */
#define ROUND_MS 100
#define WATCH_MS 10

/* A signal handler can do no more than write to a pipe, and to what is atomic. */
static int signal_pipe[2] = {-1, -1};
static struct macs_switch *_Atomic signalled_switch;

/* After the first signal, blocked output must not keep the switch from ending: check so often. */
#define GIVE_UP_US 250000
static int nowhere = -1; /* /dev/null */

/* An interrupted write is restarted when this returns, and then writes to the other file. */
static void on_alarm(int signal_number) {
    int error = errno;
    (void)signal_number;
    for (int descriptor = STDOUT_FILENO; descriptor <= STDERR_FILENO; descriptor++) {
        struct pollfd fd = {.fd = descriptor, .events = POLLOUT};
        if (!poll(&fd, 1, 0))
            dup2(nowhere, descriptor);
    }
    errno = error;
}

static void on_signal(int signal_number) {
    const struct itimerval again = {.it_interval.tv_usec = GIVE_UP_US, .it_value.tv_usec = GIVE_UP_US};
    int error = errno;
    (void)signal_number;
    setitimer(ITIMER_REAL, &again, NULL);
    struct macs_switch *sw = atomic_load(&signalled_switch);
    if (sw)
        atomic_store(&sw->ending, true);
    if (write(signal_pipe[1], "", 1) < 0) {
        /* The pipe is full: the control thread knows already. */
    }
    errno = error;
}

static int catch_signals(void) {
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    struct sigaction alarm = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigemptyset(&alarm.sa_mask);
    nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere < 0 || sigaction(SIGALRM, &alarm, NULL) || pipe2(signal_pipe, O_CLOEXEC | O_NONBLOCK) ||
        sigaction(SIGINT, &action, NULL) || sigaction(SIGTERM, &action, NULL))
        return -errno;
    signal(SIGPIPE, SIG_IGN); /* what cannot be written is an error where it is written */
    signal(SIGXFSZ, SIG_IGN);
    return 0;
}

/* Be told when the process that started this one has ended, however it did: as by SIGTERM. It may have ended already.
 */
static void follow_parent(uint32_t parent) {
    if (!parent)
        return;
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != (pid_t)parent)
        raise(SIGTERM);
}

static bool signalled(void) {
    char byte;
    return read(signal_pipe[0], &byte, 1) == 1;
}

/* The control thread's own state. */
struct watch {
    uint64_t received;   /* at the last change */
    uint64_t changed_ns; /* when that was */
    uint64_t printed_ns;
    struct macs_stats_sum printed;
    uint64_t followed_ns;
};

/* How often to poll ports for changes that are not signalled. */
#define FOLLOW_NS 200000000u

static void follow_ports(struct macs_switch *sw, struct watch *watch, uint64_t now) {
    if (now - watch->followed_ns < FOLLOW_NS)
        return;
    watch->followed_ns = now;
    for (unsigned slot = 0; slot < sw->port_count; slot++)
        if (macs_port_is_there(&sw->ports[slot]))
            macs_port_follow(&sw->ports[slot]);
}

static void print_rates(const struct macs_switch *sw, struct watch *watch, const struct macs_stats_sum *sum,
                        uint64_t now) {
    uint64_t period = (uint64_t)sw->options.stats_seconds * 1000000000u;
    if (!period || now - watch->printed_ns < period)
        return;
    macs_stats_print_rate(&watch->printed, sum, (double)(now - watch->printed_ns) / 1e9, stdout);
    watch->printed = *sum;
    watch->printed_ns = now;
}

/* True: no port will ever receive again. */
static bool all_ports_ended(const struct macs_switch *sw) {
    for (unsigned slot = 0; slot < sw->port_count; slot++)
        if (macs_port_is_there(&sw->ports[slot]) && !macs_port_ended(&sw->ports[slot]))
            return false;
    return true;
}

static bool ends_with_its_inputs(const struct macs_options *options) {
    return options->until_end || options->idle_ms || !options->socket;
}

/* True: enough frames have been received, or none for long enough, or no port can receive any more. A switch that
 * listens for commands stays then, so that its counters can be read, unless it was asked to end. */
static bool ended(const struct macs_switch *sw, struct watch *watch, const struct macs_stats_sum *sum, uint64_t now) {
    if (sum->received != watch->received) {
        watch->received = sum->received;
        watch->changed_ns = now;
    }
    const struct macs_options *options = &sw->options;
    if (options->count && sum->received >= options->count)
        return true;
    if (ends_with_its_inputs(options) && all_ports_ended(sw))
        return true;
    return options->idle_ms && now - watch->changed_ns >= (uint64_t)options->idle_ms * 1000000u;
}

static bool a_port_may_end(const struct macs_switch *sw) {
    for (unsigned slot = 0; slot < sw->port_count; slot++)
        if (macs_port_is_there(&sw->ports[slot]) && macs_port_may_end(&sw->ports[slot]))
            return true;
    return false;
}

/* An idle switch hardly wakes up: interfaces do not end. */
static int round_of(const struct macs_switch *sw) {
    const struct macs_options *options = &sw->options;
    const bool by_inputs = ends_with_its_inputs(options) && a_port_may_end(sw);
    return options->count || options->idle_ms || by_inputs ? WATCH_MS : ROUND_MS;
}

static void control(struct macs_switch *sw, struct macs_server *server) {
    uint64_t now = macs_switch_now(sw);
    struct watch watch = {.changed_ns = now, .printed_ns = now};
    int wait_ms = round_of(sw);
    struct macs_stats_sum sum;
    do {
        macs_server_poll(server, signal_pipe[0], wait_ms);
        macs_qsbr_poll(sw->qsbr);
        macs_loops_watch(sw);
        wait_ms = macs_fall_back_look(sw, macs_adapt_look(sw, round_of(sw)));
        macs_log_drain(&sw->log);
        now = macs_switch_now(sw);
        macs_tidy_look(sw, now);
        follow_ports(sw, &watch, now);
        macs_stats_sum(sw, &sum);
        print_rates(sw, &watch, &sum, now);
    } while (!server->console->quit && !signalled() && !ended(sw, &watch, &sum, now));
}

static void tell_memory(const struct macs_switch *sw) {
    struct macs_text text = {0};
    macs_describe_memory(sw, &text);
    fwrite(text.data, 1, text.length, stdout);
    fflush(stdout);
    macs_text_free(&text);
}

/* The ready line, for people and scripts: frames that arrive from now on are received. */
static void tell_ready(const struct macs_switch *sw) {
    macs_tell(stdout, "ready: ");
    const char *separator = "";
    for (unsigned slot = 0; slot < sw->port_count; slot++) {
        if (!macs_port_is_there(&sw->ports[slot]))
            continue;
        macs_tell(stdout, "%sport %u %s", separator, sw->ports[slot].number, sw->ports[slot].name);
        separator = ", ";
    }
    if (sw->options.socket)
        macs_tell(stdout, "; commands at %s", sw->options.socket);
    macs_tell(stdout, "\n");
    fflush(stdout);
}

/* After the socket was made: that may need rights on its folder. */
static void give_up_privileges(struct macs_switch *sw) {
    int status = macs_privileges_drop(&sw->options);
    if (status)
        macs_log_write(&sw->log, "warning: privileges cannot be given up: %s", strerror(-status));
}

static void tell_handed_over(const struct macs_switch *sw) {
    for (unsigned slot = 0; slot < sw->port_count; slot++) {
        const uint64_t frames = atomic_load(&sw->ports[slot].handed_over);
        if (frames)
            macs_tell(stdout, "port %u: %llu frames came to another worker than theirs, which handed them over\n",
                      sw->ports[slot].number, (unsigned long long)frames);
    }
}

/* Runs the switch. Ports receive before the socket is there, so a client that finds it may send. */
static enum exit_code carry(struct macs_switch *sw, struct macs_server *server) {
    macs_learned_settle(server->console);
    if (!macs_files_apart() || macs_switch_start(sw))
        return EXIT_FAILED;
    enum exit_code code = macs_server_listen(server) ? EXIT_FAILED : EXIT_FINE;
    if (code == EXIT_FINE) {
        give_up_privileges(sw);
        tell_ready(sw);
        control(sw, server);
    }
    macs_switch_stop(sw);
    struct macs_stats_sum sum;
    macs_stats_sum(sw, &sum);
    macs_stats_print(sw, &sum, stdout);
    if (sw->options.verbose)
        tell_handed_over(sw);
    if (macs_log_failed(&sw->log)) {
        macs_tell(stderr, "error: the log '%s' could not be written\n", sw->options.log);
        code = EXIT_FAILED;
    }
    const uint64_t lost = sw->capture ? atomic_load(&sw->capture->lost) : 0;
    if (lost) {
        macs_tell(stderr, "error: %" PRIu64 " frames could not be written to captures in '%s'\n", lost,
                  sw->options.pcap);
        code = EXIT_FAILED;
    }
    for (unsigned slot = 0; slot < sw->port_count; slot++) {
        if (!macs_port_is_there(&sw->ports[slot]) || !macs_port_broken(&sw->ports[slot]))
            continue;
        macs_tell(stderr, "error: port %u: not all of %s was read or written\n", sw->ports[slot].number,
                  sw->ports[slot].name);
        code = EXIT_FAILED;
    }
    return code;
}

static enum exit_code serve(struct macs_switch *sw, struct macs_console *console) {
    struct macs_server server;
    macs_adapt_set(sw, sw->options.adapt);
    macs_fall_back_set(sw, !sw->options.stays_cut);
    int status = sw->options.entries ? macs_script_run_file(console, sw->options.entries, signal_pipe[0]) : 0;
    if (status)
        return status == -EINTR ? EXIT_FINE : EXIT_FAILED;
    macs_tidy_all(sw);
    if (sw->options.verbose)
        tell_memory(sw);
    if (sw->options.verbose && sw->steered)
        macs_tell(stdout, "frames are steered to %u workers, each with its own cells of sharded registers\n",
                  sw->options.worker_count);
    if (macs_server_prepare(&server, console, sw->options.socket))
        return EXIT_FAILED;
    enum exit_code code = carry(sw, &server);
    macs_server_close(&server);
    return code;
}

int main(int argc, char **argv) {
    struct macs_options options;
    switch (macs_options_parse(&options, argc, argv, macs_program.name)) {
    case MACS_OPTIONS_DONE:
        return EXIT_FINE;
    case MACS_OPTIONS_WRONG:
        return EXIT_USAGE;
    case MACS_OPTIONS_RUN:
        break;
    }
    struct macs_switch *sw;
    struct macs_console console;
    if (catch_signals()) {
        macs_tell(stderr, "error: cannot catch signals\n");
        return EXIT_FAILED;
    }
    follow_parent(options.parent);
    const int held = options.entries ? macs_files_hold(options.entries) : -1;
    if (macs_switch_create(&sw, &macs_program, &options))
        return EXIT_FAILED;
    atomic_store(&signalled_switch, sw);
    enum exit_code code = EXIT_FAILED;
    if (!macs_console_init(&console, sw, &macs_program)) {
        code = serve(sw, &console);
        macs_console_fini(&console);
    }
    atomic_store(&signalled_switch, NULL);
    if (!macs_switch_destroy(sw))
        code = EXIT_FAILED;
    close(held);
    if (fflush(stdout) || ferror(stdout)) {
        macs_tell(stderr, "error: standard output could not be written\n");
        return EXIT_FAILED;
    }
    return (int)code;
}
