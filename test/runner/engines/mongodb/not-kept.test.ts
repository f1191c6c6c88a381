import { BSON } from 'mongodb';
import { expect, test } from 'vitest';
import { defaultsNotKept, notKeptOf } from '../../../../runner/engines/mongodb/archive/not-kept.ts';

const listed = (collection: string, options: object) => ({
  ...{ db: 'shop', collection },
  options: BSON.serialize(options),
});

test('a backup names the collections that store images for change streams', () => {
  const all = [
    listed('plain', {}),
    listed('off', { changeStreamPreAndPostImages: { enabled: false } }),
    listed('on', { capped: false, changeStreamPreAndPostImages: { enabled: true } }),
  ];
  expect(notKeptOf(all)).toEqual([
    'The option changeStreamPreAndPostImages of shop.on is left out, with the stored images: set it again with collMod after a restore.',
  ]);
});

test('a backup names a compatibility version that is not that of the server, and default concerns', () => {
  expect(defaultsNotKept({ compatibility: '6.0', hasDefaultConcern: false })).toEqual([
    'The featureCompatibilityVersion 6.0 is left out: a restored server has that of its own version. Set it again after a restore.',
  ]);
  expect(defaultsNotKept({ compatibility: undefined, hasDefaultConcern: true })).toEqual([
    'The defaults of setDefaultRWConcern are left out: set them again after a restore.',
  ]);
  expect(defaultsNotKept({ compatibility: undefined, hasDefaultConcern: false })).toEqual([]);
});
