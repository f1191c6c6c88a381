import { expect, test } from 'vitest';
import { type PoolLimits, SessionPool } from '../../../runner/databases/session-pool.ts';
import type { EngineSession } from '../../../runner/engines/engine.ts';
import { EngineError } from '../../../runner/engines/engine-error.ts';
import { manualClock } from '../../support/runner/manual-clock.ts';

const limits: PoolLimits = {
  atOnce: 2,
  waitingMax: 3,
  waitMs: 5_000,
  answerMs: 20_000,
  idleMs: 60_000,
  sessionsMax: 2,
};

/** A session that counts itself; what is asked of it is the test's. */
class Session {
  isClosed = false;
  async close() {
    this.isClosed = true;
  }
}

function stage() {
  const clock = manualClock();
  const pool = new SessionPool(clock, limits);
  const sessions: Session[] = [];
  const open = async () => {
    const session = new Session();
    sessions.push(session);
    return session as unknown as EngineSession;
  };
  /** A question that is at work until `end`. */
  const hold = (serviceId = 'a', run = '1') => {
    const { promise, resolve } = Promise.withResolvers<string>();
    let isAtWork = false;
    const answer = pool.ask({ serviceId, run }, open, () => {
      isAtWork = true;
      return promise;
    });
    answer.catch(() => {});
    return { answer, end: () => resolve('done'), isAtWork: () => isAtWork };
  };
  const ask = (serviceId = 'a', run = '1') => pool.ask({ serviceId, run }, open, async () => 'answer');
  return { clock, pool, sessions, open, hold, ask };
}

const refused = (words: RegExp) => ({ code: 'unavailable', message: expect.stringMatching(words) });

test('queries to one database share a session, which is closed after a minute without queries', async () => {
  const { clock, sessions, ask } = stage();
  await Promise.all([ask(), ask()]);
  await clock.advance(59_000);
  await ask();
  await clock.advance(59_000);
  expect(sessions.map(({ isClosed }) => isClosed)).toEqual([false]);
  await clock.advance(1_000);
  expect(sessions.map(({ isClosed }) => isClosed)).toEqual([true]);
  await ask();
  expect(sessions).toHaveLength(2);
});

test('a session is not idle while a question is running', async () => {
  const { clock, sessions, ask, hold } = stage();
  await ask();
  await clock.advance(50_000);
  const slow = hold();
  await clock.advance(15_000);
  expect(sessions[0]?.isClosed).toBe(false);
  slow.end();
  expect(await slow.answer).toBe('done');
});

test('a restarted database gets a new session, and the old one is closed when its last question has ended', async () => {
  const { clock, sessions, ask, hold } = stage();
  const old = hold('a', '1');
  await clock.advance(0);
  await ask('a', '2');
  expect(sessions.map(({ isClosed }) => isClosed)).toEqual([false, false]);
  old.end();
  expect(await old.answer).toBe('done');
  await clock.advance(0);
  expect(sessions.map(({ isClosed }) => isClosed)).toEqual([true, false]);
});

test('a few questions run at once, more wait in order, and the next is refused', async () => {
  const { clock, hold } = stage();
  const held = Array.from({ length: 5 }, () => hold());
  await clock.advance(0);
  expect(held.map(({ isAtWork }) => isAtWork())).toEqual([true, true, false, false, false]);
  await expect(hold().answer).rejects.toMatchObject(refused(/busy.*Nothing was done/));
  held[1]?.end();
  await clock.advance(0);
  expect(held.map(({ isAtWork }) => isAtWork())).toEqual([true, true, true, false, false]);
  for (const { end } of held) end();
  expect(await Promise.all(held.map(({ answer }) => answer))).toEqual(Array(5).fill('done'));
});

test('the questions of one database do not delay those of another', async () => {
  const { clock, hold, ask } = stage();
  for (let times = 0; times < 5; times++) hold('a');
  await clock.advance(0);
  expect(await ask('b')).toBe('answer');
});

test('a question waits 5 s for its turn and no longer', async () => {
  const { clock, hold } = stage();
  const [one, , waiting] = [hold(), hold(), hold()];
  await clock.advance(5_000);
  await expect(waiting.answer).rejects.toMatchObject(refused(/busy/));
  one.end();
  await clock.advance(0);
  expect(waiting.isAtWork()).toBe(false);
});

test('a session silent for 20 s is given up, and the next question gets a new one', async () => {
  const { clock, sessions, ask, hold } = stage();
  const silent = hold();
  await clock.advance(20_000);
  await expect(silent.answer).rejects.toMatchObject({
    code: 'timeout',
    message: expect.stringContaining('did not answer within 20 s'),
  });
  expect(sessions[0]?.isClosed).toBe(true);
  expect(await ask()).toBe('answer');
  expect(sessions).toHaveLength(2);
});

test('a session that does not open within 20 s reports that nothing was asked or done', async () => {
  const { clock, pool } = stage();
  const { promise } = Promise.withResolvers<EngineSession>();
  const answer = pool.ask(
    { serviceId: 'a', run: '1' },
    () => promise,
    async () => 'answer',
  );
  answer.catch(() => {});
  await clock.advance(20_000);
  await expect(answer).rejects.toMatchObject(refused(/within 20 s. Nothing was done/));
});

test('a refusal of one question leaves the session to the others', async () => {
  const { pool, sessions, open, ask } = stage();
  const refusal = new EngineError('not_found', 'There is no table x.');
  const place = { serviceId: 'a', run: '1' };
  await expect(pool.ask(place, open, () => Promise.reject(refusal))).rejects.toBe(refusal);
  await ask();
  expect(sessions).toHaveLength(1);
});

test('a session that could not be opened is opened again for the next question', async () => {
  const { pool, sessions, ask } = stage();
  const why = new EngineError('conflict', 'The database is still starting.');
  const place = { serviceId: 'a', run: '1' };
  const failed = () =>
    pool.ask(
      place,
      () => Promise.reject(why),
      async () => 'never',
    );
  expect(await Promise.allSettled([failed(), failed()])).toEqual([
    { status: 'rejected', reason: why },
    { status: 'rejected', reason: why },
  ]);
  expect(await ask()).toBe('answer');
  expect(sessions).toHaveLength(1);
});

test('the least recently used of too many databases gives way, never one running', async () => {
  const { clock, sessions, hold, ask } = stage();
  await ask('a');
  await ask('b');
  await ask('a');
  await ask('c');
  await clock.advance(0);
  expect(sessions.map(({ isClosed }) => isClosed)).toEqual([false, true, false]);
  const held = [hold('a'), hold('c')];
  await clock.advance(0);
  await expect(ask('d')).rejects.toMatchObject(refused(/open sessions with 2 databases/));
  for (const { end, answer } of held) {
    end();
    expect(await answer).toBe('done');
  }
});

test('closing the pool closes all sessions, also those running, and refuses waiting questions', async () => {
  const { clock, pool, sessions, hold } = stage();
  hold();
  hold();
  const waiting = hold();
  await clock.advance(0);
  await pool.close();
  await expect(waiting.answer).rejects.toMatchObject(refused(/runner of this host is stopping/));
  expect(sessions.map(({ isClosed }) => isClosed)).toEqual([true]);
});

test('no timer is left once all sessions are closed', async () => {
  const { clock, hold, ask } = stage();
  const held = [hold(), hold(), hold(), hold()];
  await clock.advance(0);
  for (const { end } of held) end();
  await Promise.all(held.map(({ answer }) => answer));
  await ask('b');
  await clock.advance(60_000);
  expect(clock.waiting).toEqual([]);
});
