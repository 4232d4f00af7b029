#ifndef AQUIFER_C_HEAP_H
#define AQUIFER_C_HEAP_H

#include <stddef.h>

/// The bytes that this process has allocated and not freed. 0 where that is not counted: on Apple's systems, with musl, and
/// under the address sanitizer, which has a heap of its own.
size_t bytes_in_use(void);

#endif
