#include "CHeap.h"
#include <malloc.h>

size_t heapOctets(void) {
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}
