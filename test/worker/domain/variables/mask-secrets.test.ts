import fc from 'fast-check';
import { expect, test } from 'vitest';
import { secretMasker } from '../../../../worker/domain/variables/mask-secrets.ts';

const masked = (text: string, ...secrets: string[]) => secretMasker(secrets)(text);

const secret = 'p&ss w"rd/ü+1';
test.each([
  ['as they are', secret],
  ['encoded for a path', encodeURIComponent(secret)],
  ['encoded for a form', new URLSearchParams({ v: secret }).toString().slice(2)],
  ['in JSON', JSON.stringify(secret).slice(1, -1)],
])('known values are masked: %s', (_, form) => {
  expect(masked(`before ${form} after`, secret)).toBe('before *** after');
});

test.each(['', 'a', 'ab', 'app:', 'user@host:'])(
  'known values are masked in base64 behind "%s"',
  (before) => {
    const bytes = new TextEncoder().encode(`${before}${secret}!`);
    const text = btoa(String.fromCharCode(...bytes));
    const shown = masked(`sent ${text}`, secret);
    expect(shown).toContain('***');
    expect(shown.length).toBeLessThan(text.length);
  },
);

test('each line of a multi-line value and the password of a URL alone are masked', () => {
  expect(masked('x line-two y', 'line-one\nline-two')).toBe('x *** y');
  expect(masked('login hunter22 failed', 'postgres://app:hunter22@db/app')).toBe('login *** failed');
});

test('the longest of overlapping values is masked, and short ones stay', () => {
  expect(masked('abcdefghij', 'abcdef', 'abcdefghij')).toBe('***');
  expect(masked('port 8080', '8080')).toBe('port 8080');
});

test('no value survives in any text around it', () => {
  const value = fc.string({ minLength: 6, maxLength: 60 }).filter((text) => text.trim().length >= 6);
  fc.assert(
    fc.property(fc.array(value, { minLength: 1, maxLength: 5 }), fc.string(), (values, around) => {
      const shown = masked(values.map((one) => around + one).join('\n'), ...values);
      for (const one of values) {
        // What is left of a text may only hold a value that the masks themselves make up.
        if (!one.includes('*')) expect(shown).not.toContain(one.trim());
      }
    }),
  );
});

test.each([
  ['https://me:secretpart@git.example/x', 'https://***@git.example/x'],
  ['Authorization: Bearer abcdefgh', 'Authorization: *** ***'],
  ['PASSWORD=abc', 'PASSWORD=***'],
  ['"client_secret": "abc def"', '"client_secret": ***'],
  ['--api-key=abc next', '--api-key=*** next'],
  ['key ghp_0123456789abcdefghijABCDEFGHIJ012345 end', 'key *** end'],
  ['AKIAIOSFODNN7EXAMPLE', '***'],
  ['sk-ant-api03-abcdefghijklmnop', '***'],
  ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc_def', '***'],
  ['id 0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0u end', 'id *** end'],
])('text that looks like a credential is masked although it is unknown: %s', (text, shown) => {
  expect(masked(text)).toBe(shown);
});

test('names of images, versions and files stay', () => {
  for (const text of [
    'sha256:0f5e4a0d0f5e4a0d0f5e4a0d0f5e4a0d0f5e4a0d0f5e4a0d0f5e4a0d0f5e4a0d not found',
    'Checked out 8f3c1d0b7a5e49c2a0d6f1e2b3c4d5e6f7a8b9c0',
    'src/index.ts(2,14): error TS2322: Type number is not assignable to type string.',
    'fatal: unable to access https://git.example.com/acme/web.git/: Could not resolve host',
  ]) {
    expect(masked(text)).toBe(text);
  }
});

test.each(['password', 'a', 'A_', 'https://', 'a.b/c:1:', 'eyJ', '-----BEGIN PRIVATE KEY-----'])(
  'a line made of "%s" alone takes no longer than another',
  (part) => {
    const line = part.repeat(64_000 / part.length);
    const startedAt = performance.now();
    masked(line, 'secret-value');
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  },
);

test('256 KB of variables cost milliseconds', { tags: 'slow' }, () => {
  const secrets = Array.from({ length: 8_000 }, (_, index) => `value-${index}-${'x'.repeat(20)}`);
  const shown = masked(`${'log line without anything\n'.repeat(300)}${secrets[7_999]}`, ...secrets);
  expect(shown.endsWith('***')).toBe(true);
});
