// Tells when a Swift object ends.
#pragma once

#include <stdbool.h>

#pragma clang assume_nonnull begin

/// Called when an object is about to end. What it gives back is handed to the other function when the object has ended.
typedef void *_Nullable (*apple_names_will_end)(void *object);
/// Called when the object has ended, unless there was nothing to hand on.
typedef void (*apple_names_has_ended)(void *object, void *held);

/// Has both functions called for the objects of a class from now on.
///
/// A class of Swift has a function that ends its objects, two words before what its metadata points to (the ABI of Swift on Linux).
/// This puts another one there, which calls the first. The functions must be the same in every call. False if this is no such class,
/// or if its metadata cannot be written.
bool apple_names_watch_class(
    const void *metadata, apple_names_will_end will_end, apple_names_has_ended has_ended);

#pragma clang assume_nonnull end
