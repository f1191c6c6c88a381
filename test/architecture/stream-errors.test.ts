/** The check for streams whose errors nobody listens to: it must be seen to fail, and to leave good code alone. */
import { expect, test } from 'vitest';
import { parseSource } from './checker/source-file.ts';
import { streamViolations } from './checker/stream-errors.ts';

const imports = `
import { spawn } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { connect, createServer } from 'node:net';
import { PassThrough, pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { extract, pack } from 'tar-stream';
import { request } from '../base/node-http.ts';
`;
const found = (text: string) => streamViolations(parseSource('runner/docker/a.ts', imports + text));

test.each([
  ['a stream with a data listener alone', "createReadStream('a').on('data', () => {});"],
  ['a stream that is only piped', "function f(out) { const file = createReadStream('a'); file.pipe(out); }"],
  ['a member that is only written', "class A { #in = new PassThrough(); f() { this.#in.write('a'); } }"],
  ['an unpacker that is only destroyed', 'function f() { const plain = createGunzip(); plain.destroy(); }'],
  ['a request without a listener', "request('http://a', (answer) => answer.resume()).end();"],
  ['a socket without a listener', "const socket = connect(1); socket.on('data', () => {});"],
  [
    'an entry of a tar stream that is left',
    "function f(a) { const e = extract(); pipeline(a, e, () => {}); e.on('entry', (h, content, next) => { content.resume(); a.destroy(); }); }",
  ],
  [
    'an entry that is written into a tar stream',
    "function f(out) { const t = pack(); pipeline(t, out, () => {}); t.entry({ name: 'a' }, 'b'); }",
  ],
  [
    'a socket that a server gets',
    "createServer().on('error', () => {}).on('connection', (socket) => socket.write('a'));",
  ],
  ['a socket after an upgrade', "server.on('upgrade', (request, socket) => socket.write('a'));"],
  ['the input of a program', "const child = spawn('a'); child.on('error', () => {}); child.stdin.end('b');"],
  ['a program that may not start', "spawn('a', [], { stdio: 'inherit' }).unref();"],
  [
    'a stream of the daemon outside `call`',
    'async function f(c) { const a = await c.getArchive({}); a.resume(); }',
  ],
  ['a member that is destroyed with an error', 'class A { end(e) { this.#out.destroy(e); } }'],
  [
    'a listener in another function',
    "function f() { const s = connect(1); s.end(); } function g(s) { s.on('error', () => {}); }",
  ],
  ['an exception without a reason', "// stream errors:\ncreateReadStream('a').resume();"],
])('%s is found', (_, text) => {
  expect(found(text)).toHaveLength(1);
});

test.each([
  ['pipeline', "function f(out) { pipeline(createReadStream('a'), createGunzip(), out, () => {}); }"],
  [
    'pipeline by name',
    'function f(a, out) { const plain = createGunzip(); pipeline(a, plain, out, () => {}); }',
  ],
  ['for await', "async function f() { for await (const piece of createReadStream('a')) g(piece); }"],
  [
    'for await over entries',
    'async function f(a) { const e = extract(); pipeline(a, e, () => {}); for await (const one of e) one.resume(); }',
  ],
  ['a listener in the chain', "connect(1).setTimeout(1).on('error', () => {}).on('data', () => {});"],
  [
    'a listener in another method',
    "class A { #s = connect(1); constructor() { this.#s.once('error', () => {}); } }",
  ],
  ['what is returned', "const open = () => createReadStream('a');"],
  ['what is passed on', "function f(tools) { tools.run({ stdin: Readable.from(['a']) }); }"],
  [
    'the program and its pipes',
    "const child = spawn('a'); child.once('error', () => {}); child.stdin.on('error', () => {}).end('b');",
  ],
  [
    'a stream of the daemon',
    "async function f(c) { const a = await call('read', () => c.getArchive({})); a.resume(); }",
  ],
  [
    'an exception with a reason',
    "// stream errors: an array in memory has none\nReadable.from(['a']).resume();",
  ],
])('%s is left alone', (_, text) => {
  expect(found(text)).toEqual([]);
});
