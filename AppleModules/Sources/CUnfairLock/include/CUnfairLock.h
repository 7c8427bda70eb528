// The lock of <os/lock.h>, with Apple's names, over a Linux futex.
#pragma once

#include <stdbool.h>
#include <stdint.h>

/// A lock of four octets. Zero is unlocked; else the thread that holds it, with the highest bit set while others wait.
/// It must not move while it is in use: keep it in memory of your own, or use `OSAllocatedUnfairLock`.
typedef struct os_unfair_lock_s {
    uint32_t _os_unfair_lock_opaque;
} os_unfair_lock, *os_unfair_lock_t;

#define OS_UNFAIR_LOCK_INIT ((os_unfair_lock){0})

#pragma clang assume_nonnull begin

/// Waits for the lock and takes it. A thread that holds it already ends the program.
void os_unfair_lock_lock(os_unfair_lock_t lock);

/// Acquires the lock if it is free, and returns whether it did.
bool os_unfair_lock_trylock(os_unfair_lock_t lock) __attribute__((warn_unused_result));

/// Releases the lock. A thread that does not hold it ends the program.
void os_unfair_lock_unlock(os_unfair_lock_t lock);

/// Ends the program unless this thread holds the lock.
void os_unfair_lock_assert_owner(const os_unfair_lock *lock);

/// Ends the program if this thread holds the lock.
void os_unfair_lock_assert_not_owner(const os_unfair_lock *lock);

#pragma clang assume_nonnull end
