import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import dns from 'dns-packet';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type EdgeProcess, ensureEdge } from '../../../../runner/proxy/edge-process.ts';
import { proxyPaths } from '../../../../runner/proxy/proxy-paths.ts';
import { openRouteTable } from '../../../../runner/proxy/route-table.ts';
import { routeTo } from '../../../support/docker/test-proxy.ts';

let dataDir: string;
let edge: EdgeProcess;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'longshore-edge-'));
  edge = await ensureEdge(proxyPaths(dataDir), certificates());
});

afterEach(async () => {
  await edge?.end();
  await rm(dataDir, { recursive: true, force: true });
});

const shop = routeTo({ address: '10.210.0.5', port: 3000 });
const certificates = () => join(dataDir, 'issued');
const put = () => openRouteTable(proxyPaths(dataDir).edgeState).put(shop.serviceId, shop);
const http = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(`http://127.0.0.1:${edge.port}${path}`, { headers, method });

/** Asks as Caddy does. */
async function ask(type: 'A' | 'SRV', name: string) {
  const socket = connect(proxyPaths(dataDir).dnsSocket);
  socket.write(dns.encode({ type: 'query', id: 1, questions: [{ type, name }] }));
  const [packet] = await once(socket, 'data');
  socket.destroy();
  return dns.decode(packet).answers?.map((answer) => ('data' in answer ? answer.data : undefined));
}

test('edge answers Caddy from the state it was given', { tags: 'slow' }, async () => {
  expect(await edge.version()).toBe(0);
  put();
  edge.reload();
  await expect.poll(() => edge.version()).toBe(1);
  const target = 'dep_1-10-210-0-5.ls.internal';
  expect(await ask('SRV', 'shop.localhost.ls.internal')).toMatchObject([{ target, port: 3000 }]);
  expect(await ask('A', target)).toEqual(['10.210.0.5']);
  expect(await (await http('/state-version')).text()).toBe('1\n');
});

test('a damaged state file keeps the old answers in force and is logged', { tags: 'slow' }, async () => {
  put();
  edge.reload();
  await expect.poll(() => edge.version()).toBe(1);
  const { edgeState, edgeLog } = proxyPaths(dataDir);
  await writeFile(edgeState, '{"version": 2, "routes": [');
  edge.reload();
  await expect.poll(() => readFile(edgeLog, 'utf8')).toContain('still answering from version 1');
  expect(await edge.version()).toBe(1);
  expect(await ask('SRV', 'shop.localhost.ls.internal')).toMatchObject([{ port: 3000 }]);
});

test('malformed packets do not disturb edge', { tags: 'slow' }, async () => {
  for (const packet of [
    'x',
    '\0'.repeat(12),
    'ÿ'.repeat(300),
    `\0\x01\x01\0\0\x01\0\0\0\0\0\0\xc0\x0c\0\x01\0\x01`,
  ]) {
    const socket = connect(proxyPaths(dataDir).dnsSocket).on('error', () => {});
    socket.resume().write(packet, 'latin1');
    await once(socket, 'close');
  }
  expect(await edge.version()).toBe(0);
});

test('edge allows certificates for routed names alone, and does not answer from outside', {
  tags: 'slow',
}, async () => {
  put();
  edge.reload();
  await expect.poll(() => edge.version()).toBe(1);
  expect((await http('/ask?domain=shop.localhost')).status).toBe(200);
  expect((await http('/ask?domain=SHOP.localhost')).status).toBe(200);
  for (const query of ['?domain=other.localhost', '?domain=', '', '?domain=_p41000']) {
    expect((await http(`/ask${query}`)).status).toBe(403);
  }
  // Caddy sets this header on everything that comes from a client.
  expect((await http('/ask?domain=shop.localhost', { 'x-forwarded-for': '6.6.6.6' })).status).toBe(404);
});

test('edge allows an order of a public name once for each permission of the runner, and a stored certificate always', {
  tags: 'slow',
}, async () => {
  const table = openRouteTable(proxyPaths(dataDir).edgeState);
  table.put(shop.serviceId, {
    ...shop,
    hostnames: ['a.example', 'waiting.example'],
    tlsNames: ['a.example'],
  });
  edge.reload();
  await expect.poll(() => edge.version()).toBe(1);
  const asked = async (name: string) => (await http(`/ask?domain=${name}`)).status;
  const permitted = async (name: string, headers = {}, method = 'POST') =>
    (await http(`/permit?domain=${name}`, headers, method)).status;
  expect(await asked('a.example')).toBe(403);
  expect(await permitted('a.example')).toBe(204);
  expect([await asked('a.example'), await asked('a.example')]).toEqual([200, 403]);
  expect([await permitted('waiting.example'), await asked('waiting.example')]).toEqual([403, 403]);
  // From outside, and by a link.
  expect(await permitted('a.example', { 'x-forwarded-for': '6.6.6.6' })).toBe(404);
  expect([await permitted('a.example', {}, 'GET'), await asked('a.example')]).toEqual([404, 403]);
  await mkdir(join(certificates(), 'a.example'), { recursive: true });
  await writeFile(join(certificates(), 'a.example', 'a.example.crt'), '');
  expect([await asked('a.example'), await asked('a.example')]).toEqual([200, 200]);
});

test('a socket of edge that was removed is noticed, and so is an edge that stays silent', {
  tags: 'slow',
}, async () => {
  const { dnsSocket, edgeProcess } = proxyPaths(dataDir);
  expect(await edge.answers()).toBe(true);
  await rm(dnsSocket);
  expect(await edge.answers()).toBe(false);
  await edge.replace();
  expect(await edge.answers()).toBe(true);
  process.kill(JSON.parse(await readFile(edgeProcess, 'utf8')).pid, 'SIGSTOP');
  expect(await edge.answers()).toBe(false);
});

test('an edge that gets no processor for a moment is not taken for a stuck one', {
  tags: 'slow',
}, async () => {
  const { pid } = JSON.parse(await readFile(proxyPaths(dataDir).edgeProcess, 'utf8'));
  // This process may be held up as well, so once is enough.
  const found: boolean[] = [];
  while (found.length < 5 && !found.includes(true)) {
    process.kill(pid, 'SIGSTOP');
    setTimeout(() => process.kill(pid, 'SIGCONT'), 700);
    found.push(await edge.answers());
  }
  expect(found).toContain(true);
});

test('a second start adopts the running edge, and replaces a stuck one on the same port', {
  tags: 'slow',
}, async () => {
  const paths = proxyPaths(dataDir);
  const pid = async () => JSON.parse(await readFile(paths.edgeProcess, 'utf8')).pid;
  const first = await pid();
  const again = await ensureEdge(paths, certificates());
  expect([again.adopted, again.port, await pid()]).toEqual([true, edge.port, first]);
  process.kill(first, 'SIGSTOP');
  edge = await ensureEdge(paths, certificates());
  expect(edge.port).toBe(again.port);
  expect(await pid()).not.toBe(first);
  expect(await edge.version()).toBe(0);
});

test('edge stays small: it adds under 20 MB to Node’s own size', { tags: 'slow' }, async () => {
  const { pid } = JSON.parse(await readFile(proxyPaths(dataDir).edgeProcess, 'utf8'));
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const [resident, own] = ['VmRSS', 'RssAnon'].map((field) =>
    Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1]),
  );
  console.info(`edge: ${resident} kB resident, ${own} kB of it its own`);
  expect(own).toBeLessThan(20 * 1024);
});
