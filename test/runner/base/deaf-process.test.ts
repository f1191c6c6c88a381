import { expect, test } from 'vitest';
import { heardBy } from '../../../runner/base/deaf-process.ts';

const status = (fields: { name?: string; pids?: string; caught?: string; blocked?: string }) =>
  [
    `Name:\t${fields.name ?? 'node'}`,
    `NSpid:\t${fields.pids ?? '4711\t1'}`,
    `SigBlk:\t${fields.blocked ?? '0000000000000000'}`,
    'SigIgn:\t0000000000001000',
    `SigCgt:\t${fields.caught ?? '0000000100000002'}`,
  ].join('\n');
const [term, quit] = [15, 3];

test.for([
  { what: 'does not hear a signal that it neither handles nor blocks', of: {}, signal: term, heard: false },
  { what: 'hears a signal that it handles', of: { caught: '0000000100004002' }, signal: term, heard: true },
  {
    what: 'hears a signal that it blocks and waits for',
    of: { blocked: 'fffffffe7ffbfeff' },
    signal: term,
    heard: true,
  },
  {
    what: "hears every signal if it is Docker's init, which shows none as blocked while it waits for them",
    of: { name: 'docker-init', caught: '0000000000000000' },
    signal: term,
    heard: true,
  },
  { what: 'hears the signal of its image', of: { caught: '0000000000000004' }, signal: quit, heard: true },
  {
    what: 'hears every signal if it is not the first of its namespace',
    of: { pids: '4711' },
    signal: term,
    heard: true,
  },
])('a process $what', ({ of, signal, heard }) => {
  expect(heardBy(status(of), signal)).toBe(heard);
});
