/*
 * Serves ClickHouse's own HTTP and native protocols out of chdb's library: its "clickhouse local" with the caller's arguments, whose
 * last statement reads standard input. That is a pipe which stays open until the program is told to end: then the statement is over,
 * and the program ends as after any other, with buffers flushed and tables closed.
 * Without headers, so that a compiler and the C library's start files are all that it takes.
 */
extern void *dlopen(const char *file, int mode);
extern void *dlsym(void *library, const char *name);
extern char *dlerror(void);
extern int puts(const char *text);
extern int pipe(int ends[2]);
extern int dup2(int from, int to);
extern int close(int file);
extern void *signal(int number, void (*handler)(int));

enum { resolve_now = 2, interrupt = 2, terminate = 15 };

static int ends[2];
static int is_ending = 0;

static void end(int number) {
  (void)number;
  is_ending = 1;
  close(ends[1]);
}

int main(int count, char **arguments) {
  void *library = dlopen("/usr/lib/libchdb.so", resolve_now);
  if (!library) return puts(dlerror()), 2;
  void (*handle_signals)(int) = dlsym(library, "chdb_set_signal_handlers_enabled");
  void *(*run)(int, char **) = dlsym(library, "chdb_query_cmdline");
  if (pipe(ends) != 0 || dup2(ends[0], 0) != 0) return puts("no pipe"), 2;
  close(ends[0]);
  handle_signals(0);
  signal(terminate, end);
  signal(interrupt, end);
  run(count, arguments);
  return is_ending ? 0 : 1;
}
