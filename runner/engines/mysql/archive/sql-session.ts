/** One run of the `mysql` program that reads statements one by one: its transaction and its locks last until it is closed. */
import { PassThrough } from 'node:stream';
import { asRoot, rootEnvironment, type ToolPlace } from './client.ts';

/** A row of numbers is far shorter. The program is in the user's image, so it may print a line without an end. */
const lineCharsMax = 1024 * 1024;

export class SqlSession {
  readonly #stdin = new PassThrough();
  readonly #running: Promise<unknown>;
  readonly #chunks: AsyncIterator<Buffer>;
  #lines: string[] = [];
  #rest = '';

  constructor(place: ToolPlace) {
    const { env, tools, signal } = place;
    const stdout = new PassThrough();
    stdout.on('error', () => {}); // the reader reports the error
    const command = ['mysql', ...asRoot(place), '--binary-mode', '--batch', '--quick', '--unbuffered'];
    const options = { env: rootEnvironment({ env }), stdin: this.#stdin, stdout, signal };
    this.#running = tools.run([...command, '--skip-column-names'], options);
    this.#running.catch((error: Error) => stdout.destroy(error));
    this.#chunks = (stdout as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  }

  send(sql: string): void {
    if (this.#stdin.writable) this.#stdin.write(sql);
  }

  /** The next rows, each a line with its columns between tabs; fewer when the program has ended. */
  async rows(count: number): Promise<string[]> {
    while (this.#lines.length < count) {
      const { done, value } = await this.#chunks.next();
      if (done) break;
      const lines = (this.#rest + value.toString('latin1')).split('\n');
      this.#rest = lines.pop() ?? '';
      if (this.#rest.length > lineCharsMax) {
        this.#rest = '';
        await this.#chunks.return?.();
        break;
      }
      this.#lines = this.#lines.concat(lines);
    }
    return this.#lines.splice(0, count);
  }

  /** Ends the transaction and the locks. Results that were not read are lost. */
  async close(): Promise<void> {
    this.#stdin.end();
    await this.#chunks.return?.();
    await this.#running.catch(() => {}); // a failure was already reported by the read that got too few rows
  }
}
