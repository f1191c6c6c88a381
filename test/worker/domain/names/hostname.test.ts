/** Host names that clients send: hostile, foreign, long, and those that are none. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { customHostnameSchema } from '../../../../worker/domain/names/hostname.ts';
import { issueSentence } from '../../../../worker/http/issue-sentence.ts';

const body = z.strictObject({ hostname: customHostnameSchema });

/** The name as it is stored, or the sentence of the refusal. */
function taken(hostname: string): string {
  const parsed = body.safeParse({ hostname });
  return parsed.success ? parsed.data.hostname : issueSentence(parsed.error, 'field');
}

/** A name of this many characters, in labels of at most 63. */
const long = (length: number) => {
  const labels = `${'a'.repeat(44)}.`.repeat(4);
  return `${'b'.repeat(length - labels.length - 4)}.${labels}com`;
};

test.each([
  ['shop.example.com', 'shop.example.com'],
  ['SHOP.Example.COM', 'shop.example.com'],
  // Copied from the address bar.
  ['https://Shop.example.com/', 'shop.example.com'],
  ['HTTP://shop.example.com', 'shop.example.com'],
  ['shop.example.com/', 'shop.example.com'],
  ['https://*.example.com/', '*.example.com'],
  ['example.com', 'example.com'],
  ['1.2.3.example.com', '1.2.3.example.com'],
  ['1e100.net', '1e100.net'],
  ['a-b--c.example.com', 'a-b--c.example.com'],
  ['shop.localhost', 'shop.localhost'],
  ['a.b.localhost', 'a.b.localhost'],
  ['shop.internal', 'shop.internal'],
  ['www.ck', 'www.ck'],
  ['me.github.io', 'me.github.io'],
  // Foreign scripts: both spellings are one name.
  ['bücher.example', 'xn--bcher-kva.example'],
  ['BÜCHER.example', 'xn--bcher-kva.example'],
  ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
  ['XN--BCHER-KVA.example', 'xn--bcher-kva.example'],
  ['faß.example', 'xn--fa-hia.example'],
  ['食狮.公司.cn', 'xn--85x722f.xn--55qx5d.cn'],
  ['שלום.example', 'xn--9dbne9b.example'],
  // A look-alike is another name, and its ASCII form shows it: the first letter is Cyrillic.
  ['аpple.com', 'xn--pple-43d.com'],
  // Full width, ideographic dot, soft hyphen, zero-width space: spellings that UTS 46 maps to the plain one.
  ['ｓｈｏｐ.example.com', 'shop.example.com'],
  ['shop。example．com', 'shop.example.com'],
  ['sh\u00adop.example.com', 'shop.example.com'],
  ['sh\u200bop.example.com', 'shop.example.com'],
  [long(240), long(240)],
  ['*.example.com', '*.example.com'],
  ['*.BÜCHER.example', '*.xn--bcher-kva.example'],
  ['*.shop.localhost', '*.shop.localhost'],
  [`*.${long(238)}`, `*.${long(238)}`],
  [`${'a'.repeat(63)}.example.com`, `${'a'.repeat(63)}.example.com`],
])('the host name %j is stored in ASCII and lower case', (text, stored) => expect(taken(text)).toBe(stored));

test.each([
  ['', 'is empty'],
  [' ', 'spaces'],
  ['shop.example.com ', 'spaces'],
  ['shop.\texample.com', 'control characters'],
  ['shop.example.com\n', 'control characters'],
  ['shop.example\u0000.com', 'control characters'],
  ['shop\u00a0.example.com', 'spaces'],
  ['a.*.example.com', 'wildcard'],
  ['a*.example.com', 'wildcard'],
  ['*.*.example.com', 'wildcard'],
  ['*example.com', 'wildcard'],
  ['*.localhost', 'at least two labels'],
  ['*.', 'is empty'],
  ['*', 'wildcard'],
  ['*.co.uk', 'public suffix'],
  [`*.${long(239)}`, 'too long'],
  ['ftp://shop.example.com', 'leave out the "https://"'],
  ['https://https://shop.example.com', 'leave out the "https://"'],
  ['https://shop.example.com/a', 'leave out the'],
  ['https://shop.example.com//', 'leave out the'],
  ['https://me@shop.example.com/', 'leave out "@"'],
  ['https://shop.example.com:8080/', 'leave out the port'],
  ['https://', 'is empty'],
  ['/', 'is empty'],
  ['shop.example.com/a', 'leave out the path'],
  ['shop.example.com\\a', 'leave out the path'],
  ['shop.example.com?x', 'leave out the path'],
  ['shop.example.com#x', 'leave out the path'],
  ['me@shop.example.com', 'leave out "@"'],
  ['shop.example.com:8080', 'leave out the port'],
  ['shop.example.com.', 'end with a dot'],
  ['shop.example.com。', 'end with a dot'],
  ['.example.com', 'before and after each dot'],
  ['shop..example.com', 'before and after each dot'],
  ['localhost', 'at least two labels'],
  ['com', 'at least two labels'],
  ['10.0.0.1', 'IP address'],
  ['0x7f.1', 'IP address'],
  ['127.1', 'IP address'],
  ['１２７.０.０.１', 'IP address'],
  ['1.2.3.4.5', 'IP address'],
  ['a.1', 'IP address'],
  ['[::1]', 'IP address'],
  ['::1', 'IP address'],
  ['2001:db8::1', 'IP address'],
  ['::ffff:127.0.0.1', 'IP address'],
  ['co.uk', 'public suffix'],
  ['github.io', 'public suffix'],
  ['kobe.jp', 'public suffix'],
  ['公司.cn', 'public suffix'],
  ['-a.example.com', 'inner dashes'],
  ['a-.example.com', 'inner dashes'],
  ['a_b.example.com', 'letters, digits'],
  ['a;b.example.com', 'letters, digits'],
  ['a$(id).example.com', 'letters, digits'],
  ['a`id`.example.com', 'letters, digits'],
  ["a'b.example.com", 'letters, digits'],
  ['{a}.example.com', 'letters, digits'],
  ['a%2eb.example.com', 'is not a valid host name'],
  ['a<b>.example.com', 'is not a valid host name'],
  ['../../etc/passwd', 'leave out the path'],
  ['..', 'end with a dot'],
  // Punycode that decodes to nothing, or to what is not allowed.
  ['xn--.com', 'is not a valid host name'],
  ['xn--xn--a-.com', 'is not a valid host name'],
  ['xn--zz9999999999.com', 'is not a valid host name'],
  ['xn--a.com', 'is not a valid host name'],
  ['xn--garbage.com', 'is not a valid host name'],
  ['shop.xn--garbage', 'is not a valid host name'],
  ['ab--cd.example.com', 'third and fourth characters'],
  // Directions: an override, and a label of both.
  ['shop\u202emoc.example.com', 'is not a valid host name'],
  ['שa.example.com', 'is not a valid host name'],
  ['ﷺ.example.com', 'is not a valid host name'],
  [`${'a'.repeat(64)}.example.com`, 'a label of more than 63'],
  [`${'ü'.repeat(60)}.example.com`, 'a label of more than 63'],
  [long(241), 'too long'],
  ['a.'.repeat(500_000), 'too long'],
])('the host name %j is refused: %s', (text, part) => {
  expect(taken(text)).toMatch(/^The field "hostname" .*\.$/);
  expect(taken(text)).toContain(part);
});

test('a host name that is not a text is refused', () => {
  for (const hostname of [1, null, [], {}, undefined])
    expect(body.safeParse({ hostname }).success).toBe(false);
});

test('an accepted host name is plain, and is accepted again unchanged', { tags: 'slow' }, () => {
  const parts = fc.constantFrom(
    'a',
    'ü',
    'Ⅷ',
    '.',
    '-',
    'xn--',
    '食',
    '\u200d',
    'ß',
    '1',
    '0x',
    '%',
    ':',
    '.com',
    '.uk',
    '٠',
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.array(parts).map((some) => some.join('')),
      ),
      (text) => {
        const stored = taken(text);
        if (stored.startsWith('The field')) return;
        expect(stored).toMatch(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$/);
        expect(stored.length).toBeLessThanOrEqual(240);
        expect(taken(stored)).toBe(stored);
      },
    ),
    { numRuns: 5_000 },
  );
});
