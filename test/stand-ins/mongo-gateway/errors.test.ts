import { expect, test } from 'vitest';
import { CommandError, errorDocument, unpackedCode } from './errors.ts';

test("DocumentDB's duplicate key is MongoDB's", () => {
  expect(unpackedCode(319_029_277)).toBe(11_000);
  const thrown = Object.assign(new Error('Duplicate key'), { code: 'M001C' });
  expect(errorDocument(thrown)).toEqual({
    ok: 0,
    errmsg: 'Duplicate key',
    code: 11_000,
    codeName: 'DuplicateKey',
  });
});

test("PostgreSQL's end of a statement is MongoDB's end of its time", () => {
  const thrown = Object.assign(new Error('canceling statement'), { code: '57014' });
  expect(errorDocument(thrown)).toMatchObject({ code: 50, codeName: 'MaxTimeMSExpired' });
});

test("the gateway's own refusals say what they say, and what nobody knows is internal", () => {
  expect(errorDocument(new CommandError(13, 'Unauthorized', 'no'))).toMatchObject({ code: 13, errmsg: 'no' });
  expect(errorDocument(new Error('x'))).toMatchObject({ code: 1, codeName: 'InternalError' });
  expect(unpackedCode(0)).toBe(1);
});
