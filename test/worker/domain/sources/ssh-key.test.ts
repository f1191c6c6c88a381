/** Private keys in OpenSSH's format. Those in here were made by ssh-keygen 9.2 for this test and open nothing. */
import { expect, test } from 'vitest';
import { publicKeyLine, publicPartOf } from '../../../../worker/domain/sources/ssh-key.ts';

const plain = [
  '-----BEGIN OPENSSH PRIVATE KEY-----',
  'b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW',
  'QyNTUxOQAAACCHV94kOe1vOD/DoPqHi+J5lG5dMGsAyeG4MGJAAiBNIgAAAIhA0j0zQNI9',
  'MwAAAAtzc2gtZWQyNTUxOQAAACCHV94kOe1vOD/DoPqHi+J5lG5dMGsAyeG4MGJAAiBNIg',
  'AAAEAhdxI0ZG4T1NlkiVGqlNihqhhcKx9YCOll75qKcTVc4IdX3iQ57W84P8Og+oeL4nmU',
  'bl0wawDJ4bgwYkACIE0iAAAAAXQBAgME',
  '-----END OPENSSH PRIVATE KEY-----',
].join('\n');
const withPassphrase = [
  '-----BEGIN OPENSSH PRIVATE KEY-----',
  'b3BlbnNzaC1rZXktdjEAAAAACmFlczI1Ni1jdHIAAAAGYmNyeXB0AAAAGAAAABBv9GEkJc',
  'DNQYkqGRZHun4QAAAAEAAAAAEAAAAzAAAAC3NzaC1lZDI1NTE5AAAAICahR4Y0u0Z+8kAq',
  'YW8j4t9HgMW6KzGjStntklgrsyJ7AAAAkKED8UtHY2ZBgiYqUvZOgIJShlJasIVIkmDjkK',
  'MIf5rGUoqmw7+MJmOFrrDyLVyJPTdvXuW0MEm2KDPLOg3+dZHi9YJ/3ag48vsfo/irnsRO',
  'WnH0kDIMyV+v2h8kNUUO705WTVsvLHN3/WxZzVyvykubiIFLV4HwpU1+ZGITjSn66PNDIW',
  'HBO0hunWYfG2geGw==',
  '-----END OPENSSH PRIVATE KEY-----',
].join('\n');

const lineOf = (text: string) => {
  const part = publicPartOf(text);
  return part && publicKeyLine(part, 'shop');
};

test('the public part is the one that ssh-keygen wrote beside the key, whatever ends the lines', () => {
  const line = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIIdX3iQ57W84P8Og+oeL4nmUbl0wawDJ4bgwYkACIE0i shop';
  expect(lineOf(plain)).toBe(line);
  expect(lineOf(`${plain.replaceAll('\n', '\r\n')}\r\n`)).toBe(line);
});

test.each([
  ['a key with a passphrase', withPassphrase],
  ['a key that was cut off', plain.replace(/\n.*\n(?=-----END)/, '\n').slice(0, 120)],
  [
    'a key whose middle is missing',
    plain
      .split('\n')
      .filter((_, index) => index !== 1)
      .join('\n'),
  ],
  ['another format', '-----BEGIN RSA PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----'],
  ['no base64', '-----BEGIN OPENSSH PRIVATE KEY-----\n????\n-----END OPENSSH PRIVATE KEY-----'],
  ['nothing', ''],
])('%s is refused', (_, text) => {
  expect(publicPartOf(text)).toBeUndefined();
});
