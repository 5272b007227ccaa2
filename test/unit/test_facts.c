// SPDX-License-Identifier: MIT
#include "os/facts.h"

#include <sys/socket.h>
#include <sys/sysmacros.h>

#include "fake_os.h"
#include "hipfile.h"

#ifndef STATX_DIOALIGN
#define STATX_DIOALIGN 0x2000U
#endif

/* What statx says next: a regular file with these numbers. */
static struct {
    uint32_t block, offset_alignment, memory_alignment;
    bool tells_alignment;
} told;

static int tell(int dir, const char *path, int flags, unsigned mask, struct statx *out)
{
    uint32_t alignment[2] = {told.memory_alignment, told.offset_alignment};

    (void)dir;
    (void)path;
    (void)flags;
    (void)mask;
    memset(out, 0, sizeof *out);
    out->stx_mode = S_IFREG;
    out->stx_blksize = told.block;
    out->stx_dev_major = 8;
    out->stx_dev_minor = 3;
    out->stx_ino = 17;
    if (told.tells_alignment) {
        out->stx_mask = STATX_DIOALIGN;
        memcpy((char *)out + 0x98, alignment, sizeof alignment);
    }
    return 0;
}

static struct hf_facts facts_with(uint32_t block, uint32_t offset, uint32_t memory, bool tells)
{
    struct hf_facts facts;

    told.block = block;
    told.offset_alignment = offset;
    told.memory_alignment = memory;
    told.tells_alignment = tells;
    hf_os.statx = tell;
    assert_int_equal(hf_facts_read(0, &facts), 0);
    return facts;
}

/* Never below the page: a smaller unit would put a buffered edge and a direct middle into one page.
 */
static void the_unit_is_the_largest_of_four(void **state)
{
    (void)state;
    assert_int_equal(facts_with(4096, 512, 4, true).unit, 4096);
    assert_int_equal(facts_with(512, 512, 512, true).unit, 4096);
    assert_int_equal(facts_with(4096, 16384, 4, true).unit, 16384);
    assert_int_equal(facts_with(65536, 512, 4, true).unit, 65536);
    assert_int_equal(facts_with(65536, 0, 0, false).unit, 65536);
    assert_int_equal(facts_with(0, 0, 0, false).unit, 4096);
    assert_int_equal(facts_with(5000, 512, 4, true).unit, 4096);        /* no power of two */
    assert_int_equal(facts_with(1 << 30, 1 << 24, 4, true).unit, 4096); /* beyond reason */
    assert_int_equal(facts_with(1 << 20, 512, 4, true).unit, 1 << 20);
}

static void memory_alignment_is_told_or_a_page(void **state)
{
    (void)state;
    assert_int_equal(facts_with(4096, 512, 4, true).memory_alignment, 4);
    assert_int_equal(facts_with(4096, 512, 512, true).memory_alignment, 512);
    assert_int_equal(facts_with(4096, 0, 0, false).memory_alignment, 4096);
    assert_int_equal(facts_with(4096, 0, 0, true).memory_alignment, 4096);
}

static void device_and_inode_identify_the_file(void **state)
{
    struct hf_facts facts = facts_with(4096, 512, 4, true);

    (void)state;
    assert_int_equal(facts.device, makedev(8, 3));
    assert_int_equal(facts.inode, 17);
    assert_false(facts.is_block_device);
}

static void only_files_and_block_devices_are_taken(void **state)
{
    int ends[2], pair[2];
    struct hf_facts facts;
    int file = make_file("/tmp", 10, O_RDONLY);

    (void)state;
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    assert_int_equal(hf_facts_read(ends[0], &facts), -hipFileInvalidFileType);
    assert_int_equal(hf_facts_read(pair[0], &facts), -hipFileInvalidFileType);
    assert_int_equal(hf_facts_read(open("/tmp", O_RDONLY), &facts), -hipFileInvalidFileType);
    assert_int_equal(hf_facts_read(open("/dev/null", O_RDONLY), &facts), -hipFileInvalidFileType);
    assert_int_equal(hf_facts_read(file, &facts), 0);
    assert_int_equal(hf_facts_size(file, false), 10);
    close(file);
    assert_int_equal(hf_facts_read(file, &facts), -EBADF);
    assert_int_equal(hf_facts_size(file, false), -EBADF);
    assert_int_equal(hf_facts_size(file, true), -EBADF);
    assert_int_equal(hf_facts_read(-1, &facts), -EBADF);
}

static void an_unknown_storage_is_no_error(void **state)
{
    struct hf_facts facts = {.device = makedev(4000, 77)};
    struct hf_storage storage;

    (void)state;
    memset(&storage, 0xff, sizeof storage);
    hf_storage_read(-1, &facts, &storage);
    assert_string_equal(storage.file_system, "");
    assert_string_equal(storage.block_device, "");
    assert_string_equal(storage.layer, "");
    assert_int_equal(storage.rule.direct, HF_RULE_DEFAULT);
}

static void proc_is_known_by_its_mount(void **state)
{
    int fd = open("/proc/self/maps", O_RDONLY);
    struct hf_storage storage;
    struct hf_facts facts;

    (void)state;
    assert_int_equal(hf_facts_read(fd, &facts), 0);
    hf_storage_read(fd, &facts, &storage);
    assert_string_equal(storage.file_system, "proc");
    close(fd);
}

static int begin(void **state)
{
    (void)state;
    os_reset();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(the_unit_is_the_largest_of_four, begin),
        cmocka_unit_test_setup(memory_alignment_is_told_or_a_page, begin),
        cmocka_unit_test_setup(device_and_inode_identify_the_file, begin),
        cmocka_unit_test_setup(only_files_and_block_devices_are_taken, begin),
        cmocka_unit_test_setup(an_unknown_storage_is_no_error, begin),
        cmocka_unit_test_setup(proc_is_known_by_its_mount, begin),
    };

    load_default_settings();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
