#include "CAppleNames.h"

#if !defined(__APPLE__)

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/// The function of a class that ends an object, in Swift's calling convention.
typedef __attribute__((swiftcall)) void (*ending)(__attribute__((swift_context)) void *);

typedef struct watched_class {
    const void *metadata;
    ending original;
    struct watched_class *next;
} watched_class;

enum { BUCKETS = 256 };
static watched_class *watched[BUCKETS];
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static apple_names_will_end will_end_function;
static apple_names_has_ended has_ended_function;

static size_t bucket(const void *metadata) { return ((uintptr_t)metadata >> 4) % BUCKETS; }

static ending find(const void *metadata) {
    for (watched_class *item = watched[bucket(metadata)]; item; item = item->next) {
        if (item->metadata == metadata) return item->original;
    }
    return NULL;
}

static __attribute__((swiftcall)) void end(__attribute__((swift_context)) void *object) {
    pthread_rwlock_rdlock(&lock);
    ending original = find(*(const void **)object);
    apple_names_will_end will_end = will_end_function;
    apple_names_has_ended has_ended = has_ended_function;
    pthread_rwlock_unlock(&lock);
    if (!original) abort();
    void *held = will_end(object);
    original(object);
    if (held) has_ended(object, held);
}

/// Puts `end` where a class has its function. The page may be read-only.
static bool replace(ending *slot) {
    uintptr_t size = (uintptr_t)sysconf(_SC_PAGESIZE);
    void *page = (void *)((uintptr_t)slot & ~(size - 1));
    if (mprotect(page, size, PROT_READ | PROT_WRITE) != 0) return false;
    __atomic_store_n(slot, end, __ATOMIC_RELEASE);
    return true;
}

bool apple_names_watch_class(
    const void *metadata, apple_names_will_end will_end, apple_names_has_ended has_ended) {
    // The first word tells the kind of type: 0 is a class of Swift.
    if (*(const uintptr_t *)metadata != 0) return false;
    pthread_rwlock_wrlock(&lock);
    bool done = find(metadata) != NULL;
    watched_class *item = done ? NULL : malloc(sizeof *item);
    if (item) {
        will_end_function = will_end;
        has_ended_function = has_ended;
        ending *slot = (ending *)metadata - 2;
        *item = (watched_class){metadata, *slot, watched[bucket(metadata)]};
        watched[bucket(metadata)] = item;
        done = replace(slot);
        if (!done) {
            watched[bucket(metadata)] = item->next;
            free(item);
        }
    }
    pthread_rwlock_unlock(&lock);
    return done;
}

#else

bool apple_names_watch_class(
    const void *metadata, apple_names_will_end will_end, apple_names_has_ended has_ended) {
    return false;
}

#endif
