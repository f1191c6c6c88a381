import { expect, test } from 'vitest';
import { expiryCommand, secondsIn } from '../../dashboard/pages/service/database/expiry-command.ts';
import { textOf } from '../../runner/engines/redis/byte-text.ts';
import { commandWords } from '../../runner/engines/redis/command-words.ts';

test('the command for the expiry of a key names exactly its bytes, whatever they are', () => {
  const keys = ['user:1', 'a b"\\\'\r\n\0', '\\x41', 'ключ 😀', '" 1\r\nFLUSHALL'].map((text) =>
    Buffer.from(text),
  );
  for (const key of [...keys, Buffer.from([0xff, 0x00, 0x22, 0x5c])]) {
    const words = commandWords(expiryCommand(textOf(key), 60));
    expect(words).toEqual([Buffer.from('EXPIRE'), key, Buffer.from('60')]);
    expect(commandWords(expiryCommand(textOf(key), null))).toEqual([Buffer.from('PERSIST'), key]);
  }
});

test('seconds until a key expires are whole and positive, and nothing means never', () => {
  expect(['60', ' 7200 ', '', ' '].map(secondsIn)).toEqual([60, 7_200, null, null]);
  for (const text of ['0', '-1', '1.5', '1e3', 'soon', '9999999999999999'])
    expect(secondsIn(text)).toBeUndefined();
});
