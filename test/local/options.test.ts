import { expect, test } from 'vitest';
import { parseSetUpOptions, parseStartOptions, parseStopOptions } from '../../local/options.ts';

const defaults = {
  data: '.longshore',
  port: 8787,
  listen: undefined,
  httpPort: 8080,
  httpsPort: 8443,
  demo: true,
  detach: false,
  paused: false,
};

test('options of npm start have defaults for everything', () => {
  expect(parseStartOptions([])).toEqual(defaults);
});

test('options of npm start are taken in both spellings', () => {
  const args = [
    '--data=/srv/ls',
    '--port',
    '1',
    '--http-port=2',
    '--https-port',
    '3',
    '--no-demo',
    '--detach',
  ];
  expect(parseStartOptions(args)).toEqual({
    data: '/srv/ls',
    port: 1,
    listen: undefined,
    httpPort: 2,
    httpsPort: 3,
    demo: false,
    detach: true,
    paused: false,
  });
});

test.each([[['--colour']], [['extra']], [['--port']], [['-p', '1']]])(
  'options of npm start refuse %j with the list of options',
  (args) => {
    expect(() => parseStartOptions(args)).toThrow(/The options are:[\s\S]*--https-port N/);
  },
);

test.each(['0', '65536', '80a', '', '-1', '1.5'])('options of npm start refuse "%s" as a port', (port) => {
  expect(() => parseStartOptions([`--port=${port}`])).toThrow('--port must be a port');
});

test('options of npm start refuse one port for two purposes', () => {
  expect(() => parseStartOptions(['--port', '8080'])).toThrow('three different ports');
});

test('options of npm start ask for help', () => {
  expect(parseStartOptions(['--help'])).toBe('help');
});

test('npm stop keeps the apps unless an option says otherwise', () => {
  expect(parseStopOptions([])).toEqual({ data: '.longshore', all: false, purge: false });
  expect(parseStopOptions(['--all'])).toEqual({ data: '.longshore', all: true, purge: false });
});

test('npm stop with a purge ends the apps too', () => {
  expect(parseStopOptions(['--purge'])).toMatchObject({ all: true, purge: true });
});

test('options of npm stop refuse an empty data directory', () => {
  expect(() => parseStopOptions(['--data='])).toThrow('--data needs a directory');
});

test('npm run setup takes a data directory and nothing else', () => {
  expect(parseSetUpOptions(['--data', 'x'])).toEqual({ data: 'x' });
  expect(() => parseSetUpOptions(['--port', '1'])).toThrow('The options are');
});
