#include "CUnfairLock.h"

#ifdef __linux__

#define _GNU_SOURCE
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define WAITERS 0x80000000u

// Thread identifiers of Linux stay below 2^22, so the highest bit is free.
static uint32_t current_thread(void) {
    static __thread uint32_t cached;
    if (cached == 0) cached = (uint32_t)syscall(SYS_gettid);
    return cached;
}

static void refuse(const char *sentence) {
    fprintf(stderr, "os_unfair_lock: %s\n", sentence);
    abort();
}

static bool exchange(uint32_t *word, uint32_t *expected, uint32_t desired) {
    return __atomic_compare_exchange_n(word, expected, desired, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

static void lock_slowly(uint32_t *word, uint32_t me) {
    // Whoever has waited takes the lock with the mark of waiters, since it cannot know whether it was the last.
    for (;;) {
        uint32_t value = __atomic_load_n(word, __ATOMIC_RELAXED);
        if (value == 0) {
            if (exchange(word, &value, me | WAITERS)) return;
            continue;
        }
        if ((value & ~WAITERS) == me) refuse("this thread holds the lock already");
        if (!(value & WAITERS)) {
            if (!exchange(word, &value, value | WAITERS)) continue;
            value |= WAITERS;
        }
        syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
    }
}

void os_unfair_lock_lock(os_unfair_lock_t lock) {
    uint32_t free = 0, me = current_thread();
    if (!exchange(&lock->_os_unfair_lock_opaque, &free, me)) lock_slowly(&lock->_os_unfair_lock_opaque, me);
}

bool os_unfair_lock_trylock(os_unfair_lock_t lock) {
    uint32_t free = 0;
    return exchange(&lock->_os_unfair_lock_opaque, &free, current_thread());
}

void os_unfair_lock_unlock(os_unfair_lock_t lock) {
    os_unfair_lock_assert_owner(lock);
    uint32_t old = __atomic_exchange_n(&lock->_os_unfair_lock_opaque, 0, __ATOMIC_RELEASE);
    if (old & WAITERS) syscall(SYS_futex, &lock->_os_unfair_lock_opaque, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static bool is_owner(const os_unfair_lock *lock) {
    uint32_t value = __atomic_load_n(&lock->_os_unfair_lock_opaque, __ATOMIC_RELAXED);
    return (value & ~WAITERS) == current_thread();
}

void os_unfair_lock_assert_owner(const os_unfair_lock *lock) {
    if (!is_owner(lock)) refuse("this thread does not hold the lock");
}

void os_unfair_lock_assert_not_owner(const os_unfair_lock *lock) {
    if (is_owner(lock)) refuse("this thread holds the lock");
}

#endif
