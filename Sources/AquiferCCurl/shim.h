#pragma once
#include "lazy.h"

// Swift cannot call variadic C functions: one wrapper for each type of argument.

typedef size_t (*aq_curl_transfer)(char *bytes, size_t size, size_t count, void *context);
typedef int (*aq_curl_connected)(void *context, char *remote, char *local, int remote_port, int local_port);
typedef int (*aq_curl_seek)(void *context, curl_off_t offset, int origin);

static inline CURLcode aq_curl_set_long(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode aq_curl_set_size(CURL *easy, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode aq_curl_set_text(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode aq_curl_set_pointer(CURL *easy, CURLoption option, void *value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode aq_curl_set_transfer(CURL *easy, CURLoption option, aq_curl_transfer value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode aq_curl_set_seek(CURL *easy, CURLoption option, aq_curl_seek value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode aq_curl_set_connected(CURL *easy, CURLoption option, aq_curl_connected value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode aq_curl_get_long(CURL *easy, CURLINFO info, long *value) {
    return curl_easy_getinfo(easy, info, value);
}
static inline CURLMcode aq_curl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

typedef int (*aq_curl_socket)(CURL *easy, curl_socket_t socket, int what, void *context, void *socket_context);
typedef int (*aq_curl_timer)(CURLM *multi, long milliseconds, void *context);

static inline CURLMcode aq_curl_multi_set_pointer(CURLM *multi, CURLMoption option, void *value) {
    return curl_multi_setopt(multi, option, value);
}
static inline CURLMcode aq_curl_multi_set_socket(CURLM *multi, CURLMoption option, aq_curl_socket value) {
    return curl_multi_setopt(multi, option, value);
}
static inline CURLMcode aq_curl_multi_set_timer(CURLM *multi, CURLMoption option, aq_curl_timer value) {
    return curl_multi_setopt(multi, option, value);
}

#if defined(__linux__)
#include <linux/sockios.h>
#include <sys/ioctl.h>
#elif defined(__APPLE__)
#include <sys/socket.h>
#endif

/// The number of bytes that the system holds of what was sent, because the other side has not confirmed them; -1 if it does not say.
static inline long aq_unconfirmed(curl_socket_t socket) {
    int count = -1;
#if defined(__linux__)
    return ioctl(socket, SIOCOUTQ, &count) == 0 ? count : -1;
#elif defined(__APPLE__)
    socklen_t length = sizeof count;
    return getsockopt(socket, SOL_SOCKET, SO_NWRITE, &count, &length) == 0 ? count : -1;
#else
    return count;
#endif
}
