// SPDX-License-Identifier: MIT
#include "core/pool.h"

#include <sched.h>
#include <signal.h>

#include "unit.h"

#define WORKERS 3

struct job {
    struct hf_task task;
    unsigned number;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool gate_open;
static unsigned running, most_running, done;
static unsigned order[256];

static void run(struct hf_task *task)
{
    struct job *job = (struct job *)task;

    pthread_mutex_lock(&lock);
    running++;
    if (running > most_running)
        most_running = running;
    pthread_cond_broadcast(&changed);
    while (!gate_open)
        pthread_cond_wait(&changed, &lock);
    running--;
    order[done++] = job->number;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    free(job);
}

static struct job *submit(unsigned number)
{
    struct job *job = calloc(1, sizeof *job);

    assert_non_null(job);
    job->number = number;
    job->task.run = run;
    assert_int_equal(hf_pool_submit(&job->task), 0);
    return job;
}

static void set_gate(bool open)
{
    pthread_mutex_lock(&lock);
    gate_open = open;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static void wait_until_running(unsigned n)
{
    pthread_mutex_lock(&lock);
    while (running < n)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
}

static void wait_until_done(unsigned n)
{
    pthread_mutex_lock(&lock);
    while (done < n)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
}

static int begin(void **state)
{
    (void)state;
    set(HF_SET_MAX_IO_THREADS, WORKERS);
    running = most_running = done = 0;
    gate_open = false;
    return 0;
}

static void tasks_run_on_as_many_workers_as_set(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 50; i++)
        submit(i);
    wait_until_running(WORKERS);
    set_gate(true);
    wait_until_done(50);
    assert_int_equal(most_running, WORKERS);
}

static void waiting_tasks_can_be_withdrawn(void **state)
{
    struct job *job[6];

    (void)state;
    for (unsigned i = 0; i < WORKERS; i++)
        submit(100);
    wait_until_running(WORKERS);
    for (unsigned i = 0; i < 6; i++)
        job[i] = submit(i);
    /* the last, the first, one in the middle; then the queue goes on */
    assert_true(hf_pool_withdraw(&job[5]->task));
    assert_false(hf_pool_withdraw(&job[5]->task));
    assert_true(hf_pool_withdraw(&job[0]->task));
    assert_true(hf_pool_withdraw(&job[2]->task));
    free(job[5]);
    free(job[0]);
    free(job[2]);
    submit(6);
    set(HF_SET_MAX_IO_THREADS, 1);
    set_gate(true);
    wait_until_done(WORKERS + 4);
    bool seen[8] = {false};
    for (unsigned i = 0; i < done; i++)
        if (order[i] < 8)
            seen[order[i]] = true;
    assert_true(seen[1] && seen[3] && seen[4] && seen[6]);
    assert_false(seen[0] || seen[2] || seen[5]);
}

static void a_task_that_runs_cannot_be_withdrawn(void **state)
{
    struct job *job = submit(7);

    (void)state;
    wait_until_running(1);
    assert_false(hf_pool_withdraw(&job->task));
    set_gate(true);
    wait_until_done(1);
}

/* All of a queue withdrawn leaves a queue that works. */
static void an_emptied_queue_works(void **state)
{
    struct job *job[3];

    (void)state;
    for (unsigned i = 0; i < WORKERS; i++)
        submit(100);
    wait_until_running(WORKERS);
    for (unsigned i = 0; i < 3; i++)
        job[i] = submit(i);
    for (unsigned i = 3; i-- > 0;) {
        assert_true(hf_pool_withdraw(&job[i]->task));
        free(job[i]);
    }
    submit(1);
    set_gate(true);
    wait_until_done(WORKERS + 1);
    assert_int_equal(done, WORKERS + 1);
}

static sigset_t mask_of_worker;

static void look_at_mask(struct hf_task *task)
{
    pthread_sigmask(SIG_SETMASK, NULL, &mask_of_worker);
    (void)task;
    pthread_mutex_lock(&lock);
    done++;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static void workers_take_no_signals(void **state)
{
    struct hf_task task = {.run = look_at_mask};
    sigset_t mine;

    (void)state;
    assert_int_equal(hf_pool_submit(&task), 0);
    wait_until_done(1);
    for (int s = 1; s < SIGRTMAX; s++)
        if (s != SIGKILL && s != SIGSTOP && (s < 32 || s >= SIGRTMIN))
            assert_true(sigismember(&mask_of_worker, s));
    pthread_sigmask(SIG_SETMASK, NULL, &mine);
    assert_false(sigismember(&mine, SIGUSR1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(tasks_run_on_as_many_workers_as_set, begin),
        cmocka_unit_test_setup(waiting_tasks_can_be_withdrawn, begin),
        cmocka_unit_test_setup(a_task_that_runs_cannot_be_withdrawn, begin),
        cmocka_unit_test_setup(an_emptied_queue_works, begin),
        cmocka_unit_test_setup(workers_take_no_signals, begin),
    };

    load_default_settings();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
