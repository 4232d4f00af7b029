// Preloaded by test_bounds.py: looking up a name under slow.test takes until the test says so.
//
// $SLOW_NAMES is a folder. A look-up that has begun leaves a file of its name there; it fails once there is a file "go".
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints, struct addrinfo **result) {
    const char *folder = getenv("SLOW_NAMES");
    if (folder && name && strstr(name, ".slow.test")) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", folder, name);
        close(open(path, O_CREAT | O_WRONLY, 0600));
        snprintf(path, sizeof path, "%s/go", folder);
        while (access(path, F_OK) != 0) usleep(10000);
        return EAI_AGAIN;
    }
    int (*next)(const char *, const char *, const struct addrinfo *, struct addrinfo **) = dlsym(RTLD_NEXT, "getaddrinfo");
    return next(name, service, hints, result);
}
