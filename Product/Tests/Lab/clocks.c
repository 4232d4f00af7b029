// Preloaded into `aquifer` by the soak: the clock of the day is wrong by what a file says, and jumps when the file changes.
//
//   LAB_CLOCK=FILE   the first eight bytes of FILE are the error in nanoseconds, as a signed number of this machine
//
// The clocks that measure spans of time (CLOCK_MONOTONIC and its like) stay right, as they do when a user sets the time.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const volatile long long *wrong;

__attribute__((constructor)) static void start(void) {
    const char *path = getenv("LAB_CLOCK");
    if (!path) return;
    int file = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    if (file < 0) _exit(99);
    void *page = mmap(NULL, sizeof *wrong, PROT_READ, MAP_SHARED, file, 0);
    syscall(SYS_close, file);
    if (page == MAP_FAILED) _exit(99);
    wrong = page;
}

static long long now(clockid_t clock) {
    struct timespec time;
    syscall(SYS_clock_gettime, clock, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec + (wrong ? *wrong : 0);
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    if (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE) return (int)syscall(SYS_clock_gettime, clock, time);
    long long moment = now(clock);
    time->tv_sec = moment / 1000000000LL, time->tv_nsec = moment % 1000000000LL;
    return 0;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    (void)zone;
    long long moment = now(CLOCK_REALTIME);
    time->tv_sec = moment / 1000000000LL, time->tv_usec = moment % 1000000000LL / 1000;
    return 0;
}

time_t time(time_t *seconds) {
    time_t moment = (time_t)(now(CLOCK_REALTIME) / 1000000000LL);
    if (seconds) *seconds = moment;
    return moment;
}
