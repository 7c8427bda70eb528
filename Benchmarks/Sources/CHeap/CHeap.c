#include "CHeap.h"
#include <malloc.h>

// mallinfo2 counts one arena alone, so there is one.
__attribute__((constructor)) static void useOneArena(void) { mallopt(M_ARENA_MAX, 1); }

size_t heapOctets(void) {
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}
