// The name of a thread: Swift does not import the function of either system on Linux.
#pragma once
#include <pthread.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

/// Names the thread that calls it, for debuggers.
static inline void aq_name_thread(const char *name) {
#ifdef __APPLE__
    pthread_setname_np(name);
#else
    prctl(PR_SET_NAME, name);
#endif
}
