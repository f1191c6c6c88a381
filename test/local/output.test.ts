import { describe, expect, test } from 'vitest';
import { createOutput, errorLines } from '../../local/output.ts';
import { readyLines } from '../../local/ready-lines.ts';
import { StartError } from '../../local/start-error.ts';

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

describe('the output', () => {
  test('says each step with its seconds, and hands its result on', async () => {
    const { output, lines } = captured();
    expect(await output.step('Docker', async () => 42)).toBe(42);
    expect(lines.stdout).toEqual([`Docker${' '.repeat(32)}1.2 s`]);
  });

  test('a step that fails is not said to be done', async () => {
    const { output, lines } = captured();
    await expect(output.step('Docker', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(lines.stdout).toEqual([]);
  });

  test('an error goes to stderr: one sentence and the command that mends it', () => {
    const { output, lines } = captured();
    output.fail(
      new StartError('missing_tool', 'git is not installed.', { command: 'sudo apt-get install git' }),
    );
    expect(lines.stdout).toEqual([]);
    expect(lines.stderr).toEqual(['error: git is not installed.', '', '  sudo apt-get install git', '']);
  });

  test('a bug shows where it happened', () => {
    expect(errorLines(new Error('odd'))[0]).toMatch(/^error: Error: odd\n\s+at /);
  });

  test('has no colour unless it is asked for', () => {
    const plain = captured();
    plain.output.say('x');
    plain.output.box(['one', '  two']);
    expect(plain.lines.stdout.join('')).not.toContain('\u001b');
    const coloured = captured(true);
    coloured.output.say('x');
    expect(coloured.lines.stdout.join('')).toContain('\u001b');
  });
});

describe('the closing box', () => {
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
    httpPort: 8080,
    httpsPort: 8443,
    demo: true,
    detach: false,
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
    standIns: ['node:24-slim'],
    seconds: 3.21,
    options,
  };

  test('shows where app and API answer, what is a stand-in, and commands to copy', () => {
    const text = readyLines(facts).join('\n');
    expect(text).toContain('http://127.0.0.1:41000');
    expect(text).toContain('http://hello.localhost:8080');
    expect(text).toContain('API   http://127.0.0.1:8787');
    expect(text).toContain('node:24-slim is a stand-in');
    expect(text).toContain('private addresses');
    expect(readyLines(facts).filter((line) => line.startsWith('  '))).toHaveLength(4);
  });

  test('holds no secret', () => {
    expect(readyLines(facts).join('\n')).not.toMatch(/secret/);
  });

  test('without a demo it shows how to make a project', () => {
    const text = readyLines({ ...facts, demo: undefined, standIns: [] }).join('\n');
    expect(text).toContain('POST /api/projects'.slice(5));
    expect(text).not.toContain('stand-in');
  });
});
