#include "CFaultHeap.h"
#include <malloc.h>

size_t faultHeapOctets(void) {
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}
