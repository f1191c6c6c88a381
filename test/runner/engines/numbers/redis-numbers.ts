/** Numbers of Redis that some layer could round. */
import { keyId } from '../../../../runner/engines/redis/key-list.ts';
import type { NumbersFixture } from './numbers-contract.ts';

export const redisNumbers: NumbersFixture = {
  table: keyId({ database: 0, key: Buffer.from('numbers') }),
  key: 'member',
  kept: [
    { member: '9007199254740992', score: 0.1 + 0.2 },
    { member: '9007199254740993', score: 2 ** 53 },
    { member: 'least', score: 5e-324 },
    { member: 'zero', score: 0 },
    { member: 'endless', score: '-inf' },
    { member: 'most', score: Number.MAX_VALUE },
  ],
  refused: [
    { score: '9007199254740993' },
    { score: '0.1234567890123456789' },
    { score: '1e-400' },
    { score: '-0' },
    { member: 1e21 },
    { member: 1e-7 },
  ],
  query: { text: 'INCRBY counter 9007199254740993', rows: [{ value: '9007199254740993' }] },
};
