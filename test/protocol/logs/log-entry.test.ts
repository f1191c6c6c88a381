import { expect, test } from 'vitest';
import { continuesEntry } from '../../../protocol/logs/lines/log-entry.ts';

/** How many entries the lines of a text are. */
const entriesOf = (text: string): number => {
  const lines = text.split('\n');
  return lines.filter((line, at) => at === 0 || !continuesEntry(line, lines[at - 1] ?? '')).length;
};

const traces = {
  Java: `Exception in thread "main" java.lang.IllegalStateException: no pool
\tat com.shop.Pay.charge(Pay.java:12)
\tat com.shop.Main.main(Main.java:3)
Caused by: java.net.ConnectException: refused
\tat java.base/java.net.Socket.connect(Socket.java:1)
\t... 12 more`,
  Python: `Traceback (most recent call last):
  File "/app/main.py", line 3, in <module>
    charge(order)
    ~~~~~~^^^^^^^
  File "/app/pay.py", line 9, in charge
    raise ValueError("no card")
ValueError: no card`,
  Node: `TypeError: Cannot read properties of undefined (reading 'id')
    at charge (/app/pay.js:12:3)
    at async Server.<anonymous> (/app/server.js:3:9)`,
  Go: `panic: runtime error: index out of range [3] with length 3

goroutine 1 [running]:
main.charge(0xc000012345, 0x3)
\t/app/pay.go:12 +0x1d
main.main()
\t/app/main.go:3 +0x2a`,
  Ruby: `pay.rb:3:in 'charge': no card (RuntimeError)
\tfrom pay.rb:9:in 'block in <main>'
\tfrom pay.rb:12:in '<main>'`,
  '.NET': `Unhandled exception. System.InvalidOperationException: no card
 ---> System.Net.Sockets.SocketException (111): Connection refused
   at Shop.Pay.Charge(Order order) in /app/Pay.cs:line 12
   --- End of inner exception stack trace ---
   at Shop.Program.Main() in /app/Program.cs:line 3`,
  PHP: `PHP Fatal error:  Uncaught Exception: no card in /app/pay.php:3
Stack trace:
#0 /app/index.php(9): charge()
#1 {main}
  thrown in /app/pay.php on line 3`,
  Rust: `thread 'main' panicked at src/main.rs:3:5:
stack backtrace:
   0: rust_begin_unwind
   1: core::panicking::panic_fmt
             at /rustc/abc/library/core/src/panicking.rs:72:14
   2: shop::pay
             at ./src/main.rs:3:5
note: run with \`RUST_BACKTRACE=full\` for a verbose backtrace.`,
};

test.each(Object.entries(traces))('a stack trace of %s is one entry', (_, trace) => {
  expect(entriesOf(trace)).toBe(1);
  expect(entriesOf(`listening on 3000\n${trace}\nGET / 200`)).toBe(3);
});

test('lines without a trace, JSON and a list with numbers stay entries of their own', () => {
  expect(entriesOf('a\nb\n{"level":"info"}\n{"level":"error"}\nready()\nstarted()\n1: one\n2: two')).toBe(8);
  expect(continuesEntry('\u001b[90m    at charge (/app/pay.js:1:1)\u001b[39m', 'Error: x')).toBe(true);
});
