/** Requests that no client library sends, by raw sockets to the real server: each is answered below 500 or its connection closed, none hangs. */
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { useInstance } from '../support/instance/use-instance.ts';

/** An answer takes milliseconds: who waits this long would wait for ever. */
const answerWithinMs = 15_000;
/** Once bytes have come and no more do, an open connection is idle. */
const quietMs = 250;
/** Of the server's own HTTP parser, for what HTTP itself calls not implemented (RFC 9110, sections 15.6.2 and 15.6.6). */
const parserStatuses = [501, 505];
/** The same for targets of which the embedded server can make no URL; it never asks the Worker, and Cloudflare answers them itself. */
const withoutUrl = [500, ...parserStatuses];

const longshore = useInstance();
let port: number;
let key: string;

beforeAll(async () => {
  const local = JSON.parse(await readFile(join(longshore.dataDirectory, 'local.json'), 'utf8'));
  port = Number(new URL(local.url).port);
  key = local.apiKey;
});

interface Answer {
  text: string;
  statuses: number[];
}

/** Sends bytes and collects what comes back until the connection ends or is quiet. @throws Error when nothing comes at all */
function send(...parts: (string | Uint8Array)[]): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    const chunks: Buffer[] = [];
    let quiet: NodeJS.Timeout | undefined;
    const finish = () => {
      clearTimeout(quiet);
      clearTimeout(deadline);
      socket.destroy();
      const text = Buffer.concat(chunks).toString('latin1');
      const statuses = [...text.matchAll(/HTTP\/1\.[01] (\d{3}) /g)].map(([, status]) => Number(status));
      resolve({ text, statuses });
    };
    const deadline = setTimeout(() => {
      socket.destroy();
      reject(new Error(`no answer within ${answerWithinMs / 1000} s to ${String(parts[0]).slice(0, 200)}`));
    }, answerWithinMs);
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      clearTimeout(quiet);
      quiet = setTimeout(finish, quietMs);
    });
    socket.on('error', finish); // reset: the server wants no more of it
    socket.on('close', finish);
    for (const part of parts) socket.write(part);
  });
}

const head = (line: string, ...headers: string[]) =>
  `${[line, 'Host: localhost', `Authorization: Bearer ${key}`, ...headers].join('\r\n')}\r\n\r\n`;
const body = (text: string, ...headers: string[]) =>
  head('POST /api/projects HTTP/1.1', `Content-Length: ${Buffer.byteLength(text)}`, ...headers) + text;

async function expectHarmless(...parts: (string | Uint8Array)[]): Promise<Answer> {
  const answer = await expectAnswered(...parts);
  for (const status of answer.statuses.filter((one) => !parserStatuses.includes(one))) {
    expect(status, answer.text.slice(0, 400)).toBeLessThan(500);
  }
  return answer;
}

async function expectAnswered(...parts: (string | Uint8Array)[]): Promise<Answer> {
  const answer = await send(...parts);
  const after = await send(head('GET /api/projects HTTP/1.1', 'Connection: close'));
  expect(after.statuses, 'the server still answers others').toEqual([200]);
  return answer;
}

describe('bodies', () => {
  test('a body that is too large is refused, whether its size is declared or counted', async () => {
    const declared = await expectHarmless(
      head('POST /api/projects HTTP/1.1', 'Content-Length: 10737418240'),
      '{"name":',
    );
    expect(declared.statuses).toEqual([413]);
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
    const endless = head('POST /api/projects HTTP/1.1', 'Transfer-Encoding: chunked') + chunk.repeat(16);
    expect((await expectHarmless(endless)).statuses).toEqual([413]);
  });

  test('bodies of any content type are read as JSON, and compressed ones are refused', async () => {
    for (const type of ['text/plain', 'application/xml', 'multipart/form-data; boundary=x', 'x', '\xff']) {
      expect((await expectHarmless(body('<a/>', `Content-Type: ${type}`))).statuses).toEqual([400]);
    }
    for (const encoding of ['gzip', 'br', 'deflate, gzip', 'zstd', 'x']) {
      const { statuses } = await expectHarmless(body('{"name":"x"}', `Content-Encoding: ${encoding}`));
      expect([encoding, statuses]).toEqual([encoding, [400]]);
    }
  });

  test('a body of malformed or deep JSON is 400', async () => {
    const deep = '['.repeat(100_000);
    for (const text of [
      '{',
      deep,
      '{"name":NaN}',
      '{"a":1,"a":2}',
      '\0',
      '\xff\xfe',
      `{"name":"x"}${' '.repeat(9)}{}`,
    ]) {
      expect((await expectHarmless(body(text))).statuses).toEqual([400]);
    }
  });
});

describe('methods and paths', () => {
  test.each(['PUT', 'TRACE', 'OPTIONS', 'HEAD', 'PROPFIND', 'FOO', 'get'])('%s', async (method) => {
    await expectHarmless(head(`${method} /api/projects HTTP/1.1`));
  });

  const unknown = [
    '/nothing',
    '/api',
    '/api/',
    '//api/projects',
    '/api/projects/x/y/z',
    '/api/projects;a=b',
    '/.env',
    '/.git/config',
  ];
  test.each(unknown)('%s is 404', async (path) => {
    expect((await expectHarmless(head(`GET ${path} HTTP/1.1`))).statuses).toEqual([404]);
  });

  const odd = [
    'http://evil.example/api/projects',
    '/api/../../etc/passwd',
    '/%',
    '/api/projects/%00',
    '/api/projects/%ff',
    '/a b',
  ];
  test.each([...odd, `/api/projects/${'x'.repeat(16_384)}`, `/api/projects?${'a=1&'.repeat(4_000)}`])(
    'GET %s is answered',
    async (path) => {
      const { text } = await expectHarmless(head(`GET ${path} HTTP/1.1`));
      expect(text).not.toContain('root:');
    },
  );
});

test.each([
  ['CONNECT', head('CONNECT /api/projects HTTP/1.1')],
  ['a target *', head('GET * HTTP/1.1')],
  ['two hosts', head('GET /api/projects HTTP/1.1', 'Host: evil.example')],
])('a request target that is no URL is refused: %s', async (_, bytes) => {
  const { statuses, text } = await expectAnswered(bytes);
  for (const status of statuses.filter((one) => !withoutUrl.includes(one)))
    expect(status, text).toBeLessThan(500);
  expect(text, 'nothing of the platform').not.toContain('"projects"');
});

describe('headers', () => {
  test('a thousand headers, and large ones, are survived', async () => {
    const many = Array.from({ length: 1_000 }, (_, index) => `X-H${index}: ${index}`);
    await expectHarmless(head('GET /api/projects HTTP/1.1', ...many));
    await expectHarmless(head('GET /api/projects HTTP/1.1', `X-Large: ${'x'.repeat(100_000)}`));
    await expectHarmless(head('GET /api/projects HTTP/1.1', `X-Request-Id: ${'x'.repeat(9_000)}`));
  });

  const broken = [
    'X: a\0b',
    'X: a\rX-Injected: 1',
    'X: a\nX-Injected: 1',
    ': none',
    'no colon',
    'X : space',
    ' folded: line',
    'Content-Length: -1',
    'Content-Length: x',
    'Content-Length: 99999999999999999999999',
    'Content-Length: 1\r\nContent-Length: 2',
    'Transfer-Encoding: x',
    'Transfer-Encoding: chunked\r\nContent-Length: 4',
    'Expect: 100-continue',
    'Upgrade: websocket\r\nConnection: Upgrade',
    'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQ',
    'Range: bytes=0-18446744073709551615',
    'CF-Connecting-IP: not an address',
    'X-Request-Id: a\tb<script>',
    'Last-Event-ID: -1',
  ];
  test.each(broken)('the header %j is answered', async (header) => {
    const { text } = await expectHarmless(head('GET /api/projects HTTP/1.1', header), '0\r\n\r\n');
    expect(text).not.toMatch(/^X-Injected|<script>/im);
  });
});

describe('on one connection', () => {
  test('what a chunked body hides is not a second request', async () => {
    const hidden = head('DELETE /api/projects/none HTTP/1.1');
    const both = head('POST /api/projects HTTP/1.1', 'Content-Length: 5', 'Transfer-Encoding: chunked');
    const { statuses } = await expectHarmless(`${both}0\r\n\r\n${hidden}`);
    expect(statuses[0]).toBe(400);
  });

  test('pipelined requests are answered in order, and an odd one ends no other', async () => {
    const get = head('GET /api/projects HTTP/1.1');
    const missing = head('GET /api/nothing HTTP/1.1');
    expect((await expectHarmless(get + missing + body('{') + get)).statuses).toEqual([200, 404, 400, 200]);
    expect((await expectHarmless(`${get}GARBAGE\r\n\r\n${get}`)).statuses[0]).toBe(200);
  });

  const starts: [string, string | Uint8Array][] = [
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['TLS', new Uint8Array([0x16, 3, 1, 0, 5, 1, 0, 0, 1, 0, 13, 10, 13, 10])],
    ['HTTP/0.9', 'GET /\r\n\r\n'],
    ['HTTP/9.9', 'GET / HTTP/9.9\r\n\r\n'],
    ['no host', 'GET /api/projects HTTP/1.1\r\n\r\n'],
    ['noise', new Uint8Array(4_096).map((_, index) => (index * 197 + 13) % 256)],
    [
      'a bad chunk',
      `${'POST /api/projects HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked'}\r\n\r\nZZ\r\n\r\n`,
    ],
  ];
  test.each(starts)('%s', async (_, bytes) => {
    await expectHarmless(bytes);
  });

  test('a client that sends slowly or leaves midway delays no other client', async () => {
    const sockets = Array.from({ length: 50 }, () => connect(port, '127.0.0.1'));
    for (const socket of sockets)
      socket.on('error', () => undefined).write('POST /api/projects HTTP/1.1\r\nHost: x\r\nX');
    expect((await send(head('GET /api/projects HTTP/1.1'))).statuses).toEqual([200]);
    for (const socket of sockets) socket.destroy();
  });
});
