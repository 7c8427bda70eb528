#pragma once
#include <stddef.h>

/// Octets that this process has allocated and not freed. Exact while one thread alone allocates.
size_t faultHeapOctets(void);
