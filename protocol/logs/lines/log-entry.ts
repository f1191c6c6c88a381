/**
 * Joins the lines of a stack trace to the line that it belongs to. Each rule is a form that a runtime prints: Java, Python, Node, Go, Ruby, .NET, PHP,
 * Rust. Lines that continue nothing stay alone.
 */

/** Most lines of one entry: the rest of a longer trace begins another. */
export const entryLinesMax = 200;

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with one
const colour = /\u001b\[[0-9;:]*m/g;

/** Lines that continue the line before them, whatever it is. */
const always = [
  /^\s+at \S/, // Java, Node, .NET: «    at app.main (server.js:1:1)»
  /^\s*\.\.\. \d+ (?:more|common frames omitted)/, // Java
  /^\s*(?:Caused by|Suppressed): \S/, // Java
  /^\s+--- End of (?:inner exception|stack trace)/, // .NET
  /^\s*---> \S/, // .NET
  /^ {2}File "[^"]*", line \d+/, // Python
  /^(?:During handling of the above exception|The above exception was the direct cause)/, // Python
  /^\s+from \S+:\d+:in /, // Ruby
  /^(?:PHP )?\s*#\d+ (?:\S+\(\d+\): |\{main\}|\[internal function\])/, // PHP
  /^(?:PHP )?Stack trace:$/, // PHP
  /^\s+thrown in \S+ on line \d+/, // PHP
  /^goroutine \d+ \[/, // Go
  /^\t\S+\.go:\d+/, // Go
  /^ {2,}\d+: +(?:0x[0-9a-f]+ - )?[\w<]\S*(?:::|$)/, // Rust: «   3: core::panicking::panic»
  /^stack backtrace:$/, // Rust
  /^note: (?:run with `RUST_BACKTRACE|Some details are omitted)/, // Rust
];
/** Go prints a call in the line before its file, without a mark: it continues only a trace. */
const goCall = /^[\w./*()-]+(?:\.[\w.*()-]+)*\(.*\)$|^(?:created by |exit status \d)/;
const goStart = /^(?:panic: |fatal error: |goroutine \d+ \[|\t\S+\.go:\d+|\[signal SIG)/;
/** Python's last line names the exception, and its lines of code are indented below «File». */
const pythonEnd = /^[A-Za-z_][\w.]*(?:Error|Exception|Interrupt|Exit|Warning|Iteration)(?:: |$)/;
const pythonStart = /^(?:Traceback \(most recent call last\):| {2}File "| {4}\S)/;

/** Whether the line belongs to the entry whose last line is `before`. Both may have colours. */
export function continuesEntry(line: string, before: string): boolean {
  const text = line.length > 400 ? line.slice(0, 400) : line;
  const shown = text.includes('\u001b') ? text.replace(colour, '') : text;
  const last = before.slice(0, 400).replace(colour, '');
  if (shown === '' || shown.startsWith('{')) return shown === '' && goStart.test(last);
  if (always.some((rule) => rule.test(shown))) return true;
  if (goStart.test(last) || (goCall.test(last) && last !== ''))
    return goStart.test(shown) ? !shown.startsWith('panic') : goStart.test(last) && goCall.test(shown);
  if (last === '' && shown.startsWith('goroutine ')) return true;
  if (!pythonStart.test(last) && !/^\s+[\^~]+\s*$/.test(last)) return false;
  return pythonEnd.test(shown) || /^ {4}\s*\S/.test(shown);
}
