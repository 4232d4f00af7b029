// libpq and hiredis alone, as a worker: a loop over one prepared statement or command, which checks nothing and tells nobody.
// `shared ENGINE WORK SIZE WIDTH COUNT ADDRESS` answers with the seconds of one operation. WIDTH 1 waits for each answer; more are sent
// in turn on one connection, and each answer makes room for the next one.
#include <arpa/inet.h>
#include <hiredis/hiredis.h>
#include <libpq-fe.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { VALUES = 7, MOST = 1 << 20 };

static char *values[VALUES];
static int size, turn, written, keys;

static void stop(const char *why) {
    printf("failed: %s\n", why);
    exit(1);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

static void prepare(int bytes) {
    size = bytes;
    keys = (16 << 20) / size;
    if (keys > 1000) keys = 1000;
    for (int number = 0; number < VALUES; number++) {
        values[number] = realloc(values[number], size);
        for (int i = 0; i < size; i++) values[number][i] = (char)((i + number) * 31 + (i >> 8));
    }
}

static const char *next_key(void) {
    static char key[32];
    snprintf(key, sizeof key, "k%d", ++turn * 7919 % keys);
    return key;
}

static const char *next_value(void) { return values[++written % VALUES]; }

// ---- PostgreSQL

static PGconn *pg;

static void pg_run(const char *sql) {
    PGresult *result = PQexec(pg, sql);
    if (PQresultStatus(result) != PGRES_COMMAND_OK) stop(PQerrorMessage(pg));
    PQclear(result);
}

static void pg_check(PGresult *result, int reads) {
    if (PQresultStatus(result) != (reads ? PGRES_TUPLES_OK : PGRES_COMMAND_OK)) stop(PQerrorMessage(pg));
    if (reads && PQgetlength(result, 0, 0) != size) stop("an entry is missing");
    PQclear(result);
}

static void pg_words(int reads, const char **words, int *lengths) {
    words[0] = next_key();
    lengths[0] = strlen(words[0]);
    if (reads) return;
    words[1] = next_value();
    lengths[1] = size;
}

static void pg_one(int reads) {
    const char *words[2];
    int lengths[2], formats[2] = {1, 1};
    pg_words(reads, words, lengths);
    pg_check(PQexecPrepared(pg, reads ? "read" : "insert", reads ? 1 : 2, words, lengths, formats, 1), reads);
}

static void pg_send(int reads) {
    const char *words[2];
    int lengths[2], formats[2] = {1, 1};
    pg_words(reads, words, lengths);
    if (!PQsendQueryPrepared(pg, reads ? "read" : "insert", reads ? 1 : 2, words, lengths, formats, 1)
        || !PQpipelineSync(pg))
        stop(PQerrorMessage(pg));
}

static void pg_many(int reads, int width, int count) {
    int sent = 0, done = 0;
    if (!PQenterPipelineMode(pg) || PQsetnonblocking(pg, 1)) stop(PQerrorMessage(pg));
    while (done < count) {
        while (sent < count && sent - done < width) pg_send(reads), sent++;
        int left = PQflush(pg);
        struct pollfd socket = {PQsocket(pg), POLLIN | (left ? POLLOUT : 0), 0};
        poll(&socket, 1, -1);
        if (!PQconsumeInput(pg)) stop(PQerrorMessage(pg));
        while (done < sent && !PQisBusy(pg)) {
            PGresult *result = PQgetResult(pg);
            if (!result) continue;
            if (PQresultStatus(result) == PGRES_PIPELINE_SYNC) PQclear(result), done++;
            else pg_check(result, reads);
        }
    }
    PQsetnonblocking(pg, 0);
    if (!PQexitPipelineMode(pg)) stop(PQerrorMessage(pg));
}

static void pg_begin(const char *address) {
    char sql[512];
    if (!pg) {
        pg = PQconnectdb(address);
        if (PQstatus(pg) != CONNECTION_OK) stop(PQerrorMessage(pg));
        pg_run("SET client_min_messages = warning");
    } else pg_run("DEALLOCATE ALL");
    snprintf(sql, sizeof sql, "CREATE TABLE IF NOT EXISTS bare_%d (id bytea PRIMARY KEY, bytes bytea)", size);
    pg_run(sql);
    snprintf(sql, sizeof sql, "ALTER TABLE bare_%d ALTER COLUMN bytes SET STORAGE EXTERNAL", size);
    pg_run(sql);
    const Oid kinds[] = {17, 17};
    snprintf(sql, sizeof sql, "SELECT bytes FROM bare_%d WHERE id = $1", size);
    PQclear(PQprepare(pg, "read", sql, 1, kinds));
    snprintf(sql, sizeof sql,
        "INSERT INTO bare_%d VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET bytes = excluded.bytes", size);
    PQclear(PQprepare(pg, "insert", sql, 2, kinds));
    for (int i = 0; i < keys; i++) pg_one(0);
}

// ---- Redis

static redisContext *redis;

static void redis_send(int reads) {
    const char *key = next_key();
    int ok = reads ? redisAppendCommand(redis, "GET %s", key)
                   : redisAppendCommand(redis, "SET %s %b", key, next_value(), (size_t)size);
    if (ok != REDIS_OK) stop(redis->errstr);
}

static void redis_receive(int reads) {
    redisReply *reply;
    if (redisGetReply(redis, (void **)&reply) != REDIS_OK) stop(redis->errstr);
    if (reads ? reply->type != REDIS_REPLY_STRING || reply->len != (size_t)size : reply->type != REDIS_REPLY_STATUS)
        stop("an entry is missing");
    freeReplyObject(reply);
}

static void redis_many(int reads, int width, int count) {
    // hiredis alone sends all that was appended when it is asked for the first answer.
    for (int done = 0; done < count; done += width) {
        for (int i = 0; i < width; i++) redis_send(reads);
        for (int i = 0; i < width; i++) redis_receive(reads);
    }
}

static void redis_begin(const char *address) {
    if (!redis) {
        const char *port = strrchr(address, ':');
        redis = redisConnect("127.0.0.1", atoi(port + 1));
        if (!redis || redis->err) stop("no Redis");
    }
    for (int i = 0; i < keys; i++) redis_many(0, 1, 1);
}

int main(void) {
    char line[1024], engine[32], work[32], address[512];
    int bytes, width, count, known[2] = {0, 0};
    setvbuf(stdout, NULL, _IOLBF, 0);
    while (fgets(line, sizeof line, stdin)) {
        if (sscanf(line, "shared %31s %31s %d %d %d %511s", engine, work, &bytes, &width, &count, address) != 6)
            stop("unknown");
        int is_redis = !strcmp(engine, "redis"), reads = !strcmp(work, "retrieve");
        if (bytes != size) prepare(bytes), known[0] = known[1] = 0;
        if (!known[is_redis]) is_redis ? redis_begin(address) : pg_begin(address);
        known[is_redis] = 1;
        count = count / width * width;
        double start = now();
        if (is_redis) redis_many(reads, width, count);
        else if (width > 1) pg_many(reads, width, count);
        else
            for (int i = 0; i < count; i++) pg_one(reads);
        printf("%.9f\n", (now() - start) / count);
    }
    return 0;
}
