import { expect, test } from 'vitest';
import { EngineError } from '../../../runner/engines/engine-error.ts';

const withCode = (code: string, message: string) => Object.assign(new Error(message), { code });

/** As the drivers say it. */
const silences = [
  new Error('connect ETIMEDOUT 10.210.0.8:27017'),
  withCode('ECONNREFUSED', ''),
  withCode('ECONNRESET', 'read ECONNRESET'),
  new Error('Connection terminated due to connection timeout'),
  new Error('Connection terminated unexpectedly'),
  new Error('Command timed out'),
  new Error('Connection is closed.'),
  new Error('Redis closed the connection'),
  new Error('Server selection timed out after 5000 ms'),
  new Error('Connection to 10.210.0.8:27017 interrupted due to server monitor timeout'),
  new Error('connection 3 to 10.210.0.8:27017 closed'),
  withCode('PROTOCOL_CONNECTION_LOST', 'Connection lost: The server closed the connection.'),
];

test.each(silences)(
  'a database that does not answer is reported in one sentence with a way out, without its address: %s',
  (error) => {
    expect(EngineError.from(error)).toMatchObject({
      code: 'unavailable',
      message:
        'The database does not answer: its container may be overloaded or stopped; see its runtime log.',
    });
  },
);

test.each(silences)(
  'a database that does not answer after a change was sent leaves open whether it was made: %s',
  (error) => {
    expect(EngineError.unanswered(error)).toMatchObject({
      code: 'timeout',
      message: 'The connection to the database was lost before its answer came.',
    });
  },
);

test('a database that refuses is distinguished from one that does not answer, and its words stay', () => {
  for (const words of ['WRONGPASS invalid username-password pair', 'the database system is starting up']) {
    expect(EngineError.from(new Error(words))).toMatchObject({ code: 'unavailable', message: words });
    expect(EngineError.unanswered(new Error(words))).toMatchObject({ code: 'unavailable', message: words });
  }
  const refusal = new EngineError('conflict', 'The connection timed out, says a trigger.');
  expect(EngineError.unanswered(refusal)).toBe(refusal);
});
