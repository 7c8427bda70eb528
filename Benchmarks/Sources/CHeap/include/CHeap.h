#pragma once
#include <stddef.h>

/// Octets that this process has allocated and not freed.
size_t heapOctets(void);
