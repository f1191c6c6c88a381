import { createHash, createHmac, pbkdf2Sync } from 'node:crypto';
import { expect, test } from 'vitest';
import { begin, credentialsOf } from './scram.ts';

/** The example of RFC 7677, section 3. */
const example = {
  clientFirst: 'n,,n=user,r=rOprNGfwEbeRWgbNEkqO',
  serverNonce: '%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0',
  salt: Buffer.from('W22ZaJ0SNY7soEsUEjb6gQ==', 'base64'),
  iterations: 4096,
  password: 'pencil',
  serverFirst: 'r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096',
  clientFinal:
    'c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=',
  serverFinal: 'v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=',
};
const { password, salt, iterations } = example;
const known = async () => credentialsOf(password, salt, iterations);

test("the RFC's example gives the RFC's answers", async () => {
  const conversation = await begin(example.clientFirst, known, example.serverNonce);
  expect(conversation.user).toBe('user');
  expect(conversation.serverFirst).toBe(example.serverFirst);
  expect(conversation.finish(example.clientFinal)).toBe(example.serverFinal);
});

test.each([
  ['another password', credentialsOf('pencils', salt, iterations), example.clientFinal],
  ['another nonce', credentialsOf(password, salt, iterations), example.clientFinal.replace('hvYD', 'hvYE')],
  ['a short proof', credentialsOf(password, salt, iterations), `${example.clientFinal.slice(0, -20)}AAA=`],
  ['no proof', credentialsOf(password, salt, iterations), 'c=biws,r=x'],
  ['nothing', credentialsOf(password, salt, iterations), ''],
])('the wrong proof "%s" is refused', async (_, credentials, clientFinal) => {
  const conversation = await begin(example.clientFirst, async () => credentials, example.serverNonce);
  expect(conversation.finish(clientFinal)).toBeUndefined();
});

test('a name is read with its commas and equals signs', async () => {
  const asked: string[] = [];
  await begin('n,,n=a=2Cb=3D=2C,r=x', async (user) => {
    asked.push(user);
    return known();
  });
  expect(asked).toEqual(['a,b=,']);
});

test.each(['', 'n=user,r=x', 'p=tls-unique,,n=user,r=x', 'n,a=other,n=user,r=x', 'n,,n=,r=x'])(
  'a malformed first message is refused: %j',
  async (text) => {
    await expect(begin(text, known)).rejects.toThrow('not of SCRAM');
  },
);

/** As a client makes it, of the prepared text. */
const storedKey = (text: string) => {
  const salted = pbkdf2Sync(text, salt, iterations, 32, 'sha256');
  return createHash('sha256').update(createHmac('sha256', salted).update('Client Key').digest()).digest();
};

// Of RFC 4013, section 3, and a blank of another kind.
test.each([
  ['I\u00adX', 'IX'],
  ['user', 'user'],
  ['\u00aa', 'a'],
  ['\u2168', 'IX'],
  ['a\u3000b', 'a b'],
  ['pä', 'pä'],
])('a password %j is prepared as %j', (text, prepared) => {
  expect(credentialsOf(text, salt, iterations).storedKey).toEqual(storedKey(prepared));
});

test('a password is kept with another salt each time', () => {
  expect(credentialsOf('x').salt).not.toEqual(credentialsOf('x').salt);
});
