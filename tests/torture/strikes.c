/* Strikes at a chosen change to the files below a folder: kills the process there, or lets the
   change fail as a full disk does. Every way in which Python, Arrow and Rust write goes through
   these functions of the C library.

   cc -shared -fPIC -O2 -o strikes.so strikes.c -ldl
   LD_PRELOAD=./strikes.so STRIKES=control python ...          `control` is the struct below */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum { COUNT, KILL, TEAR, FAIL, FULL, STOP }; /* TEAR: half a write, then killed. FULL: from there on */

struct control {
  int64_t changes;  /* so far: everything that changes a file or a folder */
  int64_t growths;  /* so far: those for which a full disk has no room */
  int64_t at;       /* which of them is struck, from 1; 0: none */
  int64_t mode;
  int64_t stopped;  /* the process that stands still, to be continued from outside */
  char root[4056];  /* only what lies below it counts */
};

static struct control *control;

__attribute__((constructor)) static void begin(void) {
  const char *name = getenv("STRIKES");
  int file = name ? open(name, O_RDWR | O_CLOEXEC) : -1;
  if (file < 0) return;
  void *found = mmap(NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (found != MAP_FAILED) control = found;
}

static int below(const char *path) {
  char whole[8192];
  if (!control || !control->root[0] || !path) return 0;
  if (path[0] != '/') {
    if (!getcwd(whole, 4096)) return 0;
    strncat(whole, "/", 2);
    strncat(whole, path, 4000);
    path = whole;
  }
  return strncmp(path, control->root, strlen(control->root)) == 0;
}

static int open_below(int file) {
  char link[64], path[4096];
  if (!control || !control->root[0]) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t size = readlink(link, path, sizeof path - 1);
  if (size <= 0) return 0;
  path[size] = 0;
  return below(path);
}

static void die(void) { kill(getpid(), SIGKILL); for (;;) pause(); }

/* Count a change; 1 if it has to fail, 2 if it is to be torn. */
static int strike(int counts, int grows) {
  if (!counts) return 0;
  int64_t change = __atomic_add_fetch(&control->changes, 1, __ATOMIC_SEQ_CST);
  int64_t growth = grows ? __atomic_add_fetch(&control->growths, 1, __ATOMIC_SEQ_CST) : 0;
  if (!control->at) return 0;
  if (control->mode == KILL && change == control->at) die();
  if (control->mode == STOP && change == control->at) {
    __atomic_store_n(&control->stopped, getpid(), __ATOMIC_SEQ_CST);
    raise(SIGSTOP);
  }
  if (control->mode == TEAR && growth == control->at) return 2;
  if (control->mode == FAIL && growth == control->at) return 1;
  if (control->mode == FULL && growth && growth >= control->at) return 1;
  return 0;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define NO_ROOM return errno = ENOSPC, -1
#define CHANGE(counts, grows) \
  switch (strike(counts, grows)) { case 1: NO_ROOM; case 2: die(); }

static int creates(int flags) { return (flags & O_CREAT) || (flags & O_TRUNC); }

/* A file that is there already can be opened on a full disk. */
static int is_new(int folder, const char *path) { return faccessat(folder, path, F_OK, 0) != 0; }

#define OPEN(name)                                                \
  int name(const char *path, int flags, ...) {                    \
    va_list more;                                                 \
    va_start(more, flags);                                        \
    mode_t mode = creates(flags) ? va_arg(more, mode_t) : 0;      \
    va_end(more);                                                 \
    if (creates(flags)) CHANGE(below(path), is_new(AT_FDCWD, path)); \
    return REAL(name)(path, flags, mode);                         \
  }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                                        \
  int name(int folder, const char *path, int flags, ...) {                  \
    va_list more;                                                           \
    va_start(more, flags);                                                  \
    mode_t mode = creates(flags) ? va_arg(more, mode_t) : 0;                \
    va_end(more);                                                           \
    if (creates(flags)) CHANGE(path[0] == '/' || folder == AT_FDCWD ? below(path) : open_below(folder), is_new(folder, path)); \
    return REAL(name)(folder, path, flags, mode);                           \
  }
OPENAT(openat)
OPENAT(openat64)

FILE *fopen(const char *path, const char *how) {
  if (how[0] != 'r') switch (strike(below(path), 1)) { case 1: errno = ENOSPC; return NULL; case 2: die(); }
  return REAL(fopen)(path, how);
}
FILE *fopen64(const char *path, const char *how) {
  if (how[0] != 'r') switch (strike(below(path), 1)) { case 1: errno = ENOSPC; return NULL; case 2: die(); }
  return REAL(fopen64)(path, how);
}

ssize_t write(int file, const void *bytes, size_t size) {
  switch (strike(open_below(file), 1)) {
    case 1: NO_ROOM;
    case 2: REAL(write)(file, bytes, size / 2); die();
  }
  return REAL(write)(file, bytes, size);
}

#define PWRITE(name, offset_type)                                             \
  ssize_t name(int file, const void *bytes, size_t size, offset_type place) { \
    switch (strike(open_below(file), 1)) {                                    \
      case 1: NO_ROOM;                                                        \
      case 2: REAL(name)(file, bytes, size / 2, place); die();                \
    }                                                                         \
    return REAL(name)(file, bytes, size, place);                              \
  }
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

ssize_t writev(int file, const struct iovec *parts, int count) {
  switch (strike(open_below(file), 1)) {
    case 1: NO_ROOM;
    case 2: REAL(writev)(file, parts, (count + 1) / 2); die();
  }
  return REAL(writev)(file, parts, count);
}

int ftruncate(int file, off_t size) { CHANGE(open_below(file), 1); return REAL(ftruncate)(file, size); }
int ftruncate64(int file, off64_t size) { CHANGE(open_below(file), 1); return REAL(ftruncate64)(file, size); }
int fallocate(int file, int mode, off_t a, off_t b) { CHANGE(open_below(file), 1); return REAL(fallocate)(file, mode, a, b); }
int fsync(int file) { CHANGE(open_below(file), 1); return REAL(fsync)(file); }
int fdatasync(int file) { CHANGE(open_below(file), 1); return REAL(fdatasync)(file); }
int mkdir(const char *path, mode_t mode) { CHANGE(below(path), 1); return REAL(mkdir)(path, mode); }
int mkdirat(int folder, const char *path, mode_t mode) { CHANGE(below(path), 1); return REAL(mkdirat)(folder, path, mode); }
int rename(const char *from, const char *to) { CHANGE(below(to), 1); return REAL(rename)(from, to); }
int renameat(int a, const char *from, int b, const char *to) { CHANGE(below(to), 1); return REAL(renameat)(a, from, b, to); }
int renameat2(int a, const char *from, int b, const char *to, unsigned flags) {
  CHANGE(below(to), 1);
  return REAL(renameat2)(a, from, b, to, flags);
}
int symlink(const char *to, const char *path) { CHANGE(below(path), 1); return REAL(symlink)(to, path); }
int link(const char *from, const char *to) { CHANGE(below(to), 1); return REAL(link)(from, to); }
int unlink(const char *path) { CHANGE(below(path), 0); return REAL(unlink)(path); }
int unlinkat(int folder, const char *path, int flags) {
  CHANGE(folder == AT_FDCWD ? below(path) : open_below(folder), 0);
  return REAL(unlinkat)(folder, path, flags);
}
int rmdir(const char *path) { CHANGE(below(path), 0); return REAL(rmdir)(path); }
