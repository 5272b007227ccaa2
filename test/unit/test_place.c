// SPDX-License-Identifier: MIT
#include "hip/place.h"

#include <linux/mempolicy.h>
#include <sched.h>
#include <sys/syscall.h>

#include "fake_hip.h"
#include "hip/pinned.h"

#define KIB ((size_t)1024)

static char root[64];

static void put(const char *folder, const char *name, const char *text)
{
    char command[512];

    snprintf(command, sizeof command, "mkdir -p %s/%s && echo %s >%s/%s/%s", root, folder, text,
             root, folder, name);
    assert_int_equal(system(command), 0);
}

/* Devices 0 and 1 at nodes 0 and 1, device 2 at none; node 0 has CPU 0, node 1 the others. */
static int begin(void **state)
{
    (void)state;
    hip_reset(4);
    hf_place_forget();
    hf_pinned_forget();
    set(HF_SET_SKIP_TOPOLOGY_DETECTION, false);
    set(HF_SET_PER_BUFFER_CACHE_SIZE_KB, 64);
    set(HF_SET_MAX_DEVICE_CACHE_SIZE_KB, 128);
    hf_numa_sysfs = root;
    put("devices/system/node", "online", "0-1");
    put("devices/system/node/node0", "cpulist", "0");
    put("devices/system/node/node1", "cpulist", "1-3,5-1023");
    put("bus/pci/devices/0000:01:00.0", "numa_node", "0");
    put("bus/pci/devices/0000:02:00.0", "numa_node", "1");
    put("bus/pci/devices/0000:03:00.0", "numa_node", "-1");
    return 0;
}

static void devices_have_places(void **state)
{
    (void)state;
    assert_int_equal(hf_place_of_device(0), 1);
    assert_int_equal(hf_place_of_device(1), 2);
    assert_int_equal(hf_place_of_device(2), 0);
    assert_int_equal(hf_place_of_device(3), 0);
    assert_int_equal(hf_place_of_device(-1), 0);
    fake_device = 1;
    assert_int_equal(hf_place_here(), 2);
    fake_device = 0;
}

static void one_node_is_no_place(void **state)
{
    (void)state;
    put("devices/system/node", "online", "0");
    assert_int_equal(hf_place_of_device(1), 0);
}

static void detection_can_be_switched_off(void **state)
{
    (void)state;
    set(HF_SET_SKIP_TOPOLOGY_DETECTION, true);
    assert_int_equal(hf_place_of_device(1), 0);
}

static void hexadecimal_in_either_case(void **state)
{
    (void)state;
    put("bus/pci/devices/0000:c1:00.0", "numa_node", "1");
    assert_int_equal(hf_numa_place_of("0000:C1:00.0"), 2);
    assert_int_equal(hf_numa_place_of("0000:c1:00.0"), 2);
}

static void a_thread_moves_to_the_cpus_of_its_place(void **state)
{
    cpu_set_t before, now;

    (void)state;
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    hf_numa_move_thread(1);
    assert_int_equal(sched_getaffinity(0, sizeof now, &now), 0);
    if (CPU_ISSET(0, &before)) {
        assert_int_equal(CPU_COUNT(&now), 1);
        assert_true(CPU_ISSET(0, &now));
    }
    sched_setaffinity(0, sizeof before, &before);
    hf_numa_move_thread(0);
    hf_numa_move_thread(9); /* which is not there */
    assert_int_equal(sched_getaffinity(0, sizeof now, &now), 0);
    assert_true(CPU_EQUAL(&before, &now));
}

static int policy(void)
{
    int mode = -1;

    return syscall(SYS_get_mempolicy, &mode, NULL, 0, NULL, 0) == 0 ? mode : -1;
}

static void memory_is_preferred_there_until_restored(void **state)
{
    struct hf_numa_policy before;
    int mode = policy();

    (void)state;
    if (mode < 0)
        skip(); /* the kernel, or a sandbox, has no such call */
    hf_numa_prefer(1, &before);
    if (before.saved)
        assert_int_equal(policy(), MPOL_PREFERRED);
    hf_numa_restore(&before);
    assert_int_equal(policy(), mode);
    hf_numa_prefer(0, &before);
    assert_int_equal(policy(), mode);
    hf_numa_restore(&before);
}

static void buffers_stay_near_their_devices(void **state)
{
    struct hf_pinned *near, *far, *again;

    (void)state;
    fake_device = 0;
    assert_int_equal(hf_pinned_get(1, false, &near), 0);
    fake_device = 1;
    assert_int_equal(hf_pinned_get(1, false, &far), 0);
    hf_pinned_put(near);
    hf_pinned_put(far);
    assert_int_equal(hf_pinned_get(1, false, &again), 0);
    assert_ptr_equal(again, far);
    hf_pinned_put(again);
    fake_device = 0;
    assert_int_equal(hf_pinned_get(1, false, &again), 0);
    assert_ptr_equal(again, near);
    /* None is left here, and there is no room for another: one from there. */
    assert_int_equal(hf_pinned_get(1, false, &again), 0);
    assert_ptr_equal(again, far);
    assert_int_equal(hf_pinned_get(1, false, &again), -EAGAIN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(devices_have_places, begin),
        cmocka_unit_test_setup(one_node_is_no_place, begin),
        cmocka_unit_test_setup(detection_can_be_switched_off, begin),
        cmocka_unit_test_setup(hexadecimal_in_either_case, begin),
        cmocka_unit_test_setup(a_thread_moves_to_the_cpus_of_its_place, begin),
        cmocka_unit_test_setup(memory_is_preferred_there_until_restored, begin),
        cmocka_unit_test_setup(buffers_stay_near_their_devices, begin),
    };
    char command[128];
    int failed;

    load_default_settings();
    strcpy(root, "/tmp/hipfile_place_XXXXXX");
    if (!mkdtemp(root))
        return 1;
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    snprintf(command, sizeof command, "rm -r %s", root);
    return system(command) != 0 || failed;
}
