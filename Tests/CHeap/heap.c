#include "CHeap.h"

#include <stdlib.h>

#ifdef __GLIBC__
#include <malloc.h>

size_t bytes_in_use(void) {
    struct mallinfo2 info = mallinfo2();
    // Large blocks are mapped one by one.
    return info.uordblks + info.hblkhd;
}
#else
size_t bytes_in_use(void) { return 0; }
#endif
