// Reports the deallocation of Swift objects.
#pragma once

#include <stdbool.h>

#pragma clang assume_nonnull begin

/// Called before an object is deallocated. The other function receives the result after the deallocation.
typedef void *_Nullable (*apple_names_will_end)(void *object);
/// Called after the deallocation, unless the first function returned null.
typedef void (*apple_names_has_ended)(void *object, void *held);

/// Registers both functions for the objects of a class.
///
/// The metadata of a Swift class has a deallocating function, two words before its address point (the ABI of Swift on Linux). This function
/// replaces it by one that calls the original. The functions must be the same in every call. Returns false if this is not such a class,
/// or if its metadata is not writable.
bool apple_names_watch_class(
    const void *metadata, apple_names_will_end will_end, apple_names_has_ended has_ended);

#pragma clang assume_nonnull end
