#pragma once
#include <stdarg.h>
#include <string.h>
#include <sys/types.h>
#include <sys/socket.h>
#include "lazy.h"

#ifdef __linux__
// Not in Swift's Glibc module.
#include <sys/epoll.h>
#include <sys/eventfd.h>
#endif

// The daemon's own percent-decoding is switched off: it decodes in place, after which "/a%2Fb" and "/a/b"
// cannot be told apart, and a route or a folder could be escaped from.
static inline size_t aq_mhd_keep_escapes(void *cls, struct MHD_Connection *connection, char *text) {
    size_t length = 0;
    (void) cls;
    (void) connection;
    while (text[length] != 0) length++;
    return length;
}

// libmicrohttpd answers by itself to what it cannot parse, and tells nobody but its log, in one line that begins alike since
// version 0.9.38. The number in it is the status.
typedef void (*aq_mhd_refusal)(void *cls, unsigned int status);

// Swift's importer emits functions of a header and the variables in them, and no others.
static inline aq_mhd_refusal *aq_mhd_on_refusal(void) {
    static aq_mhd_refusal refused;
    return &refused;
}

static inline void aq_mhd_log(void *cls, const char *format, va_list values) {
    static const char line[] = "Error processing request (HTTP response code is %u";
    aq_mhd_refusal refused = __atomic_load_n(aq_mhd_on_refusal(), __ATOMIC_ACQUIRE);
    if (refused && strncmp(format, line, sizeof line - 1) == 0) refused(cls, va_arg(values, unsigned int));
}

// `MHD_start_daemon` is variadic, so Swift does not see it.
static inline struct MHD_Daemon *aq_mhd_start(
    int listening_socket, size_t connection_memory, unsigned int connection_limit, unsigned int idle_seconds,
    unsigned int threads, MHD_AccessHandlerCallback handler, MHD_RequestCompletedCallback completed,
    MHD_NotifyConnectionCallback notify, aq_mhd_refusal refused, void *cls) {
    // It is the same function for all servers.
    __atomic_store_n(aq_mhd_on_refusal(), refused, __ATOMIC_RELEASE);
    struct MHD_OptionItem pool[2] = {{MHD_OPTION_END, 0, NULL}, {MHD_OPTION_END, 0, NULL}};
    if (threads > 1) {
        pool[0].option = MHD_OPTION_THREAD_POOL_SIZE;
        pool[0].value = (intptr_t) threads;
    }
    return MHD_start_daemon(
        MHD_USE_AUTO | MHD_USE_INTERNAL_POLLING_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_TURBO | MHD_USE_ERROR_LOG, 0, NULL, NULL,
        handler, cls,
        // The first option, so that no line of the log goes anywhere else.
        MHD_OPTION_EXTERNAL_LOGGER, aq_mhd_log, cls,
        MHD_OPTION_LISTEN_SOCKET, (MHD_socket) listening_socket,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, connection_memory,
        MHD_OPTION_CONNECTION_LIMIT, connection_limit,
        MHD_OPTION_CONNECTION_TIMEOUT, idle_seconds,
        MHD_OPTION_STRICT_FOR_CLIENT, 1,
        MHD_OPTION_UNESCAPE_CALLBACK, aq_mhd_keep_escapes, NULL,
        MHD_OPTION_NOTIFY_COMPLETED, completed, cls,
        MHD_OPTION_NOTIFY_CONNECTION, notify, cls,
        MHD_OPTION_ARRAY, pool,
        MHD_OPTION_END);
}

// `MHD_get_connection_info` is variadic, too.
static inline int aq_mhd_socket(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info == NULL ? -1 : (int) info->connect_fd;
}

static inline const struct sockaddr *aq_mhd_client_address(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    return info == NULL ? NULL : info->client_addr;
}

static inline void *aq_mhd_socket_context(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info == NULL ? NULL : info->socket_context;
}

static inline size_t aq_mhd_header_size(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    return info == NULL ? 0 : info->header_size;
}

// Header fields and query items in one walk; the callback is told which is which.
static inline int aq_mhd_fields(struct MHD_Connection *connection, MHD_KeyValueIteratorN each, void *cls) {
    return MHD_get_connection_values_n(
        connection, (enum MHD_ValueKind) (MHD_HEADER_KIND | MHD_GET_ARGUMENT_KIND), each, cls);
}

static inline int aq_mhd_is_header(enum MHD_ValueKind kind) { return (kind & MHD_HEADER_KIND) != 0; }

// Results of a content reader (macros with casts).
static inline ssize_t aq_mhd_end_of_stream(void) { return MHD_CONTENT_READER_END_OF_STREAM; }
static inline ssize_t aq_mhd_end_with_error(void) { return MHD_CONTENT_READER_END_WITH_ERROR; }

// Swift shortens the names of these enumerations' cases differently with each version of the header.
static inline int aq_mhd_is_answered(enum MHD_RequestTerminationCode code) {
    return code == MHD_REQUEST_TERMINATED_COMPLETED_OK;
}
static inline int aq_mhd_is_opened(enum MHD_ConnectionNotificationCode code) {
    return code == MHD_CONNECTION_NOTIFY_STARTED;
}
