#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "CHeap.h"

#include <dlfcn.h>
#include <stdlib.h>

void forget_thrown_errors(void) {
    // What the runtime of Swift calls before an error is thrown; nothing, unless somebody asks for it.
    const char *hooks[] = {"_swift_willThrow", "_swift_willThrowTypedImpl"};
    for (int i = 0; i < 2; i++) {
        void **hook = dlsym(RTLD_DEFAULT, hooks[i]);
        if (hook) __atomic_store_n(hook, NULL, __ATOMIC_SEQ_CST);
    }
}

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
