// Preloaded into `aquifer` by the lab: counts the calls of the system, and lets one of them fail.
//
// A call belongs to the library that makes it: "aquifer" is the program itself, with all of its Swift code.
//
//   LAB_COUNT=FILE                     at the end, FILE has a line "CALLER CALL COUNT" for each call that was made
//   LAB_FAULT="CALLER CALL N ACTION"   call number N (from 1) of CALLER does ACTION instead, or as well:
//                                      a number  it fails with this errno (for getaddrinfo: with this EAI code)
//                                      short     it reads or writes one byte only, if it was to do more
//                                      kill      the process is killed before the call
//                                      after     the process is killed after the call
//                                      late:N    it begins N seconds late
//   LAB_STRUCK=FILE                    FILE is made when the fault strikes
//   LAB_NAMES=1                        names that end with .lab.test are this machine
//   LAB_RECORD=FILE                    FILE gets everything that changes files, in order (see power.py)
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

// Callers

static const char *const callers[] = {"aquifer", "sqlite", "curl", "microhttpd", "foundation", "sodium", "other"};
enum { CALLERS = sizeof callers / sizeof *callers, OTHER = CALLERS - 1 };

static int caller_named(const char *file) {
    static const struct { const char *part; int caller; } known[] = {
        {"libsqlite3", 1}, {"libcurl", 2}, {"libmicrohttpd", 3}, {"libFoundation", 4}, {"libsodium", 5}};
    if (!*file) return 0;  // the program itself
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strstr(file, known[i].part)) return known[i].caller;
    return OTHER;
}

static struct { uintptr_t from, to; int caller; } ranges[64];
static atomic_int range_count;

static int add_ranges(struct dl_phdr_info *info, size_t size, void *unused) {
    (void)size, (void)unused;
    int caller = caller_named(info->dlpi_name);
    if (caller == OTHER) return 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_X)) continue;
        uintptr_t from = info->dlpi_addr + part->p_vaddr;
        int count = atomic_load(&range_count), known = 0;
        for (int j = 0; j < count; j++) known |= ranges[j].from == from;
        if (known || count == 64) continue;
        ranges[count].from = from, ranges[count].to = from + part->p_memsz, ranges[count].caller = caller;
        atomic_store(&range_count, count + 1);
    }
    return 0;
}

static int caller_at(const void *address) {
    int count = atomic_load(&range_count);
    for (int i = 0; i < count; i++)
        if ((uintptr_t)address >= ranges[i].from && (uintptr_t)address < ranges[i].to) return ranges[i].caller;
    return OTHER;
}

// Calls

#define EACH_CALL(X) \
    X(open) X(close) X(read) X(pread) X(write) X(pwrite) X(writev) X(fsync) X(fdatasync) X(ftruncate) X(rename) X(unlink) \
    X(mkdir) X(link) X(stat) X(lstat) X(fstat) X(access) X(chmod) X(fchmod) X(flock) X(fcntl) X(opendir) X(readdir) \
    X(mmap) X(malloc) X(calloc) X(realloc) X(socket) X(connect) X(bind) X(listen) X(accept) X(send) X(sendto) X(recv) \
    X(recvfrom) X(setsockopt) X(getsockopt) X(getsockname) X(poll) X(epoll_create1) X(epoll_ctl) X(epoll_wait) X(eventfd) \
    X(timerfd_create) X(pipe) X(getaddrinfo) X(pthread_create) X(getrandom) X(realpath) X(readlink) X(utimes) \
    X(socketpair)

#define ENUM(name) CALL_##name,
enum { EACH_CALL(ENUM) CALLS };
#define NAME(name) #name,
static const char *const calls[] = {EACH_CALL(NAME)};

static atomic_long counts[CALLERS][CALLS];

// The fault

enum { FAIL = 1, SHORT, KILL, AFTER, LATE };
static int fault_caller = -1, fault_call, fault_action, fault_code;
static long fault_number;
static char struck_file[PATH_MAX], count_file[PATH_MAX];
static int record = -1;

static void strike(void) {
    if (!*struck_file) return;
    int file = (int)syscall(SYS_openat, AT_FDCWD, struck_file, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    if (file >= 0) syscall(SYS_close, file);
}

static void die(void) {
    strike();
    syscall(SYS_kill, getpid(), SIGKILL);
    for (;;) pause();
}

/// Waits as a disk, a lock or a server of names can: no signal cuts the wait short.
static void wait_long(void) {
    struct timespec end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_sec += fault_code;
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL) == EINTR) {}
}

/// Counts a call. Returns the action of the fault if it strikes here, otherwise 0.
static int begin(int call, const void *address) {
    int caller = caller_at(address);
    long number = atomic_fetch_add(&counts[caller][call], 1) + 1;
    if (caller != fault_caller || call != fault_call || number != fault_number) return 0;
    if (fault_action == KILL) die();
    if (fault_action == FAIL || fault_action == LATE) strike();
    if (fault_action == LATE) wait_long();
    return fault_action;
}

static void write_counts(void) {
    if (!*count_file) return;
    FILE *file = fopen(count_file, "w");
    if (!file) return;
    for (int i = 0; i < CALLERS; i++)
        for (int j = 0; j < CALLS; j++)
            if (counts[i][j]) fprintf(file, "%s %s %ld\n", callers[i], calls[j], counts[i][j]);
    fclose(file);
}

static int find(const char *const *names, int count, const char *name) {
    for (int i = 0; i < count; i++)
        if (!strcmp(names[i], name)) return i;
    fprintf(stderr, "lab: unknown name in LAB_FAULT: %s\n", name);
    _exit(99);
}

__attribute__((constructor)) static void start(void) {
    dl_iterate_phdr(add_ranges, NULL);
    const char *value;
    if ((value = getenv("LAB_STRUCK"))) snprintf(struck_file, sizeof struck_file, "%s", value);
    if ((value = getenv("LAB_COUNT"))) snprintf(count_file, sizeof count_file, "%s", value);
    if ((value = getenv("LAB_RECORD")))
        record = (int)syscall(SYS_openat, AT_FDCWD, value, O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0600);
    char caller[32], call[32], action[32];
    if ((value = getenv("LAB_FAULT"))) {
        if (sscanf(value, "%31s %31s %ld %31s", caller, call, &fault_number, action) != 4) _exit(99);
        fault_call = find(calls, CALLS, call);
        fault_action = !strcmp(action, "short") ? SHORT : !strcmp(action, "kill") ? KILL : !strcmp(action, "after") ? AFTER
            : !strncmp(action, "late:", 5) ? LATE : FAIL;
        fault_code = atoi(fault_action == LATE ? action + 5 : action);
        fault_caller = find(callers, CALLERS, caller);
    }
    memset(counts, 0, sizeof counts);  // what was called before is the loader's
}

// The release program leaves by `_exit`, which runs no destructor.
__attribute__((destructor)) static void end(void) { write_counts(); }

void _exit(int status) {
    write_counts();
    for (;;) syscall(SYS_exit_group, status);
}

// The record of what changes files, for power.py: a line of text for each change, then the bytes that it wrote.

static pthread_mutex_t record_lock = PTHREAD_MUTEX_INITIALIZER;

static void note(const char *text, int length, const void *bytes, size_t count) {
    struct iovec parts[] = {{(void *)text, (size_t)length}, {(void *)bytes, count}};
    syscall(SYS_writev, record, parts, count ? 2 : 1);
}

static int path_of(int file, char *path) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = syscall(SYS_readlinkat, AT_FDCWD, link, path, PATH_MAX - 1);
    if (length <= 0 || path[0] != '/') return 0;
    path[length] = 0;
    return 1;
}

static void record_file(const char *what, int file, long long number, const void *bytes, size_t count) {
    char path[PATH_MAX], line[PATH_MAX + 96];
    if (record < 0 || !path_of(file, path)) return;
    note(line, snprintf(line, sizeof line, "%s %lld %zu %s\n", what, number, count, path), bytes, count);
}

static void record_names(const char *what, const char *one, const char *other) {
    char line[2 * PATH_MAX + 96], absolute[2][PATH_MAX];
    if (record < 0) return;
    const char *names[] = {one, other ? other : ""};
    for (int i = 0; i < 2; i++) {
        size_t used = 0;
        absolute[i][0] = 0;
        if (*names[i] && names[i][0] != '/' && getcwd(absolute[i], PATH_MAX - 1)) {
            used = strlen(absolute[i]);
            absolute[i][used++] = '/';
        }
        snprintf(absolute[i] + used, PATH_MAX - used, "%s", names[i]);
    }
    note(line, snprintf(line, sizeof line, "%s 0 0 %s\t%s\n", what, absolute[0], absolute[1]), NULL, 0);
}

#define LOCK_RECORD() int locked = record >= 0 && !pthread_mutex_lock(&record_lock)
#define UNLOCK_RECORD() if (locked) pthread_mutex_unlock(&record_lock)

// The calls themselves

#define NEXT(name) ({ static void *next; if (!next) next = dlsym(RTLD_NEXT, #name); (__typeof__(&name))next; })
#define CALLER __builtin_return_address(0)

/// The body of a call that has nothing but counting and failing.
#define PLAIN(call, real, failed, arguments) \
    int action = begin(CALL_##call, CALLER); \
    if (action == FAIL) { errno = fault_code; return failed; } \
    __typeof__(NEXT(real) arguments) result = NEXT(real) arguments; \
    if (action == AFTER) die(); \
    return result;

/// The body of a call that changes files: the change and its record are one step.
#define RECORDED(call, real, failed, arguments, recording) \
    int action = begin(CALL_##call, CALLER); \
    if (action == FAIL) { errno = fault_code; return failed; } \
    LOCK_RECORD(); \
    __typeof__(NEXT(real) arguments) result = NEXT(real) arguments; \
    int code = errno; \
    if (result >= 0 && record >= 0) { recording; } \
    UNLOCK_RECORD(); \
    errno = code; \
    if (action == AFTER) die(); \
    return result;

#define OPENING(name) \
    int name(const char *path, int flags, ...) { \
        mode_t mode = 0; \
        if (flags & (O_CREAT | __O_TMPFILE)) { va_list list; va_start(list, flags); mode = va_arg(list, mode_t); va_end(list); } \
        /* libdispatch looks now and then how busy its threads are, and traps when it cannot. No file of the program's is there. */ \
        if (strncmp(path, "/proc/", 6) == 0) return NEXT(name)(path, flags, mode); \
        int isNew = record >= 0 && (flags & O_CREAT) && syscall(SYS_faccessat, AT_FDCWD, path, F_OK) != 0; \
        RECORDED(open, name, -1, (path, flags, mode), { \
            if (isNew) record_file("create", result, 0, NULL, 0); \
            else if (flags & O_TRUNC) record_file("truncate", result, 0, NULL, 0); \
        }) \
    }
OPENING(open)
OPENING(open64)

int close(int file) {
    int action = begin(CALL_close, CALLER);
    int result = (int)syscall(SYS_close, file);
    if (action == AFTER) die();
    if (action == FAIL) { errno = fault_code; return -1; }  // the descriptor is gone all the same, as on Linux
    return result;
}

#define SHORTER(count) if (action == SHORT && (count) > 1) { strike(); count = 1; }

ssize_t read(int file, void *bytes, size_t count) {
    int action = begin(CALL_read, CALLER);
    if (action == FAIL) { errno = fault_code; return -1; }
    SHORTER(count)
    ssize_t result = NEXT(read)(file, bytes, count);
    if (action == AFTER) die();
    return result;
}
#define READING(name, offset_t) \
    ssize_t name(int file, void *bytes, size_t count, offset_t offset) { \
        int action = begin(CALL_pread, CALLER); \
        if (action == FAIL) { errno = fault_code; return -1; } \
        SHORTER(count) \
        ssize_t result = NEXT(name)(file, bytes, count, offset); \
        if (action == AFTER) die(); \
        return result; \
    }
READING(pread, off_t)
READING(pread64, off64_t)

ssize_t write(int file, const void *bytes, size_t count) {
    int action = begin(CALL_write, CALLER);
    if (action == FAIL) { errno = fault_code; return -1; }
    SHORTER(count)
    LOCK_RECORD();
    long long offset = record >= 0 ? syscall(SYS_lseek, file, 0, SEEK_CUR) : 0;
    ssize_t result = NEXT(write)(file, bytes, count);
    int code = errno;
    if (result > 0 && offset >= 0) record_file("write", file, offset, bytes, (size_t)result);
    UNLOCK_RECORD();
    errno = code;
    if (action == AFTER) die();
    return result;
}
#define WRITING(name, offset_t) \
    ssize_t name(int file, const void *bytes, size_t count, offset_t offset) { \
        int action = begin(CALL_pwrite, CALLER); \
        if (action == FAIL) { errno = fault_code; return -1; } \
        SHORTER(count) \
        LOCK_RECORD(); \
        ssize_t result = NEXT(name)(file, bytes, count, offset); \
        int code = errno; \
        if (result > 0) record_file("write", file, offset, bytes, (size_t)result); \
        UNLOCK_RECORD(); \
        errno = code; \
        if (action == AFTER) die(); \
        return result; \
    }
WRITING(pwrite, off_t)
WRITING(pwrite64, off64_t)

int fsync(int file) { RECORDED(fsync, fsync, -1, (file), record_file("flush", file, 0, NULL, 0)) }
int fdatasync(int file) { RECORDED(fdatasync, fdatasync, -1, (file), record_file("flush", file, 0, NULL, 0)) }
int ftruncate(int file, off_t size) { RECORDED(ftruncate, ftruncate, -1, (file, size), record_file("truncate", file, size, NULL, 0)) }
int ftruncate64(int file, off64_t size) { RECORDED(ftruncate, ftruncate64, -1, (file, size), record_file("truncate", file, size, NULL, 0)) }
int rename(const char *from, const char *to) { RECORDED(rename, rename, -1, (from, to), record_names("rename", from, to)) }
int unlink(const char *path) { RECORDED(unlink, unlink, -1, (path), record_names("unlink", path, NULL)) }
int mkdir(const char *path, mode_t mode) { RECORDED(mkdir, mkdir, -1, (path, mode), record_names("mkdir", path, NULL)) }
int link(const char *from, const char *to) { RECORDED(link, link, -1, (from, to), record_names("link", from, to)) }

ssize_t writev(int file, const struct iovec *parts, int count) { PLAIN(writev, writev, -1, (file, parts, count)) }
int stat(const char *path, struct stat *info) { PLAIN(stat, stat, -1, (path, info)) }
int stat64(const char *path, struct stat64 *info) { PLAIN(stat, stat64, -1, (path, info)) }
int lstat(const char *path, struct stat *info) { PLAIN(lstat, lstat, -1, (path, info)) }
int lstat64(const char *path, struct stat64 *info) { PLAIN(lstat, lstat64, -1, (path, info)) }
int fstat(int file, struct stat *info) { PLAIN(fstat, fstat, -1, (file, info)) }
int fstat64(int file, struct stat64 *info) { PLAIN(fstat, fstat64, -1, (file, info)) }
int access(const char *path, int mode) { PLAIN(access, access, -1, (path, mode)) }
int chmod(const char *path, mode_t mode) { PLAIN(chmod, chmod, -1, (path, mode)) }
int fchmod(int file, mode_t mode) { PLAIN(fchmod, fchmod, -1, (file, mode)) }
int flock(int file, int operation) { PLAIN(flock, flock, -1, (file, operation)) }
DIR *opendir(const char *path) { PLAIN(opendir, opendir, NULL, (path)) }
struct dirent *readdir(DIR *folder) { PLAIN(readdir, readdir, NULL, (folder)) }
char *realpath(const char *path, char *result_) { PLAIN(realpath, realpath, NULL, (path, result_)) }
ssize_t readlink(const char *path, char *bytes, size_t count) { PLAIN(readlink, readlink, -1, (path, bytes, count)) }
void *mmap(void *at, size_t size, int rights, int flags, int file, off_t offset) { PLAIN(mmap, mmap, MAP_FAILED, (at, size, rights, flags, file, offset)) }
void *mmap64(void *at, size_t size, int rights, int flags, int file, off64_t offset) { PLAIN(mmap, mmap64, MAP_FAILED, (at, size, rights, flags, file, offset)) }
int socket(int domain, int type, int protocol) { PLAIN(socket, socket, -1, (domain, type, protocol)) }
int socketpair(int domain, int type, int protocol, int pair[2]) { PLAIN(socketpair, socketpair, -1, (domain, type, protocol, pair)) }
int connect(int file, const struct sockaddr *address, socklen_t size) { PLAIN(connect, connect, -1, (file, address, size)) }
int bind(int file, const struct sockaddr *address, socklen_t size) { PLAIN(bind, bind, -1, (file, address, size)) }
int listen(int file, int backlog) { PLAIN(listen, listen, -1, (file, backlog)) }
int accept(int file, struct sockaddr *address, socklen_t *size) { PLAIN(accept, accept, -1, (file, address, size)) }
// Sent bytes are recorded, too: a power loss after it finds a server that may have acted.
ssize_t send(int file, const void *bytes, size_t count, int flags) { RECORDED(send, send, -1, (file, bytes, count, flags), record_names("send", "", NULL)) }
ssize_t sendto(int file, const void *bytes, size_t count, int flags, const struct sockaddr *to, socklen_t size) { PLAIN(sendto, sendto, -1, (file, bytes, count, flags, to, size)) }
ssize_t recv(int file, void *bytes, size_t count, int flags) { PLAIN(recv, recv, -1, (file, bytes, count, flags)) }
ssize_t recvfrom(int file, void *bytes, size_t count, int flags, struct sockaddr *from, socklen_t *size) { PLAIN(recvfrom, recvfrom, -1, (file, bytes, count, flags, from, size)) }
int setsockopt(int file, int level, int name, const void *value, socklen_t size) { PLAIN(setsockopt, setsockopt, -1, (file, level, name, value, size)) }
int getsockopt(int file, int level, int name, void *value, socklen_t *size) { PLAIN(getsockopt, getsockopt, -1, (file, level, name, value, size)) }
int getsockname(int file, struct sockaddr *address, socklen_t *size) { PLAIN(getsockname, getsockname, -1, (file, address, size)) }
int poll(struct pollfd *files, nfds_t count, int time) { PLAIN(poll, poll, -1, (files, count, time)) }
int epoll_create1(int flags) { PLAIN(epoll_create1, epoll_create1, -1, (flags)) }
int epoll_ctl(int file, int operation, int other, struct epoll_event *event) { PLAIN(epoll_ctl, epoll_ctl, -1, (file, operation, other, event)) }
int epoll_wait(int file, struct epoll_event *events, int most, int time) { PLAIN(epoll_wait, epoll_wait, -1, (file, events, most, time)) }
int eventfd(unsigned int value, int flags) { PLAIN(eventfd, eventfd, -1, (value, flags)) }
int timerfd_create(int clock, int flags) { PLAIN(timerfd_create, timerfd_create, -1, (clock, flags)) }
int pipe(int ends[2]) { PLAIN(pipe, pipe, -1, (ends)) }
int utimes(const char *path, const struct timeval times[2]) { PLAIN(utimes, utimes, -1, (path, times)) }
ssize_t getrandom(void *bytes, size_t count, unsigned int flags) { PLAIN(getrandom, getrandom, -1, (bytes, count, flags)) }
int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints, struct addrinfo **found) {
    size_t length = name ? strlen(name) : 0;
    int isOurs = getenv("LAB_NAMES") && length > 9 && !strcmp(name + length - 9, ".lab.test");
    const char *meant = isOurs ? "127.0.0.1" : name;
    PLAIN(getaddrinfo, getaddrinfo, fault_code, (meant, service, hints, found))
}
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument) {
    // Answers with the error itself
    PLAIN(pthread_create, pthread_create, fault_code, (thread, attributes, body, argument))
}

#define CONTROLLING(name) \
    int name(int file, int command, ...) { \
        va_list list; va_start(list, command); void *argument = va_arg(list, void *); va_end(list); \
        PLAIN(fcntl, name, -1, (file, command, argument)) \
    }
CONTROLLING(fcntl)
CONTROLLING(fcntl64)

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
#define ALLOCATING(call, arguments) \
    int action = begin(CALL_##call, CALLER); \
    if (action == FAIL) { errno = ENOMEM; return NULL; } \
    return __libc_##call arguments;
void *malloc(size_t size) { ALLOCATING(malloc, (size)) }
void *calloc(size_t count, size_t size) { ALLOCATING(calloc, (count, size)) }
void *realloc(void *memory, size_t size) { ALLOCATING(realloc, (memory, size)) }

void *dlopen(const char *file, int mode) {
    void *library = NEXT(dlopen)(file, mode);
    dl_iterate_phdr(add_ranges, NULL);
    return library;
}
