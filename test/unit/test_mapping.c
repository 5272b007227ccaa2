// SPDX-License-Identifier: MIT
#include "os/mapping.h"

#include <sys/mman.h>

#include "unit.h"

#define PAGE ((size_t)4096)

/* Five pages: three readable in two mappings, one that is not readable, one readable. */
static char *map_pages(void)
{
    char *pages = mmap(NULL, 5 * PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    assert_ptr_not_equal(pages, MAP_FAILED);
    assert_int_equal(mprotect(pages + PAGE, PAGE, PROT_READ | PROT_WRITE), 0);
    assert_int_equal(mprotect(pages + 3 * PAGE, PAGE, PROT_NONE), 0);
    return pages;
}

static bool readable(const char *at, size_t size)
{
    return hf_mapping_is_readable((uintptr_t)at, size);
}

static void every_byte_must_be_readable(void **state)
{
    char *pages = map_pages();

    (void)state;
    assert_true(readable(pages, 1));
    assert_true(readable(pages, 3 * PAGE)); /* across mappings */
    assert_true(readable(pages + 100, 3 * PAGE - 100));
    assert_false(readable(pages, 3 * PAGE + 1));
    assert_false(readable(pages + 3 * PAGE, 1));
    assert_false(readable(pages + 3 * PAGE - 1, PAGE + 2)); /* both ends are */
    assert_true(readable(pages + 4 * PAGE, PAGE));
    assert_int_equal(munmap(pages + PAGE, PAGE), 0);
    assert_false(readable(pages, 3 * PAGE));
    assert_false(readable(pages + PAGE, 1));
    assert_true(readable(pages + 2 * PAGE, PAGE));
    munmap(pages, 5 * PAGE);
    assert_false(readable(pages, 1));
}

static void stack_heap_and_code_are_readable(void **state)
{
    int on_stack[100];
    char *on_heap = malloc(1 << 20);

    (void)state;
    assert_true(hf_mapping_is_readable((uintptr_t)on_stack, sizeof on_stack));
    assert_true(readable(on_heap, 1 << 20));
    assert_true(hf_mapping_is_readable((uintptr_t)&open_descriptors, 1));
    free(on_heap);
    assert_false(hf_mapping_is_readable(1, 1));
    assert_false(hf_mapping_is_readable(UINTPTR_MAX - PAGE, 10));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_byte_must_be_readable),
        cmocka_unit_test(stack_heap_and_code_are_readable),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
