/** A runner whose host prevents its start: it is connected, says why, takes nothing, and starts by itself. */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { placesUnder } from '../../host/places.ts';
import { whyNotConnected } from '../../host/service.ts';
import { RunnerError } from '../../runner/base/runner-error.ts';
import { ProxyError } from '../../runner/proxy/proxy-error.ts';
import { startAgainMs } from '../../runner/start-once-possible.ts';
import { manualClock } from '../support/runner/manual-clock.ts';
import { startStage } from '../support/runner/stage.ts';
import { temporaryDirectory } from '../support/runner/temporary-directory.ts';
import { startTestHub } from '../support/runner/test-hub.ts';
import { until } from '../support/runner/until.ts';

const portTaken = new ProxyError('port_taken', 'Port 80 is used by another program.');
const system = (code: string) => Object.assign(new Error(`${code}: it failed, write`), { code });

async function prevented(error: unknown) {
  const clock = manualClock();
  const hub = await startTestHub();
  const dataDirectory = temporaryDirectory();
  let now: unknown = error;
  let tries = 0;
  const stage = startStage({
    ...{ clock, hub, dataDirectory },
    prevented: () => {
      tries += 1;
      return now;
    },
  });
  const trouble = (hellos: number) =>
    until(`hello ${hellos}`, () => hub.all('hello')[hellos - 1]?.facts.trouble);
  return {
    ...{ clock, hub, stage, trouble, dataDirectory },
    set(next: unknown) {
      now = next;
    },
    tries: () => tries,
    tryAgain: async () => {
      const before = tries;
      await clock.advance(startAgainMs);
      await until('another try', () => tries > before);
    },
  };
}

test.each([
  ['a port of the proxy is taken', portTaken, /^Port 80 is used by another program\.$/],
  ['the disk is full', system('ENOSPC'), /^The disk is full: free some space\./],
  ['a quota is used up', system('EDQUOT'), /^The disk is full/],
  ['the data directory is read-only', system('EROFS'), /can't be written to/],
  ['something else fails', new Error('boom'), /^The runner can't start \(boom\)/],
])(
  'while %s, the runner is connected and says so, and works once that is over',
  async (_, error, sentence) => {
    const { hub, stage, trouble, tryAgain, set } = await prevented(error);
    expect(await trouble(1)).toMatch(sentence);
    await hub.welcomed(1);
    await tryAgain();
    expect(hub.connections).toBe(1);
    set(undefined);
    await tryAgain();
    const { run, start } = await stage;
    await hub.welcomed(2);
    expect(hub.all('hello')[1]?.facts.trouble).toBeNull();
    hub.send(start('job_1'));
    (await run(1)).finish();
    await (await stage).result('job_1');
    expect((await stage).errors).toEqual([]);
  },
);

test('a journal that cannot be opened is reported to the control plane like any other reason of the host', async () => {
  const dataDirectory = temporaryDirectory();
  const [clock, hub] = [manualClock(), await startTestHub()];
  const blocked = join(dataDirectory, 'journal.db');
  mkdirSync(blocked, { recursive: true });
  const stage = startStage({ clock, hub, dataDirectory });
  const hello = await hub.received('hello');
  expect(hello.facts.trouble).toContain(`${blocked} can't be opened`);
  await hub.welcomed(1);
  rmSync(blocked, { recursive: true });
  await clock.advance(startAgainMs);
  await stage;
  await hub.received('hello', ({ facts }) => facts.trouble === null);
});

test('a runner that cannot start reports another reason, takes no job, and answers questions with the reason', async () => {
  const { hub, clock, set, tryAgain, trouble, stage } = await prevented(portTaken);
  await trouble(1);
  await hub.welcomed(1);
  set(system('ENOSPC'));
  await tryAgain();
  const facts = await hub.received('facts');
  expect(facts.facts.trouble).toMatch(/^The disk is full/);
  hub.send({ type: 'request', id: 'req_1', deadlineMs: 1_000, ask: { op: 'inventory' } });
  expect((await hub.received('response')).outcome).toMatchObject({
    ok: false,
    message: expect.stringMatching(/^The disk is full/),
  });
  expect(hub.all('alive')).toEqual([]);
  set(undefined);
  await clock.advance(startAgainMs);
  await stage;
});

test('the daemon and the connection that reported its trouble are one process, and come one after the other', async () => {
  const { hub, stage, trouble, tryAgain, set } = await prevented(portTaken);
  await trouble(1);
  await hub.welcomed(1);
  let closedAtHello = -1;
  hub.onHello = () => {
    closedAtHello = hub.closed;
  };
  set(undefined);
  await tryAgain();
  await stage;
  await hub.welcomed(2);
  const [first, second] = hub.all('hello');
  expect(second?.bootId).toBe(first?.bootId);
  expect(closedAtHello).toBe(1);
});

test('an installation that waits for the runner reads why it does no work, and later that it works', async () => {
  const { clock, hub, stage, set, tryAgain, dataDirectory } = await prevented(portTaken);
  const places = { ...placesUnder(dataDirectory), data: dataDirectory };
  const why = () => whyNotConnected(places, clock.now() - 60_000, 0);
  expect(await why()).toContain('did not let it in');
  await hub.welcomed(1);
  await until('the reason', async () => /does no work: Port 80 is used/.test((await why()) ?? ''));
  set(system('ENOSPC'));
  await tryAgain();
  await until('the other reason', async () => /does no work: The disk is full/.test((await why()) ?? ''));
  set(undefined);
  await clock.advance(startAgainMs);
  await stage;
  await hub.welcomed(2);
  await until('its work', async () => (await why()) === undefined);
});

test('settings and keys that cannot be used end the process, because waiting would not help', async () => {
  const refused = startStage({ prevented: () => new RunnerError('config_invalid', 'runner.json is wrong') });
  await expect(refused).rejects.toThrow('runner.json is wrong');
});
