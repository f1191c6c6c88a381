/** Builds against a daemon of the test's own: what a real one does too seldom. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { connectDocker, type DockerHost } from '../../../../runner/docker/client.ts';
import { buildImage } from '../../../../runner/docker/image-build/build.ts';
import { testContext } from '../../../support/runner/job-context.ts';

let directory: string;
let daemon: Server;
let docker: DockerHost;
let asked: string[];
/** What `/build` answers, piece by piece. */
let pieces: string[];

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'longshore-daemon-'));
  asked = [];
  daemon = createServer((request, response) => {
    asked.push(new URL(request.url ?? '', 'http://localhost').pathname);
    request.resume();
    if (!request.url?.startsWith('/build'))
      return void response.writeHead(404).end('{"message":"page not found"}');
    request.on('end', () => {
      for (const piece of pieces) response.write(piece);
      response.end();
    });
  });
  const socketPath = join(directory, 'docker.sock');
  await new Promise<void>((resolve) => daemon.listen(socketPath, resolve));
  docker = connectDocker('run_test', { socketPath });
});

afterEach(() => {
  daemon.closeAllConnections();
  daemon.close();
  rmSync(directory, { recursive: true, force: true });
});

const build = (context = testContext()) =>
  buildImage(
    docker,
    { context: () => Readable.from([Buffer.from('')]), dockerfile: 'Dockerfile', tag: 'x', labels: {} },
    context.log,
    context.signal,
  );

test('a daemon without BuildKit builds with its classic builder, and the log says so', async () => {
  pieces = ['{"stream":"Step 1/1"}\r\n', '{"aux":{"ID":"sha256:abc"}}\r\n'];
  const context = testContext();
  expect(await build(context)).toBe('sha256:abc');
  expect(asked).toEqual(['/session', '/build']);
  expect(context.text()).toContain('no BuildKit');
});

describe('a capped build', () => {
  const capped = (mark: string | null) => () => ({
    memoryMb: 64,
    cpus: 0.5,
    processes: 100,
    mark,
    ranOutOfMemory: () => false,
    ranOutOfProcesses: () => false,
    end: () => {},
  });
  const request = {
    context: () => Readable.from([Buffer.from('')]),
    dockerfile: 'Dockerfile',
    tag: 'x',
    labels: {},
  };

  test('a capped build that the classic builder killed ran out of memory, also where the runner makes no groups', async () => {
    pieces = ['{"error":"The command \'/bin/sh -c make\' returned a non-zero code: 137"}\n'];
    const context = testContext();
    const build = buildImage(docker, { ...request, capped: capped(null) }, context.log, context.signal);
    await expect(build).rejects.toMatchObject({
      code: 'build_out_of_memory',
      message: expect.stringContaining('more than its 64 MB of memory and was killed at "make"'),
    });
  });

  test('a capped build by the classic builder gets its limits and no mark', async () => {
    const queries: URLSearchParams[] = [];
    daemon.prependListener('request', ({ url }) => {
      if (url?.startsWith('/build')) queries.push(new URL(url, 'http://localhost').searchParams);
    });
    pieces = ['{"aux":{"ID":"sha256:abc"}}\n'];
    const context = testContext();
    const all = { ...request, buildArguments: () => ({ A: '1' }), capped: capped('mark.invalid') };
    await buildImage(docker, all, context.log, context.signal);
    const [query] = queries;
    expect(JSON.parse(query?.get('buildargs') ?? '')).toEqual({ A: '1' });
    expect(query?.get('memory')).toBe(String(64 * 2 ** 20));
    expect(query?.get('memswap')).toBe(String(64 * 2 ** 20));
    expect(Number(query?.get('cpuquota')) / Number(query?.get('cpuperiod'))).toBe(0.5);
  });
});

describe('the stream', () => {
  test('the stream is read whole, however it is cut', async () => {
    const text = '{"stream":"größer\\n"}\r\n{"aux":{"ID":"sha256:abc"}}';
    const bytes = Buffer.from(text);
    const context = testContext();
    pieces = [];
    daemon.removeAllListeners('request');
    const answer = async (request: IncomingMessage, response: ServerResponse) => {
      request.resume();
      if (request.url === '/session') return void response.writeHead(404).end('{"message":"page not found"}');
      for (const byte of bytes) {
        response.write(Buffer.of(byte));
        await new Promise(setImmediate);
      }
      response.end();
    };
    daemon.on('request', (request, response) => void answer(request, response));
    expect(await build(context)).toBe('sha256:abc');
    expect(context.lines).toContainEqual({ stream: 'stdout', text: 'größer' });
  });

  test.each([
    ['a full disk', '{"error":"write /x: no space left on device"}', 'disk_full', /no disk space/],
    [
      'a failed step',
      '{"error":"The command \'/bin/sh -c make\' returned a non-zero code: 2"}',
      'build_failed',
      /"make" failed with exit code 2/,
    ],
    [
      'a failed step in the words of Docker 28',
      JSON.stringify({
        error: String.raw`process "/bin/sh -c echo \"a\\b\"" did not complete successfully: exit code: 3`,
      }),
      'build_failed',
      /"echo "a\\b"" failed with exit code 3/,
    ],
    ['no image', '{"stream":"Step 1"}', 'build_failed', /without an image/],
  ])('a stream that reports %s fails with it', async (_, line, code, message) => {
    pieces = [`${line}\n`];
    await expect(build()).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
  });

  test('the stream that breaks off is Docker’s failure, not the build’s', async () => {
    daemon.removeAllListeners('request');
    daemon.on('request', (request, response) => {
      request.resume();
      if (request.url === '/session') return void response.writeHead(404).end('{"message":"page not found"}');
      response.write('{"stream":"Step 1"}\n', () => request.socket.destroy());
    });
    await expect(build()).rejects.toMatchObject({ code: 'docker_unavailable' });
  });
});
