#ifndef AQUIFER_C_HEAP_H
#define AQUIFER_C_HEAP_H

#include <stddef.h>

/// The bytes that this process has allocated and not freed. 0 where that is not counted: on Apple's systems, with musl, and
/// under the address sanitizer, which has a heap of its own.
size_t bytes_in_use(void);

/// Stops Swift Testing from remembering where each error of this process was thrown, for as long as it runs: some hundred bytes
/// for each error.
void forget_thrown_errors(void);

#endif
