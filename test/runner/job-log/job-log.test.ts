import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { JobLogWriter } from '../../../runner/job-log/job-log.ts';
import { secretMask, secretValues } from '../../../runner/job-log/secret-mask.ts';
import { openJournal } from '../../../runner/journal/journal.ts';
import { oddLines, partBytes, withoutColours } from '../../support/real-world/odd-output.ts';
import { manualClock } from '../../support/runner/manual-clock.ts';
import { silentLogger } from '../../support/runner/silent-logger.ts';
import { temporaryDirectory } from '../../support/runner/temporary-directory.ts';

const job = 'job_1';

function stage(
  secrets: string[] = [],
  flushDelayMs = 1_000,
  limit: { bytesMax?: number; tenantBytesLeft?: number } = {},
) {
  const journal = openJournal(temporaryDirectory(), 0);
  const clock = manualClock();
  let chunks = 0;
  const open = () =>
    new JobLogWriter({
      job,
      spool: journal.logs,
      mask: secretMask(secrets),
      clock,
      logger: silentLogger,
      flushDelayMs: () => flushDelayMs,
      spooled: () => void chunks++,
      ...limit,
    });
  const lines = () => {
    const all: string[] = [];
    for (let chunk = journal.logs.readAfter(job, 0); chunk; chunk = journal.logs.readAfter(job, all.length)) {
      expect(chunk.first).toBe(all.length + 1);
      all.push(...chunk.lines.map(({ line }) => line));
    }
    return all;
  };
  return { log: open(), open, lines, clock, journal, chunks: () => chunks };
}

/** What a log shows of these writes. */
function shown(secrets: string[], ...writes: (string | Uint8Array)[]): string {
  const { log, lines } = stage(secrets);
  for (const one of writes) log.write('stdout', one);
  log.end();
  return lines().join('\n');
}

test('output becomes lines, whatever the boundaries of its writes', {
  tags: 'slow',
  timeout: 20_000,
}, () => {
  fc.assert(
    fc.property(
      fc.array(fc.stringMatching(/^[a-zäöü€😀 ]{0,12}$/u), { minLength: 1, maxLength: 12 }),
      fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 5 }),
      (words, sizes) => {
        const bytes = Buffer.from(`${words.join('\n')}\n`);
        const writes: Uint8Array[] = [];
        for (let at = 0, turn = 0; at < bytes.length; turn++) {
          const size = sizes[turn % sizes.length] ?? 1;
          writes.push(bytes.subarray(at, at + size));
          at += size;
        }
        expect(shown([], ...writes)).toBe(words.join('\n'));
      },
    ),
    { numRuns: 30 },
  );
});

test('output of two streams is not mixed within a line', () => {
  const { log, lines } = stage();
  log.write('stdout', 'out-');
  log.write('stderr', 'err-');
  log.write('stdout', 'put\n');
  log.write('stderr', 'or\n');
  log.end();
  expect(lines()).toEqual(['out-put', 'err-or']);
});

test.each(oddLines)(
  '$is is shown by a build log as people would see it, whatever its parts are',
  ({ bytes, ...line }) => {
    const { log, lines } = stage();
    for (let at = 0; at < bytes.length; at += partBytes)
      log.write('stdout', bytes.subarray(at, at + partBytes));
    log.write('stdout', '\nafter');
    log.end();
    const [first = '', ...others] = lines().map(withoutColours);
    expect(first.slice(0, line.shown.length)).toBe(line.shown);
    expect(first.endsWith('(line cut at 8 KB)')).toBe(line.cut);
    expect(others).toEqual(['after']);
  },
);

test('a progress bar that writes its states one by one, each with its return, shows the last', () => {
  const { log, lines } = stage();
  for (let percent = 0; percent < 10_000; percent++) log.write('stdout', `${percent} of 10000\r`);
  log.write('stdout', 'ERROR: disk is full\n');
  log.end();
  expect(lines()).toEqual(['ERROR: disk is full']);
});

test('output without a last line feed is kept at the end', () => {
  expect(shown([], 'one\ntwo')).toBe('one\ntwo');
});

test('output that is no UTF-8 is replaced', () => {
  expect(shown([], new Uint8Array([0x61, 0xff, 0x62, 0x0a]))).toBe('a\uFFFDb');
});

test('output loses characters that would show it in another order than it was written', () => {
  expect(shown([], 'ok \u202eresu\u202c \u2066x\u2069 \u05d0\u200f\n')).toBe('ok resu x \u05d0\u200f');
});

test('output keeps tabs and colours, and loses every other control character', () => {
  expect(
    shown(
      [],
      '\ta \u001b[1;31mred\u001b[0m \u0000\u0007b\u001b[2K\u001b[3Ac\u001b]8;;http://x\u0007d\u009be\n',
    ),
  ).toBe('\ta \u001b[1;31mred\u001b[0m bcde');
});

test('output that overwrites its line shows what stood there last', () => {
  expect(shown([], '10 %\r50 %\r100 %\r\nnext\r\n')).toBe('100 %\nnext');
});

test('a line longer than 8 KB is cut and marked', () => {
  const [line = '', next] = shown([], `${'ü'.repeat(10_000)}\nnext\n`).split('\n');
  expect(Buffer.byteLength(line)).toBeLessThanOrEqual(8 * 1024);
  expect(line).toMatch(/^ü+ … \(line cut at 8 KB\)$/);
  expect(next).toBe('next');
});

test('output without any line feed does not fill the memory', () => {
  const { log, lines } = stage();
  for (let writes = 0; writes < 2_000; writes++) log.write('stdout', 'x'.repeat(10_000));
  log.end();
  expect(lines()).toHaveLength(1);
});

describe('a secret', () => {
  const secret = 's3cr3t/Wörd+"quoted" & more';

  test('a secret is masked at every position', () => {
    expect(shown([secret], `a ${secret} b ${secret}${secret}\n`)).toBe('a *** b ***');
  });

  test('a secret is hidden when it comes in any two writes', () => {
    const bytes = Buffer.from(`before ${secret} after\n`);
    const { log, lines } = stage([secret]);
    for (let at = 1; at < bytes.length; at++) {
      log.write('stdout', bytes.subarray(0, at));
      log.write('stdout', bytes.subarray(at));
    }
    log.end();
    expect(lines()).toEqual(Array(bytes.length - 1).fill('before *** after'));
  });

  test('a secret is hidden in the forms that programs print', () => {
    const forms = [
      Buffer.from(secret).toString('base64'),
      Buffer.from(secret).toString('base64url'),
      encodeURIComponent(secret),
      JSON.stringify({ secret }),
      String(new URLSearchParams({ secret })),
      Buffer.from(`user:${secret}`).toString('base64'),
      Buffer.from(`me:${secret}:you`).toString('base64'),
      Buffer.from(`x:${secret}`).toString('base64'),
    ];
    const text = shown([secret], `${forms.join('\n')}\n`);
    for (const [index, line] of text.split('\n').entries()) {
      expect(line, forms[index]).toContain('***');
      expect(line.length, forms[index]).toBeLessThan(20);
    }
  });

  test('a secret of several lines is hidden line by line', () => {
    const key = '-----BEGIN KEY-----\nMIIEvQIBADANBg\nkqhkiG9w0BAQEF\n-----END KEY-----\n';
    expect(shown([key], `${key}rest\n`)).toBe('***\n***\n***\n***\nrest');
  });

  test('a secret that is the password of a URL is hidden alone too', () => {
    expect(shown(['postgres://app:hunter2hunter2@db:5432/x'], 'login as hunter2hunter2\n')).toBe(
      'login as ***',
    );
  });

  test("a secret is hidden whatever the size and number of a service's variables", { tags: 'slow' }, () => {
    const large = 'Ab3'.repeat(20_000);
    const certificates = Array.from({ length: 4_000 }, (_, line) => `line-${line}-${'x'.repeat(40)}`);
    const secrets = [large, certificates.join('\n'), 'sm4ll-secret'];
    expect(shown(secrets, `a ${large} b\n${certificates[3_999]}\nsm4ll-secret and more\n`)).toBe(
      'a *** b\n***\n*** and more',
    );
  });

  test('a secret that overlaps another leaves nothing of either', () => {
    expect(shown(['abcd1fgh', '1fgh2jkl'], 'xabcd1fgh2jklx\n')).toBe('x***x');
  });

  test('a secret is hidden when control characters were put between its letters', () => {
    expect(shown(['supersecret'], 'super\u0000sec\u0007ret\n')).toBe('***');
  });

  test('a secret is hidden at every place around the cut of a long line', { tags: 'slow' }, () => {
    const canary = `canary-${'k'.repeat(40)}`;
    const { log, lines } = stage([canary]);
    for (let before = 8_100; before < 8_200; before++) {
      log.write('stdout', `${'x'.repeat(before)}${canary}${'y'.repeat(9_000)}\n`);
    }
    // Masks make the text shorter, so that what stood behind the cut would move in front of it.
    const many = `${canary} `.repeat(170);
    for (let shift = 0; shift < 50; shift++) log.write('stdout', `${'x'.repeat(shift)}${many}${many}\n`);
    log.end();
    expect(lines()).toHaveLength(150);
    expect(lines().join()).not.toContain('canary');
  });

  test('an unresolved reference is not a secret, so that the warning can name it', () => {
    const line = 'Warning: A: $' + '{main-db.DATABASE_URL} stays as written';
    expect(shown(['$' + '{main-db.DATABASE_URL}'], `${line}\n`)).toBe(line);
  });

  test('a value shorter than 6 bytes, or a word of every build log, is not masked', () => {
    const line = 'production build of app1 on 0.0.0.0 port 8080';
    expect(shown(['production', 'app1', '8080', '0.0.0.0', ''], `${line}\n`)).toBe(line);
  });

  test.each([
    ['secret', 'Generate strong secrets before deploying'],
    ['changeme', 'JWT_KEY is changeme'],
    ['Changeme', 'changeme is not allowed'],
    ['letter', 'letters, newsletter and Letters'],
  ])('%s, a word, does not hide parts of "%s"', (secret, line) => {
    expect(shown([secret], `${line}\n`)).toBe(line);
  });

  test('a secret that is a word is hidden where it stands alone, and in its other forms', () => {
    const text = 'hunter: postgres://app:hunter@db/app PASS=hunter x_hunter aHVudGVy "hunter"\n';
    expect(shown(['hunter'], text)).toBe('***: postgres://app:***@db/app PASS=*** x_*** *** "***"');
    // Only words: a secret with a digit may be anywhere.
    expect(shown(['hunter2'], 'xhunter2x\n')).toBe('x***x');
  });

  test('of the variables of a job only the secret ones are masked; all of them if the job does not say which', () => {
    const job = { env: { MODE: 'wrongport', API_KEY: 'abcdefgh' }, gitToken: 'git-token' };
    const line = 'boot mode wrongport with abcdefgh from git-token';
    const masked = (secretKeys?: string[]) => shown(secretValues({ ...job, secretKeys }), `${line}\n`);
    expect(masked(['API_KEY'])).toBe('boot mode wrongport with *** from ***');
    expect(masked([])).toBe('boot mode wrongport with abcdefgh from ***');
    expect(masked()).toBe('boot mode *** with *** from ***');
  });

  test('the token of a git credential is masked', () => {
    const gitCredential = {
      id: 'gcr_1',
      host: 'a.example',
      username: 'u',
      token: 'git-token',
      ofProject: false,
    };
    const values = secretValues({ env: {}, gitToken: null, gitCredential });
    expect(shown(values, 'u got git-token of gcr_1\n')).toBe('u got *** of gcr_1');
  });

  test('a secret is hidden in the platform’s own lines', () => {
    const { log, lines } = stage(['supersecret']);
    log.line('system', 'git says: supersecret is wrong\nsecond line');
    log.end();
    expect(lines()).toEqual(['git says: *** is wrong', 'second line']);
  });
});

test('a chunk is spooled after 100 lines', () => {
  const { log, chunks } = stage();
  for (let lines = 1; lines <= 250; lines++) log.line('stdout', 'x');
  expect(chunks()).toBe(2);
});

test('a chunk of a steady 1,000 lines a second is spooled after 40 of them, and a slow one waits', async () => {
  const { log, chunks, clock } = stage();
  for (let lines = 1; lines <= 41; lines++) {
    log.line('stdout', 'x');
    await clock.advance(1);
  }
  expect(chunks()).toBe(1);
  for (let lines = 1; lines <= 20; lines++) {
    log.line('stdout', 'x');
    await clock.advance(10);
  }
  expect(chunks()).toBe(1);
});

test('a chunk is spooled at 64 KB', () => {
  const { log, chunks } = stage();
  for (let lines = 1; lines <= 9; lines++) log.line('stdout', 'x'.repeat(8_000));
  expect(chunks()).toBe(1);
});

test('a chunk waits for more lines no longer than the delay', async () => {
  const { log, chunks, clock } = stage([], 50);
  log.line('stdout', 'x');
  await clock.advance(49);
  expect(chunks()).toBe(0);
  await clock.advance(1);
  expect(chunks()).toBe(1);
});

test('what is over the rest of the tenant’s day is dropped, and one line says so with the number', () => {
  const { log, lines } = stage([], 1_000, { tenantBytesLeft: 40 });
  log.line('stdout', 'x'.repeat(40));
  log.line('stdout', 'y');
  log.line('stderr', 'z');
  log.line('system', 'build: done');
  log.end();
  expect(lines()).toEqual([
    'x'.repeat(40),
    'The log was truncated here: 40 bytes were left of the quotas "buildLogBytesPerDay" and "logBytes" when it started.',
    'build: done',
  ]);
  expect(log.bytes).toBeGreaterThanOrEqual(40);
});

test('a log of nothing but newlines ends at its limit, too', () => {
  const { log, lines } = stage([], 1_000, { bytesMax: 320 });
  for (let count = 0; count < 1_000; count++) log.line('stdout', '');
  log.end();
  expect(lines()).toHaveLength(11);
});

test('a log that reaches its limit says once that it was truncated, and continues with the platform’s own lines only', () => {
  const { log, open, lines, journal } = stage([], 1_000, { bytesMax: 1_000_000 });
  for (let count = 0; count < 150; count++) log.line('stdout', 'x'.repeat(8_000));
  log.line('system', 'build: done');
  log.end();
  const after = open(); // after a restart of the runner
  after.line('stdout', 'more');
  after.line('system', 'Done.');
  after.end();
  const all = lines();
  expect(all.slice(-3)).toEqual([
    'The log was truncated here: it has reached 50 MB.',
    'build: done',
    'Done.',
  ]);
  expect(all.filter((line) => line.startsWith('The log was truncated'))).toHaveLength(1);
  expect(journal.logs.head(job).full).toBe(true);
  expect(all).toHaveLength(125 + 3);
});

test('masking does not slow a log of 20,000 lines below the speed of hosts', {
  tags: 'slow',
  timeout: 20_000,
}, () => {
  const secrets = Array.from({ length: 40 }, (_, index) => `value-${index}-${'abcdefgh'.repeat(3)}`);
  const { log } = stage(secrets);
  const from = performance.now();
  for (let count = 0; count < 20_000; count++)
    log.line('stdout', `#${count} compiling module number ${count} of the application`);
  log.end();
  expect(performance.now() - from).toBeLessThan(10_000);
});

test('secrets that become known later are masked from then on, together with the first ones, also at the end of a long line', () => {
  const { log, lines } = stage(['first-secret-1']);
  log.write('stdout', 'before second-secret-2 ends');
  log.hide(['second-secret-2', 'secret-2-third', 'x'.repeat(9_000)]);
  log.write('stdout', 'first-secret-1 second-secret-2 second-secret-2-third ');
  log.write('stderr', `${'x'.repeat(9_000)}\n`);
  log.end();
  expect(lines()).toEqual(['before second-secret-2 ends', '***', '*** *** *** ']);
});
