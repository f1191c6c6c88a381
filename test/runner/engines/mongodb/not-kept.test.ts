import { BSON } from 'mongodb';
import { expect, test } from 'vitest';
import { notKeptOf } from '../../../../runner/engines/mongodb/archive/not-kept.ts';

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
