/** Values that hostile clients put into fields. The file in `canaryPath` exists only if one of them was executed. */

const lone = '\ud83d';
const rightToLeft = '\u202e';

/** Texts that would run a command, each in another way. @param path of a file that nothing else creates */
export const executingTexts = (path: string): string[] => [
  `; touch ${path}`,
  `$(touch ${path})`,
  `\`touch ${path}\``,
  `x | touch ${path}`,
  `x && touch ${path} #`,
  `x\ntouch ${path}\n`,
  `x\r\ntouch ${path}`,
  `'; touch ${path}; '`,
  `"; touch ${path}; "`,
  `--upload-pack=touch ${path}`,
  `-oProxyCommand=touch ${path}`,
  `-x --opt=${path}`,
  `ext::sh -c touch% ${path}`,
  `\${IFS}touch\${IFS}${path}`,
  `{{ exec "touch ${path}" }}`,
  `<%= system('touch ${path}') %>`,
];

/** Texts that some layer between client and disk could misread. */
export const hostileTexts: string[] = [
  '',
  ' ',
  '\0',
  `a\0b`,
  'line\r\nSet-Cookie: a=b',
  'line\nX-Injected: 1',
  `' OR 1=1 --`,
  `'); DROP TABLE projects; --`,
  '"\\"\'`',
  '%00%0a%2e%2e%2f',
  '../../../etc/passwd',
  '/etc/passwd',
  '..\\..\\windows',
  'file:///etc/passwd',
  'http://169.254.169.254/latest/meta-data',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: that text itself is the value
  '${PATH} ${x.Y} $${a}',
  '{{7*7}}<%= 7*7 %>#{7*7}',
  '<img src=x onerror=alert(1)>',
  '__proto__',
  'constructor',
  'hasOwnProperty',
  'null',
  'NaN',
  '-1',
  '1e309',
  lone,
  `a${lone}b`,
  'e\u0301 ﬁ Ⅷ ſ K',
  'ＡＢＣ．ｃｏｍ',
  'аpple.com',
  `${rightToLeft}txt.exe`,
  '\ufeffbom',
  'zero\u200bwidth\u2028line',
  '👩‍👩‍👧‍👦🏳️‍🌈',
  '\u001b]8;;http://x\u0007link\u001b[31m',
  'x'.repeat(10_000),
  '😀'.repeat(3_000),
  'a/'.repeat(400),
];

/** Values of other types than the field's own, by their type; a test removes the ones that its field may have. */
export const otherTypes: unknown[][] = [
  [null],
  [true],
  [0, -1, 1.5, 1e308, 2 ** 53],
  ['80', 'true'],
  [[], ['x'], [[['x']]]],
  [{}, { toString: 'x' }, { $gt: '' }],
];

/** Bodies that are not a JSON object, or that parsers interpret differently; `field` is one of the route's fields. */
export const hostileBodies = (field: string): (string | Uint8Array<ArrayBuffer>)[] => [
  '[]',
  'null',
  '"x"',
  '1e999',
  'NaN',
  '{',
  '{,}',
  "{'a':1}",
  `{"${field}":NaN}`,
  `{"${field}":Infinity}`,
  `{"${field}":01}`,
  `{"${field}":"\u0001"}`,
  `{"${field}":"\\x41"}`,
  `{"${field}":1,"${field}":2}`,
  `{"${field}":1,"\\u00${field.charCodeAt(0).toString(16)}${field.slice(1)}":2}`,
  '{"__proto__":{"access":"write"}}',
  '{"constructor":{"prototype":{"access":"write"}}}',
  '{"toString":1}',
  '{"hasOwnProperty":1}',
  `${'['.repeat(100_000)}`,
  `${'['.repeat(60_000)}${']'.repeat(60_000)}`,
  `{"${field}":${'{"a":'.repeat(30)}1${'}'.repeat(30)}}`,
  `{"${'k'.repeat(10_000)}":1}`,
  new Uint8Array([0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]),
  new Uint8Array([0x7b, 0x22, 0xc0, 0xaf, 0x22, 0x3a, 0x31, 0x7d]),
  new Uint8Array([0x1f, 0x8b, 0x08, 0x00]),
];
