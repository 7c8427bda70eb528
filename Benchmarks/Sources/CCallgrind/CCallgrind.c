#include "CCallgrind.h"

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
void callgrind_mark(const char *name) { CALLGRIND_DUMP_STATS_AT(name); }
#else
void callgrind_mark(const char *name) { (void)name; }
#endif
