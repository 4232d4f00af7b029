#pragma once
#include <zlib.h>

// The functions of zlib that AquiferCurl needs to decode `gzip`, and App to make it, under names of our own.
//
// On Linux zlib is loaded with the first request, as libcurl is, which needs it, too: it costs nothing then, and a command
// that asks no remote does not wait for it. Elsewhere it is linked.

#ifndef __linux__
static inline int aq_zlib_is_there(void) { return 1; }
#define AQ_ZLIB(name) name
#else
#include <dlfcn.h>

static inline void *aq_zlib_find(const char *name) {
    // Loaded again each time, until it is there: a failure (no descriptor was left) may have passed.
    void *library = dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL);
    return library ? dlsym(library, name) : 0;
}

#define AQ_ZLIB(name) \
    (__extension__({ \
        static void *found; \
        void *function = __atomic_load_n(&found, __ATOMIC_ACQUIRE); \
        if (!function) { \
            function = aq_zlib_find(#name); \
            __atomic_store_n(&found, function, __ATOMIC_RELEASE); \
        } \
        (__typeof__(&name)) function; \
    }))

/// True if the functions below can be called. Call it before the first of them.
static inline int aq_zlib_is_there(void) {
    return AQ_ZLIB(inflateInit2_) && AQ_ZLIB(inflate) && AQ_ZLIB(inflateReset) && AQ_ZLIB(inflateEnd);
}
#endif

/// Begins to decode `gzip`, and nothing else.
static inline int aq_inflate_begin(z_stream *stream) {
    return AQ_ZLIB(inflateInit2_)(stream, 16 + MAX_WBITS, ZLIB_VERSION, (int) sizeof *stream);
}
static inline int aq_inflate(z_stream *stream) { return AQ_ZLIB(inflate)(stream, Z_NO_FLUSH); }
/// Begins the next member of a `gzip` file.
static inline int aq_inflate_again(z_stream *stream) { return AQ_ZLIB(inflateReset)(stream); }
static inline int aq_inflate_end(z_stream *stream) { return AQ_ZLIB(inflateEnd)(stream); }

/// Begins a stream of `gzip` that is written over a long time, with less memory than is usual. `Z_MEM_ERROR` also if zlib is not there.
static inline int aq_deflate_begin(z_stream *stream) {
#ifdef __linux__
    if (!(AQ_ZLIB(deflateInit2_) && AQ_ZLIB(deflate) && AQ_ZLIB(deflateEnd))) return Z_MEM_ERROR;
#endif
    return AQ_ZLIB(deflateInit2_)(stream, 3, Z_DEFLATED, 16 + 14, 6, Z_DEFAULT_STRATEGY, ZLIB_VERSION, (int) sizeof *stream);
}
/// Compresses what there is. All of it can be read then.
static inline void aq_deflate(z_stream *stream, int isLast) { AQ_ZLIB(deflate)(stream, isLast ? Z_FINISH : Z_SYNC_FLUSH); }
static inline void aq_deflate_end(z_stream *stream) { AQ_ZLIB(deflateEnd)(stream); }

/// Compresses `length` bytes into one member of `gzip`, as small as it can be. Returns the number of bytes written; 0 if zlib is not
/// there, there is no memory, or they do not fit.
static inline size_t aq_gzip(const unsigned char *bytes, size_t length, unsigned char *into, size_t room) {
#ifdef __linux__
    if (!(AQ_ZLIB(deflateInit2_) && AQ_ZLIB(deflate) && AQ_ZLIB(deflateEnd))) return 0;
#endif
    z_stream stream = {0};
    if (AQ_ZLIB(deflateInit2_)(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, 16 + MAX_WBITS, 9, Z_DEFAULT_STRATEGY, ZLIB_VERSION, (int) sizeof stream) != Z_OK) return 0;
    stream.next_in = (unsigned char *) bytes;
    stream.avail_in = (uInt) length;
    stream.next_out = into;
    stream.avail_out = (uInt) room;
    int isWhole = AQ_ZLIB(deflate)(&stream, Z_FINISH) == Z_STREAM_END;
    size_t written = room - stream.avail_out;
    AQ_ZLIB(deflateEnd)(&stream);
    return isWhole ? written : 0;
}
