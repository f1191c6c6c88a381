import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { stopCommand } from '../../local/instance/shell-command.ts';
import { createOutput, errorLines } from '../../local/output.ts';
import { readyLines } from '../../local/ready-lines.ts';
import { StartError } from '../../local/start-error.ts';
import { temporaryDirectory } from '../support/runner/temporary.ts';

function captured(colour = false) {
  const lines = { stdout: [] as string[], stderr: [] as string[] };
  let now = 0;
  const output = createOutput({
    write: (stream, text) => void lines[stream].push(text),
    colour,
    now: () => {
      now += 1_234;
      return now;
    },
  });
  return { output, lines };
}

test('the output prints each step with its seconds and passes its result on', async () => {
  const { output, lines } = captured();
  expect(await output.step('Docker', async () => 42)).toBe(42);
  expect(lines.stdout).toEqual([`Docker${' '.repeat(32)}1.2 s`]);
});

test('a failed step is not reported as done', async () => {
  const { output, lines } = captured();
  await expect(output.step('Docker', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(lines.stdout).toEqual([]);
});

test('an error is printed to stderr: one sentence and the command that fixes it', () => {
  const { output, lines } = captured();
  output.fail(
    new StartError('missing_tool', 'git is not installed.', { command: 'sudo apt-get install git' }),
  );
  expect(lines.stdout).toEqual([]);
  expect(lines.stderr).toEqual(['error: git is not installed.', '', '  sudo apt-get install git', '']);
});

test('a bug is printed with its stack', () => {
  expect(errorLines(new Error('odd'))[0]).toMatch(/^error: Error: odd\n\s+at /);
});

test('the output has no colour unless asked for', () => {
  const plain = captured();
  plain.output.say('x');
  plain.output.box(['one', '  two']);
  expect(plain.lines.stdout.join('')).not.toContain('\u001b');
  const coloured = captured(true);
  coloured.output.say('x');
  expect(coloured.lines.stdout.join('')).toContain('\u001b');
});

const local = {
  url: 'http://127.0.0.1:8787',
  operatorToken: 'secret-operator',
  apiKey: 'secret-key',
  runnerId: 'run_1',
  httpPort: 8080,
  httpsPort: 8443,
};
const options = {
  data: '.longshore',
  port: 8787,
  listen: undefined,
  httpPort: 8080,
  httpsPort: 8443,
  demo: true,
  detach: false,
  paused: false,
};
const demo = {
  serviceId: 'svc_1',
  localUrl: 'http://127.0.0.1:41000',
  primaryUrl: 'http://hello.localhost:8080',
};
const facts = {
  local,
  demo,
  localFile: '/data/local.json',
  signIn: 'http://127.0.0.1:8787/sign-in#lsk_code',
  standIns: ['node:24-slim'],
  seconds: 3.21,
  options,
  isPackage: false,
};

test('the final message shows the addresses of app and API, the stand-ins, and commands to copy', () => {
  const text = readyLines(facts).join('\n');
  expect(text).toContain('http://127.0.0.1:41000');
  expect(text).toContain('http://hello.localhost:8080');
  expect(text).toContain('API   http://127.0.0.1:8787');
  expect(text).toContain('Open  http://127.0.0.1:8787/sign-in#lsk_code ');
  expect(text).toContain('node:24-slim is a stand-in');
  expect(text).toContain('MongoDB and ClickHouse need a container registry');
  expect(text).toContain('private addresses');
  expect(readyLines(facts).filter((line) => line.startsWith('  '))).toEqual([
    expect.stringMatching(/^ {2}npm run cli --prefix (\S+) && alias longshore=\1\/dist\/longshore\.mjs$/),
    expect.stringMatching(/local\.json \| longshore login http:\/\/127\.0\.0\.1:8787 --stdin$/),
    ...['  longshore up', '  longshore logs -f', '  longshore --help'],
  ]);
});

test.each(["/tmp/it's $HOME", '/tmp/a "b" `c`', '/tmp/back\\slash\nline'])(
  "the commands of the closing box reach this instance's files, whatever it is called: %j",
  async (name) => {
    const directory = join(await temporaryDirectory(), name);
    mkdirSync(directory, { recursive: true });
    const localFile = join(directory, 'local.json');
    writeFileSync(localFile, '{"apiKey":"the key"}');
    const text = readyLines({ ...facts, localFile, options: { ...options, data: directory } }).join('\n');
    const key = text.slice(text.indexOf('  node -p'), text.indexOf(' | longshore login'));
    expect(execFileSync('sh', ['-c', key], { encoding: 'utf8' })).toBe('the key\n');
    const stop = text.slice(text.indexOf('npm stop'), text.indexOf('   (deployed apps'));
    const shown = `npm() { for word; do printf '%s\\0' "$word"; done; }; ${stop}`;
    const words = execFileSync('sh', ['-c', shown], { encoding: 'utf8' }).split('\0');
    expect(words).toEqual(['stop', '--', '--data', directory, '']);
  },
);

test('an instance of the command line names its commands, with a login only where its folder is another one', () => {
  const commands = (more: object) =>
    readyLines({ ...facts, isPackage: true, ...more }).filter((line) => line.startsWith('  '));
  expect(commands({})).toEqual(['  longshore up', '  longshore logs -f', '  longshore --help']);
  const [login] = commands({ options: { ...options, data: '/srv/two' } });
  expect(login).toMatch(/local\.json \| longshore login http:\/\/127\.0\.0\.1:8787 --stdin$/);
});

test('the closing box holds no secret', () => {
  expect(readyLines(facts).join('\n')).not.toMatch(/secret/);
});

test('the closing box without a demo and without stand-ins mentions neither', () => {
  const text = readyLines({ ...facts, demo: undefined, standIns: [] }).join('\n');
  expect(text).not.toContain('App ');
  expect(text).not.toContain('stand-in');
  expect(text).not.toContain('registry');
});

test('the command that stops an instance names its data directory, unless that is the default', () => {
  expect(stopCommand('.longshore')).toBe('npm stop');
  expect(stopCommand('./.longshore/', '--all')).toBe('npm stop -- --all');
  expect(stopCommand('/srv/two', '--all')).toBe('npm stop -- --all --data /srv/two');
  expect(stopCommand('-x y')).toBe("npm stop -- --data='-x y'");
});
