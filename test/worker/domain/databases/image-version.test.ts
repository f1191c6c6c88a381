import { expect, test } from 'vitest';
import { imageVersionOf } from '../../../../worker/domain/databases/image-version.ts';

test.each([
  ['postgres:17-alpine', 'postgres', [17]],
  ['timescale/timescaledb:latest-pg17', 'timescale', [17]],
  ['constructor', null, null],
  ['some/toString:1', null, [1]],
])('the image %s shows the engine %s and the version %j', (imageRef, engine, version) =>
  expect(imageVersionOf(imageRef)).toEqual({ engine, version }),
);
