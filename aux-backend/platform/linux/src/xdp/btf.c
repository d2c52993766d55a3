/* See btf.h. */
#include "xdp/btf.h"

#include <fcntl.h>
#include <linux/btf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define KERNEL_BTF "/sys/kernel/btf/vmlinux"

enum { SIZE_MAX_BYTES = 64 << 20, KIND_DECL_TAG = 17, KIND_ENUM64 = 19 };

/* Bytes that follow a type's entry. */
static size_t behind(uint32_t kind, uint32_t members) {
    switch (kind) {
    case BTF_KIND_INT:
    case BTF_KIND_VAR:
    case KIND_DECL_TAG:
        return 4;
    case BTF_KIND_ARRAY:
        return 12;
    case BTF_KIND_ENUM:
    case BTF_KIND_FUNC_PROTO:
        return members * 8u;
    case BTF_KIND_STRUCT:
    case BTF_KIND_UNION:
    case BTF_KIND_DATASEC:
    case KIND_ENUM64:
        return members * 12u;
    default:
        return 0;
    }
}

/* The whole file. NULL: it cannot be read. */
static uint8_t *content(size_t *size) {
    struct stat status;
    int fd = open(KERNEL_BTF, O_RDONLY | O_CLOEXEC);
    bool known = fd >= 0 && fstat(fd, &status) == 0 && status.st_size > 0 && status.st_size < SIZE_MAX_BYTES;
    uint8_t *bytes = known ? malloc((size_t)status.st_size) : NULL;
    ssize_t got = 1;
    for (*size = 0; bytes != NULL && got > 0 && *size<(size_t)status.st_size; *size += got> 0 ? (size_t)got : 0)
        got = read(fd, bytes + *size, (size_t)status.st_size - *size); /* a page at a time, whatever is asked for */
    if (fd >= 0)
        close(fd);
    return bytes;
}

static uint32_t find(const uint8_t *bytes, size_t size, const char *name) {
    struct btf_header header;
    struct btf_type type;
    size_t length = strlen(name) + 1;
    if (size < sizeof(header))
        return 0;
    memcpy(&header, bytes, sizeof(header));
    uint64_t at = (uint64_t)header.hdr_len + header.type_off, end = at + header.type_len;
    uint64_t names = (uint64_t)header.hdr_len + header.str_off;
    if (header.magic != BTF_MAGIC || end > size || names > size)
        return 0;
    for (uint32_t number = 1; at + sizeof(type) <= end; number++) {
        memcpy(&type, bytes + at, sizeof(type));
        uint32_t kind = BTF_INFO_KIND(type.info);
        bool named = names + type.name_off + length <= size;
        if (kind == BTF_KIND_FUNC && named && memcmp(bytes + names + type.name_off, name, length) == 0)
            return number;
        at += sizeof(type) + behind(kind, BTF_INFO_VLEN(type.info));
    }
    return 0;
}

uint32_t macs_odp_btf_function(const char *name) {
    size_t size;
    uint8_t *bytes = content(&size);
    uint32_t number = bytes != NULL ? find(bytes, size, name) : 0;
    free(bytes);
    return number;
}
