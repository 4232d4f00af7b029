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

static inline CURLcode aq_curl_get_size(CURL *easy, CURLINFO info, curl_off_t *value) {
    return curl_easy_getinfo(easy, info, value);
}

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/// True if a socket is the connection from a local port to an address, as text, and its port.
static inline int aq_is_connection(curl_socket_t socket, int local_port, const char *remote, int remote_port) {
    struct sockaddr_storage here, there;
    socklen_t here_length = sizeof here, there_length = sizeof there;
    char text[INET6_ADDRSTRLEN];
    if (getsockname(socket, (struct sockaddr *) &here, &here_length) != 0) return 0;
    if (getpeername(socket, (struct sockaddr *) &there, &there_length) != 0) return 0;
    if (here.ss_family == AF_INET) {
        const struct sockaddr_in *from = (const struct sockaddr_in *) &here, *to = (const struct sockaddr_in *) &there;
        return ntohs(from->sin_port) == local_port && ntohs(to->sin_port) == remote_port
            && inet_ntop(AF_INET, &to->sin_addr, text, sizeof text) && strcmp(text, remote) == 0;
    }
    if (here.ss_family == AF_INET6) {
        const struct sockaddr_in6 *from = (const struct sockaddr_in6 *) &here, *to = (const struct sockaddr_in6 *) &there;
        return ntohs(from->sin6_port) == local_port && ntohs(to->sin6_port) == remote_port
            && inet_ntop(AF_INET6, &to->sin6_addr, text, sizeof text) && strcmp(text, remote) == 0;
    }
    return 0;
}

/// True if a socket has something to read, or is at its end.
static inline int aq_has_input(curl_socket_t socket) {
    char byte;
    return recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) >= 0 || (errno != EAGAIN && errno != EWOULDBLOCK);
}

/// True if OpenSSL holds something of the transfer's connection that nobody has read: it reads ahead of curl.
static inline int aq_curl_holds_input(CURL *easy) {
#ifdef AQ_SSL_HAS_PENDING
    struct curl_tlssessioninfo *tls = 0;
    if (curl_easy_getinfo(easy, CURLINFO_TLS_SSL_PTR, &tls) != CURLE_OK || !tls || !tls->internals) return 0;
    if (tls->backend != CURLSSLBACKEND_OPENSSL) return 0;
    int (*has_pending)(const void *) = AQ_SSL_HAS_PENDING;
    return has_pending && has_pending(tls->internals);
#else
    (void) easy;
    return 0;
#endif
}

typedef curl_socket_t (*aq_curl_opens)(void *context, curlsocktype purpose, struct curl_sockaddr *address);

static inline CURLcode aq_curl_set_opens(CURL *easy, CURLoption option, aq_curl_opens value) {
    return curl_easy_setopt(easy, option, value);
}

/// Opens a socket as curl itself would. Tells the system's reason if there is none, which curl does not.
static inline curl_socket_t aq_open_socket(const struct curl_sockaddr *address, int *failure) {
    int type = address->socktype;
#ifdef SOCK_CLOEXEC
    type |= SOCK_CLOEXEC;
#endif
    curl_socket_t opened = socket(address->family, type, address->protocol);
    *failure = opened < 0 ? errno : 0;
    return opened;
}

/// The system's reason if it does not give the few descriptors that the look-up of a name takes, else 0.
static inline int aq_descriptor_shortage(void) {
    int opened[4], count = 0, failure = 0;
    while (count < 4 && failure == 0) {
        struct curl_sockaddr address = { .family = AF_INET, .socktype = SOCK_DGRAM };
        opened[count] = aq_open_socket(&address, &failure);
        if (failure == 0) count++;
    }
    while (count > 0) close(opened[--count]);
    return failure;
}

typedef int (*aq_curl_opened)(void *context, curl_socket_t socket, curlsocktype purpose);

static inline CURLcode aq_curl_set_opened(CURL *easy, CURLoption option, aq_curl_opened value) {
    return curl_easy_setopt(easy, option, value);
}

#include <netinet/tcp.h>

/// Makes a socket discard what the system has not sent, when it is closed, or when the other side has confirmed nothing for a time.
static inline int aq_set_discarding(curl_socket_t socket, unsigned milliseconds) {
    const struct linger now = {.l_onoff = 1, .l_linger = 0};
#ifdef TCP_USER_TIMEOUT
    if (setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &milliseconds, sizeof milliseconds) != 0) return -1;
#endif
    (void) milliseconds;
    return setsockopt(socket, SOL_SOCKET, SO_LINGER, &now, sizeof now);
}

/// Makes it end as any other one.
static inline void aq_stop_discarding(curl_socket_t socket) {
    const struct linger later = {.l_onoff = 0, .l_linger = 0};
    setsockopt(socket, SOL_SOCKET, SO_LINGER, &later, sizeof later);
}
