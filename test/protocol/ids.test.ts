import { expect, test } from 'vitest';
import { type IdKind, idPrefixes, idSchema, newId } from '../../protocol/ids.ts';

const fillRandom = (bytes: Uint8Array<ArrayBuffer>) => void crypto.getRandomValues(bytes);

test('an id of every kind fits its own schema and no other', () => {
  const kinds = Object.keys(idPrefixes) as IdKind[];
  for (const kind of kinds) {
    const id = newId(kind, fillRandom);
    expect(kinds.filter((other) => idSchema(other).safeParse(id).success)).toEqual([kind]);
  }
});

test('an id begins with the mark of its cell, and fits the schema of every id', () => {
  const id = newId('project', fillRandom, 'c3');
  expect(id).toMatch(/^prj_c3[a-z0-9]{14}$/);
  expect(idSchema('project').safeParse(id).success).toBe(true);
});

test('bytes that would favour some characters are rejected', () => {
  let calls = 0;
  const id = newId('service', (bytes) => {
    // 252 to 255 lie above the last whole multiple of 36: the first filling yields nothing.
    bytes.fill(calls === 0 ? 255 : 35);
    calls += 1;
  });
  expect(id).toBe(`svc_${'9'.repeat(16)}`);
  expect(calls).toBe(2);
});
