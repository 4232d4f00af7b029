#pragma once

// On Linux libpq is loaded when it is first called, not when the process starts: it brings 21 libraries (TLS, LDAP, Kerberos), which cost
// a command that asks no server twice as much as everything else that it does.
// Elsewhere it is linked.
//
// The header's declarations get other names, which nothing refers to; the functions below have the real ones, look
// libpq's function up once, and call it. `aq_pq_missing` must have been asked before.

#ifndef __linux__
#include <libpq-fe.h>

static inline const char *aq_pq_missing(void) { return 0; }
#else
#define PQclear aq_linked_PQclear
#define PQconnectPoll aq_linked_PQconnectPoll
#define PQconnectStartParams aq_linked_PQconnectStartParams
#define PQconnectionNeedsPassword aq_linked_PQconnectionNeedsPassword
#define PQconninfoFree aq_linked_PQconninfoFree
#define PQconninfoParse aq_linked_PQconninfoParse
#define PQconsumeInput aq_linked_PQconsumeInput
#define PQenterPipelineMode aq_linked_PQenterPipelineMode
#define PQerrorMessage aq_linked_PQerrorMessage
#define PQfinish aq_linked_PQfinish
#define PQflush aq_linked_PQflush
#define PQfreemem aq_linked_PQfreemem
#define PQgetResult aq_linked_PQgetResult
#define PQgetisnull aq_linked_PQgetisnull
#define PQgetlength aq_linked_PQgetlength
#define PQgetvalue aq_linked_PQgetvalue
#define PQisBusy aq_linked_PQisBusy
#define PQnotifies aq_linked_PQnotifies
#define PQntuples aq_linked_PQntuples
#define PQpipelineSync aq_linked_PQpipelineSync
#define PQreset aq_linked_PQreset
#define PQbackendPID aq_linked_PQbackendPID
#define PQresultErrorField aq_linked_PQresultErrorField
#define PQresultErrorMessage aq_linked_PQresultErrorMessage
#define PQresultStatus aq_linked_PQresultStatus
#define PQsendPrepare aq_linked_PQsendPrepare
#define PQsendQuery aq_linked_PQsendQuery
#define PQsendQueryParams aq_linked_PQsendQueryParams
#define PQsendQueryPrepared aq_linked_PQsendQueryPrepared
#define PQsetErrorVerbosity aq_linked_PQsetErrorVerbosity
#define PQsetNoticeReceiver aq_linked_PQsetNoticeReceiver
#define PQsetnonblocking aq_linked_PQsetnonblocking
#define PQsocket aq_linked_PQsocket
#define PQstatus aq_linked_PQstatus
// Debian has the header in a folder of its own; pkg-config, which knows it, would also link the library.
#if __has_include(<libpq-fe.h>)
#include <libpq-fe.h>
#elif __has_include(<postgresql/libpq-fe.h>)
#include <postgresql/libpq-fe.h>
#else
#include <pgsql/libpq-fe.h>
#endif
#undef PQclear
#undef PQconnectPoll
#undef PQconnectStartParams
#undef PQconnectionNeedsPassword
#undef PQconninfoFree
#undef PQconninfoParse
#undef PQconsumeInput
#undef PQenterPipelineMode
#undef PQerrorMessage
#undef PQfinish
#undef PQflush
#undef PQfreemem
#undef PQgetResult
#undef PQgetisnull
#undef PQgetlength
#undef PQgetvalue
#undef PQisBusy
#undef PQnotifies
#undef PQntuples
#undef PQpipelineSync
#undef PQreset
#undef PQbackendPID
#undef PQresultErrorField
#undef PQresultErrorMessage
#undef PQresultStatus
#undef PQsendPrepare
#undef PQsendQuery
#undef PQsendQueryParams
#undef PQsendQueryPrepared
#undef PQsetErrorVerbosity
#undef PQsetNoticeReceiver
#undef PQsetnonblocking
#undef PQsocket
#undef PQstatus

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static inline void *aq_pq_library(void) {
    // Loaded again each time, until it is there: it may be installed meanwhile, and a descriptor may be free again.
    void *library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
    return library ? library : dlopen("libpq.so", RTLD_NOW | RTLD_LOCAL);
}

/// Why libpq could not be loaded, after it could not. Valid until the thread calls it again.
static inline const char *aq_pq_why_missing(void) {
    static __thread char text[256];
    const char *reason = dlerror();
    // Each system says so of a file that is not there; everything else may pass.
    if (!reason || strstr(reason, "No such file")) return "libpq is not installed (apt-get install libpq5)";
    snprintf(text, sizeof text, "libpq cannot be loaded now: %s", reason);
    return text;
}

static inline void *aq_pq_find(const char *name) {
    void *library = aq_pq_library();
    return library ? dlsym(library, name) : 0;
}

/// The name of the missing library and how to install it; NULL if nothing is missing. Call it before anything else.
static inline const char *aq_pq_missing(void) {
    static const char *const needed[] = {
        "PQclear", "PQconnectPoll", "PQconnectStartParams", "PQconnectionNeedsPassword", "PQconninfoFree",
        "PQconninfoParse", "PQconsumeInput", "PQenterPipelineMode", "PQerrorMessage", "PQfinish", "PQflush",
        "PQfreemem", "PQgetResult", "PQgetisnull", "PQgetlength", "PQgetvalue", "PQisBusy", "PQnotifies", "PQntuples",
        "PQpipelineSync", "PQreset", "PQbackendPID", "PQresultErrorField", "PQresultErrorMessage", "PQresultStatus",
        "PQsendPrepare", "PQsendQuery", "PQsendQueryParams", "PQsendQueryPrepared", "PQsetErrorVerbosity",
        "PQsetNoticeReceiver", "PQsetnonblocking", "PQsocket", "PQstatus",
    };
    void *library = aq_pq_library();
    if (!library) return aq_pq_why_missing();
    for (unsigned i = 0; i < sizeof needed / sizeof *needed; i++) {
        if (!dlsym(library, needed[i])) return "libpq is too old; version 14 is needed (apt-get install libpq5)";
    }
    return 0;
}

#define AQ_PQ_CALL(name) \
    (__extension__({ \
        static void *found; \
        void *function = __atomic_load_n(&found, __ATOMIC_ACQUIRE); \
        if (!function) { \
            function = aq_pq_find(#name); \
            __atomic_store_n(&found, function, __ATOMIC_RELEASE); \
        } \
        (__typeof__(&aq_linked_##name)) function; \
    }))

static inline void PQclear(PGresult *result) {
    AQ_PQ_CALL(PQclear)(result);
}
static inline PostgresPollingStatusType PQconnectPoll(PGconn *connection) {
    return AQ_PQ_CALL(PQconnectPoll)(connection);
}
static inline PGconn *PQconnectStartParams(const char *const *names, const char *const *values, int expands) {
    return AQ_PQ_CALL(PQconnectStartParams)(names, values, expands);
}
static inline int PQconnectionNeedsPassword(const PGconn *connection) {
    return AQ_PQ_CALL(PQconnectionNeedsPassword)(connection);
}
static inline void PQconninfoFree(PQconninfoOption *options) {
    AQ_PQ_CALL(PQconninfoFree)(options);
}
static inline PQconninfoOption *PQconninfoParse(const char *text, char **error) {
    return AQ_PQ_CALL(PQconninfoParse)(text, error);
}
static inline int PQconsumeInput(PGconn *connection) {
    return AQ_PQ_CALL(PQconsumeInput)(connection);
}
static inline int PQenterPipelineMode(PGconn *connection) {
    return AQ_PQ_CALL(PQenterPipelineMode)(connection);
}
static inline char *PQerrorMessage(const PGconn *connection) {
    return AQ_PQ_CALL(PQerrorMessage)(connection);
}
static inline void PQfinish(PGconn *connection) {
    AQ_PQ_CALL(PQfinish)(connection);
}
static inline int PQflush(PGconn *connection) {
    return AQ_PQ_CALL(PQflush)(connection);
}
static inline void PQfreemem(void *memory) {
    AQ_PQ_CALL(PQfreemem)(memory);
}
static inline PGresult *PQgetResult(PGconn *connection) {
    return AQ_PQ_CALL(PQgetResult)(connection);
}
static inline int PQgetisnull(const PGresult *result, int row, int column) {
    return AQ_PQ_CALL(PQgetisnull)(result, row, column);
}
static inline int PQgetlength(const PGresult *result, int row, int column) {
    return AQ_PQ_CALL(PQgetlength)(result, row, column);
}
static inline char *PQgetvalue(const PGresult *result, int row, int column) {
    return AQ_PQ_CALL(PQgetvalue)(result, row, column);
}
static inline int PQisBusy(PGconn *connection) {
    return AQ_PQ_CALL(PQisBusy)(connection);
}
static inline PGnotify *PQnotifies(PGconn *connection) {
    return AQ_PQ_CALL(PQnotifies)(connection);
}
static inline int PQntuples(const PGresult *result) {
    return AQ_PQ_CALL(PQntuples)(result);
}
static inline int PQpipelineSync(PGconn *connection) {
    return AQ_PQ_CALL(PQpipelineSync)(connection);
}
static inline void PQreset(PGconn *connection) {
    AQ_PQ_CALL(PQreset)(connection);
}
static inline int PQbackendPID(const PGconn *connection) {
    return AQ_PQ_CALL(PQbackendPID)(connection);
}
static inline char *PQresultErrorField(const PGresult *result, int field) {
    return AQ_PQ_CALL(PQresultErrorField)(result, field);
}
static inline char *PQresultErrorMessage(const PGresult *result) {
    return AQ_PQ_CALL(PQresultErrorMessage)(result);
}
static inline ExecStatusType PQresultStatus(const PGresult *result) {
    return AQ_PQ_CALL(PQresultStatus)(result);
}
static inline int PQsendPrepare(
    PGconn *connection, const char *name, const char *query, int count, const Oid *types
) {
    return AQ_PQ_CALL(PQsendPrepare)(connection, name, query, count, types);
}
static inline int PQsendQuery(PGconn *connection, const char *query) {
    return AQ_PQ_CALL(PQsendQuery)(connection, query);
}
static inline int PQsendQueryParams(
    PGconn *connection, const char *query, int count, const Oid *types, const char *const *values, const int
    *lengths, const int *formats, int format
) {
    return AQ_PQ_CALL(PQsendQueryParams)(connection, query, count, types, values, lengths, formats, format);
}
static inline int PQsendQueryPrepared(
    PGconn *connection, const char *name, int count, const char *const *values, const int *lengths, const int
    *formats, int format
) {
    return AQ_PQ_CALL(PQsendQueryPrepared)(connection, name, count, values, lengths, formats, format);
}
static inline PGVerbosity PQsetErrorVerbosity(PGconn *connection, PGVerbosity verbosity) {
    return AQ_PQ_CALL(PQsetErrorVerbosity)(connection, verbosity);
}
static inline PQnoticeReceiver PQsetNoticeReceiver(PGconn *connection, PQnoticeReceiver receiver, void *argument) {
    return AQ_PQ_CALL(PQsetNoticeReceiver)(connection, receiver, argument);
}
static inline int PQsetnonblocking(PGconn *connection, int isNonblocking) {
    return AQ_PQ_CALL(PQsetnonblocking)(connection, isNonblocking);
}
static inline int PQsocket(const PGconn *connection) {
    return AQ_PQ_CALL(PQsocket)(connection);
}
static inline ConnStatusType PQstatus(const PGconn *connection) {
    return AQ_PQ_CALL(PQstatus)(connection);
}
#endif
