#pragma once

// On Linux libmicrohttpd is loaded when it is first called, not when the process starts: it brings GnuTLS,
// and only a server needs it.
// Elsewhere it is linked.
//
// The header's declarations get other names, which nothing refers to; the functions below have the real ones, look
// libmicrohttpd's function up once, and call it. `aq_mhd_missing` must have been asked before.

#ifndef __linux__
#include <microhttpd.h>

static inline const char *aq_mhd_missing(void) { return 0; }
#else
#define MHD_add_response_header aq_linked_MHD_add_response_header
#define MHD_create_response_from_buffer aq_linked_MHD_create_response_from_buffer
#define MHD_create_response_from_callback aq_linked_MHD_create_response_from_callback
#define MHD_create_response_from_fd_at_offset64 aq_linked_MHD_create_response_from_fd_at_offset64
#define MHD_destroy_response aq_linked_MHD_destroy_response
#define MHD_queue_response aq_linked_MHD_queue_response
#define MHD_get_connection_values_n aq_linked_MHD_get_connection_values_n
#define MHD_suspend_connection aq_linked_MHD_suspend_connection
#define MHD_resume_connection aq_linked_MHD_resume_connection
#define MHD_quiesce_daemon aq_linked_MHD_quiesce_daemon
#define MHD_stop_daemon aq_linked_MHD_stop_daemon
#define MHD_get_version aq_linked_MHD_get_version
#include <microhttpd.h>
#undef MHD_add_response_header
#undef MHD_create_response_from_buffer
#undef MHD_create_response_from_callback
#undef MHD_create_response_from_fd_at_offset64
#undef MHD_destroy_response
#undef MHD_queue_response
#undef MHD_get_connection_values_n
#undef MHD_suspend_connection
#undef MHD_resume_connection
#undef MHD_quiesce_daemon
#undef MHD_stop_daemon
#undef MHD_get_version

#include <dlfcn.h>

static inline void *aq_mhd_library(void) {
    // Found again each time, until it is there: it may be installed meanwhile.
    void *library = dlopen("libmicrohttpd.so.12", RTLD_NOW | RTLD_LOCAL);
    return library ? library : dlopen("libmicrohttpd.so", RTLD_NOW | RTLD_LOCAL);
}

static inline void *aq_mhd_find(const char *name) {
    void *library = aq_mhd_library();
    return library ? dlsym(library, name) : 0;
}

/// The name of the missing library and how to install it; NULL if nothing is missing. Call it before anything else.
static inline const char *aq_mhd_missing(void) {
    static const char *const needed[] = {
        "MHD_add_response_header", "MHD_create_response_from_buffer", "MHD_create_response_from_callback",
        "MHD_create_response_from_fd_at_offset64", "MHD_destroy_response", "MHD_queue_response",
        "MHD_get_connection_values_n", "MHD_suspend_connection", "MHD_resume_connection", "MHD_quiesce_daemon",
        "MHD_stop_daemon", "MHD_start_daemon", "MHD_get_connection_info", "MHD_get_version",
    };
    void *library = aq_mhd_library();
    if (!library) return "libmicrohttpd is not installed (apt-get install libmicrohttpd12)";
    for (unsigned i = 0; i < sizeof needed / sizeof *needed; i++) {
        if (!dlsym(library, needed[i])) return "libmicrohttpd is too old; a newer one is needed (apt-get install libmicrohttpd12)";
    }
    return 0;
}

#define AQ_MHD_LAZY(declared, name) \
    (__extension__({ \
        static void *found; \
        void *function = __atomic_load_n(&found, __ATOMIC_ACQUIRE); \
        if (!function) { \
            function = aq_mhd_find(#name); \
            __atomic_store_n(&found, function, __ATOMIC_RELEASE); \
        } \
        (__typeof__(&declared)) function; \
    }))
#define AQ_MHD_CALL(name) AQ_MHD_LAZY(aq_linked_##name, name)

static inline enum MHD_Result MHD_add_response_header(struct MHD_Response *response, const char *name, const char *value) {
    return AQ_MHD_CALL(MHD_add_response_header)(response, name, value);
}
static inline struct MHD_Response *MHD_create_response_from_buffer(size_t size, void *buffer, enum MHD_ResponseMemoryMode mode) {
    return AQ_MHD_CALL(MHD_create_response_from_buffer)(size, buffer, mode);
}
static inline struct MHD_Response *MHD_create_response_from_callback(uint64_t size, size_t block, MHD_ContentReaderCallback reader, void *context, MHD_ContentReaderFreeCallback release) {
    return AQ_MHD_CALL(MHD_create_response_from_callback)(size, block, reader, context, release);
}
static inline struct MHD_Response *MHD_create_response_from_fd_at_offset64(uint64_t size, int file, uint64_t offset) {
    return AQ_MHD_CALL(MHD_create_response_from_fd_at_offset64)(size, file, offset);
}
static inline void MHD_destroy_response(struct MHD_Response *response) { AQ_MHD_CALL(MHD_destroy_response)(response); }
static inline enum MHD_Result MHD_queue_response(struct MHD_Connection *connection, unsigned int status, struct MHD_Response *response) {
    return AQ_MHD_CALL(MHD_queue_response)(connection, status, response);
}
static inline int MHD_get_connection_values_n(struct MHD_Connection *connection, enum MHD_ValueKind kind, MHD_KeyValueIteratorN each, void *context) {
    return AQ_MHD_CALL(MHD_get_connection_values_n)(connection, kind, each, context);
}
static inline void MHD_suspend_connection(struct MHD_Connection *connection) {
    AQ_MHD_CALL(MHD_suspend_connection)(connection);
}
static inline void MHD_resume_connection(struct MHD_Connection *connection) {
    AQ_MHD_CALL(MHD_resume_connection)(connection);
}
static inline MHD_socket MHD_quiesce_daemon(struct MHD_Daemon *daemon) {
    return AQ_MHD_CALL(MHD_quiesce_daemon)(daemon);
}
static inline const char *MHD_get_version(void) { return AQ_MHD_CALL(MHD_get_version)(); }
static inline void MHD_stop_daemon(struct MHD_Daemon *daemon) { AQ_MHD_CALL(MHD_stop_daemon)(daemon); }

// The variadic ones are called from here only.
#undef MHD_start_daemon
#define MHD_start_daemon(...) AQ_MHD_LAZY(MHD_start_daemon, MHD_start_daemon)(__VA_ARGS__)
#undef MHD_get_connection_info
#define MHD_get_connection_info(...) AQ_MHD_LAZY(MHD_get_connection_info, MHD_get_connection_info)(__VA_ARGS__)
#endif
