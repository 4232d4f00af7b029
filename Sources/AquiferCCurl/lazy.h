#pragma once

// On Linux libcurl is loaded when it is first called, not when the process starts: with its 33
// libraries it costs 5.6 ms, as much as all else that a short command does.
// Elsewhere it is linked.
//
// The header's declarations get other names, which nothing refers to; the functions below have the real ones, look
// libcurl's function up once, and call it. `aq_curl_missing` must have been asked before.

#ifndef __linux__
#include <curl/curl.h>

static inline const char *aq_curl_missing(void) { return 0; }
#else
#define curl_global_init aq_linked_curl_global_init
#define curl_slist_append aq_linked_curl_slist_append
#define curl_slist_free_all aq_linked_curl_slist_free_all
#define curl_easy_init aq_linked_curl_easy_init
#define curl_easy_cleanup aq_linked_curl_easy_cleanup
#define curl_easy_reset aq_linked_curl_easy_reset
#define curl_easy_pause aq_linked_curl_easy_pause
#define curl_easy_strerror aq_linked_curl_easy_strerror
#define curl_multi_init aq_linked_curl_multi_init
#define curl_multi_cleanup aq_linked_curl_multi_cleanup
#define curl_multi_add_handle aq_linked_curl_multi_add_handle
#define curl_multi_remove_handle aq_linked_curl_multi_remove_handle
#define curl_multi_socket_action aq_linked_curl_multi_socket_action
#define curl_multi_info_read aq_linked_curl_multi_info_read
#define curl_multi_strerror aq_linked_curl_multi_strerror
#include <curl/curl.h>
#undef curl_global_init
#undef curl_slist_append
#undef curl_slist_free_all
#undef curl_easy_init
#undef curl_easy_cleanup
#undef curl_easy_reset
#undef curl_easy_pause
#undef curl_easy_strerror
#undef curl_multi_init
#undef curl_multi_cleanup
#undef curl_multi_add_handle
#undef curl_multi_remove_handle
#undef curl_multi_socket_action
#undef curl_multi_info_read
#undef curl_multi_strerror

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static inline void *aq_curl_library(void) {
    // Loaded again each time, until it is there: it may be installed meanwhile, and a descriptor may be free again.
    void *library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
    return library ? library : dlopen("libcurl.so", RTLD_NOW | RTLD_LOCAL);
}

/// Why libcurl could not be loaded, after it could not. Valid until the thread calls it again.
static inline const char *aq_curl_why_missing(void) {
    static __thread char text[256];
    const char *reason = dlerror();
    // Each system says so of a file that is not there; everything else may pass.
    if (!reason || strstr(reason, "No such file")) return "libcurl is not installed (apt-get install libcurl4)";
    snprintf(text, sizeof text, "libcurl cannot be loaded now: %s", reason);
    return text;
}

static inline void *aq_curl_find(const char *name) {
    void *library = aq_curl_library();
    return library ? dlsym(library, name) : 0;
}

/// The name of the missing library and how to install it; NULL if nothing is missing. Call it before anything else.
static inline const char *aq_curl_missing(void) {
    static const char *const needed[] = {
        "curl_global_init", "curl_slist_append", "curl_slist_free_all", "curl_easy_init", "curl_easy_cleanup",
        "curl_easy_reset", "curl_easy_pause", "curl_easy_strerror", "curl_multi_init", "curl_multi_cleanup",
        "curl_multi_add_handle", "curl_multi_remove_handle", "curl_multi_socket_action", "curl_multi_info_read",
        "curl_multi_strerror", "curl_easy_setopt", "curl_easy_getinfo", "curl_multi_setopt",
    };
    void *library = aq_curl_library();
    if (!library) return aq_curl_why_missing();
    for (unsigned i = 0; i < sizeof needed / sizeof *needed; i++) {
        if (!dlsym(library, needed[i])) return "libcurl is too old; a newer one is needed (apt-get install libcurl4)";
    }
    return 0;
}

#define AQ_LAZY(declared, name) \
    (__extension__({ \
        static void *found; \
        void *function = __atomic_load_n(&found, __ATOMIC_ACQUIRE); \
        if (!function) { \
            function = aq_curl_find(#name); \
            __atomic_store_n(&found, function, __ATOMIC_RELEASE); \
        } \
        (__typeof__(&declared)) function; \
    }))
#define AQ_CALL(name) AQ_LAZY(aq_linked_##name, name)

static inline CURLcode curl_global_init(long flags) { return AQ_CALL(curl_global_init)(flags); }
static inline struct curl_slist *curl_slist_append(struct curl_slist *list, const char *text) {
    return AQ_CALL(curl_slist_append)(list, text);
}
static inline void curl_slist_free_all(struct curl_slist *list) { AQ_CALL(curl_slist_free_all)(list); }
static inline CURL *curl_easy_init(void) { return AQ_CALL(curl_easy_init)(); }
static inline void curl_easy_cleanup(CURL *easy) { AQ_CALL(curl_easy_cleanup)(easy); }
static inline void curl_easy_reset(CURL *easy) { AQ_CALL(curl_easy_reset)(easy); }
static inline CURLcode curl_easy_pause(CURL *easy, int directions) {
    return AQ_CALL(curl_easy_pause)(easy, directions);
}
static inline const char *curl_easy_strerror(CURLcode code) { return AQ_CALL(curl_easy_strerror)(code); }
static inline CURLM *curl_multi_init(void) { return AQ_CALL(curl_multi_init)(); }
static inline CURLMcode curl_multi_cleanup(CURLM *multi) { return AQ_CALL(curl_multi_cleanup)(multi); }
static inline CURLMcode curl_multi_add_handle(CURLM *multi, CURL *easy) {
    return AQ_CALL(curl_multi_add_handle)(multi, easy);
}
static inline CURLMcode curl_multi_remove_handle(CURLM *multi, CURL *easy) {
    return AQ_CALL(curl_multi_remove_handle)(multi, easy);
}
static inline CURLMcode curl_multi_socket_action(CURLM *multi, curl_socket_t socket, int events, int *running) {
    return AQ_CALL(curl_multi_socket_action)(multi, socket, events, running);
}
static inline CURLMsg *curl_multi_info_read(CURLM *multi, int *left) {
    return AQ_CALL(curl_multi_info_read)(multi, left);
}
static inline const char *curl_multi_strerror(CURLMcode code) { return AQ_CALL(curl_multi_strerror)(code); }

// Not libcurl's own: of the library that it is linked to. NULL if that is another one.
int aq_linked_SSL_has_pending(const void *ssl);
#define AQ_SSL_HAS_PENDING AQ_CALL(SSL_has_pending)

// The variadic ones are called from here only.
#undef curl_easy_setopt
#define curl_easy_setopt(...) AQ_LAZY(curl_easy_setopt, curl_easy_setopt)(__VA_ARGS__)
#undef curl_easy_getinfo
#define curl_easy_getinfo(...) AQ_LAZY(curl_easy_getinfo, curl_easy_getinfo)(__VA_ARGS__)
#undef curl_multi_setopt
#define curl_multi_setopt(...) AQ_LAZY(curl_multi_setopt, curl_multi_setopt)(__VA_ARGS__)
#endif
