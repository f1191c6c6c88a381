import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  endProcess,
  findProcess,
  isAlive,
  type ProcessPlan,
  type ProcessRecord,
  signalProcess,
  startProcess,
} from '../../../runner/proxy/owned-process.ts';

let directory: string;
let plan: ProcessPlan;
let record: ProcessRecord | undefined;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'longshore-process-'));
  plan = {
    name: 'sleeper',
    // Its command line holds the directory, as those of edge and Caddy do.
    command: [process.execPath, '-e', `console.log('here'); setInterval(() => {}, 1000)`, directory],
    environment: {},
    logFile: join(directory, 'log'),
    recordFile: join(directory, 'process.json'),
    fingerprint: 'one',
  };
});

afterEach(async () => {
  if (record) await endProcess(record, 0);
  record = undefined;
  rmSync(directory, { recursive: true });
});

test('an owned process runs in its own session, without our environment, and writes to its log', async () => {
  record = await startProcess(plan);
  const stat = readFileSync(`/proc/${record.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  expect(Number(stat[3])).toBe(record.pid);
  expect(readFileSync(`/proc/${record.pid}/environ`, 'utf8')).toBe('');
  await expect.poll(() => readFileSync(plan.logFile, 'utf8')).toContain('here');
});

test('an owned process gets a higher priority than other work, if it may', async () => {
  record = await startProcess(plan);
  const priority = process.getuid?.() === 0 ? -10 : 0;
  expect(getPriority(record.pid)).toBe(priority);
  // The priority of its session counts against the sessions of builds and dumps, where the kernel has it.
  const session = `/proc/${record.pid}/autogroup`;
  if (existsSync(session)) expect(readFileSync(session, 'utf8')).toMatch(new RegExp(` nice ${priority}\\n$`));
});

test('a process of ours is found again by its record, and by its command line when there is none', async () => {
  record = await startProcess(plan);
  expect(findProcess(plan)).toEqual(record);
  rmSync(plan.recordFile);
  expect(findProcess(plan)).toMatchObject({
    pid: record.pid,
    startTime: record.startTime,
    fingerprint: '',
  });
  writeFileSync(plan.recordFile, 'damaged');
  expect(findProcess(plan)?.pid).toBe(record.pid);
});

test('a process of ours is gone when it has ended, and then nothing is found', async () => {
  record = await startProcess(plan);
  await endProcess(record, 1_000);
  expect([isAlive(record), findProcess(plan)]).toEqual([false, undefined]);
});

test('a process of ours that ignores SIGTERM is killed after the grace', async () => {
  plan.command[2] = `process.on('SIGTERM', () => {}); console.log('here'); setInterval(() => {}, 1000)`;
  record = await startProcess(plan);
  await expect.poll(() => readFileSync(plan.logFile, 'utf8')).toContain('here');
  await endProcess(record, 100);
  expect(isAlive(record)).toBe(false);
});

test('a pid that now belongs to somebody else is neither taken for ours nor signalled', async () => {
  record = await startProcess(plan);
  for (const change of [{ startTime: '1' }, { bootId: 'another boot' }]) {
    const stranger = { ...record, ...change };
    expect(isAlive(stranger)).toBe(false);
    signalProcess(stranger, 'SIGKILL');
    await endProcess(stranger, 0);
  }
  expect(isAlive(record)).toBe(true);
});

test('a program that does not exist is reported in a sentence', async () => {
  plan.command[0] = join(directory, 'missing');
  await expect(startProcess(plan)).rejects.toMatchObject({
    code: 'start_failed',
    message: expect.stringContaining('sleeper could not be started'),
  });
});

test('a log that has grown too big is set aside at the start', async () => {
  writeFileSync(plan.logFile, Buffer.alloc(10 * 1024 * 1024 + 1));
  record = await startProcess(plan);
  expect(statSync(`${plan.logFile}.1`).size).toBeGreaterThan(10 * 1024 * 1024);
  expect(statSync(plan.logFile).size).toBeLessThan(1024);
});
