/* Every kind of cipher of this build that the machine has, on bursts from standard input, the same one for each.
 *
 * A burst is a line: the number of jobs, then of each "e" or "d", key, vector and data in hexadecimal digits. The
 * answer has, for each kind, a line: its name, a colon, and the data of the jobs afterwards. What is ciphered lies in
 * memory of just its size. */
#include "crypto/crypto.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define JOBS_MAX 64
#define DATA_MAX 4096

static char text[2 * DATA_MAX + 1];

struct input {
    char way;
    uint8_t key[32], iv[MACS_ODP_BLOCK], data[DATA_MAX];
    uint32_t key_len, len;
};

static struct input inputs[JOBS_MAX];

static uint32_t read_bytes(uint8_t *to) {
    if (scanf("%8192s", text) != 1)
        exit(2);
    uint32_t len = (uint32_t)strlen(text) / 2;
    for (uint32_t i = 0; i < len; i++) {
        unsigned byte;
        if (sscanf(text + 2 * i, "%2x", &byte) != 1)
            exit(2);
        to[i] = (uint8_t)byte;
    }
    return len;
}

static void read_job(struct input *input) {
    if (scanf(" %c", &input->way) != 1)
        exit(2);
    input->key_len = read_bytes(input->key);
    read_bytes(input->iv);
    input->len = read_bytes(input->data);
}

static void write_bytes(const uint8_t *data, uint32_t len) {
    putchar(' ');
    for (uint32_t i = 0; i < len; i++)
        printf("%02x", data[i]);
}

/* The vectors lie in memory of just their size as well. */
static void run(const struct macs_odp_ciphers *with, unsigned count) {
    struct macs_odp_job jobs[JOBS_MAX];
    for (unsigned i = 0; i < count; i++) {
        const struct input *input = &inputs[i];
        uint8_t *iv = malloc(sizeof(input->iv)), *data = malloc(input->len);
        void *cipher = with->create(input->key, input->key_len, input->way == 'e');
        if (iv == NULL || data == NULL || cipher == NULL)
            exit(1);
        memcpy(iv, input->iv, sizeof(input->iv));
        memcpy(data, input->data, input->len);
        jobs[i] = (struct macs_odp_job){.cipher = cipher, .iv = iv, .data = data, .len = input->len, .failed = true};
    }
    with->run(jobs, count);
    printf("%s:", with->name);
    for (unsigned i = 0; i < count; i++) {
        if (jobs[i].failed)
            exit(1);
        write_bytes(jobs[i].data, jobs[i].len);
        with->destroy(jobs[i].cipher);
        free(jobs[i].data);
        free((void *)(uintptr_t)jobs[i].iv);
    }
    putchar('\n');
}

int main(void) {
    odp_instance_t instance;
    unsigned count;
    if (odp_init_global(&instance, NULL, NULL) || odp_init_local(instance, ODP_THREAD_WORKER))
        return 1;
    while (scanf("%u", &count) == 1 && count <= JOBS_MAX) {
        for (unsigned i = 0; i < count; i++)
            read_job(&inputs[i]);
        for (unsigned i = 0; macs_odp_ciphers[i] != NULL; i++)
            if (macs_odp_ciphers[i]->usable())
                run(macs_odp_ciphers[i], count);
    }
    return odp_term_local() || odp_term_global(instance);
}
