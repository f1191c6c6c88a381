/** Texts that the check and BuildKit could take for different things, and files that are made to keep the runner busy. */
import { describe, expect, test } from 'vitest';
import { built, check, names, plainImage } from '../../../support/runner/check-dockerfile.ts';

/** Next line: white space for Go, in which BuildKit is written, and not for JavaScript. */
const nextLine = '\u0085';

describe('white space that only BuildKit takes for a gap', () => {
  test.each([
    ['a variable', `ENV A=1${nextLine}LONGSHORE_BUILD_SCOPE=x`, /LONGSHORE_BUILD_SCOPE is reserved/],
    ['a label', `LABEL a=1${nextLine}longshore.role=x`, /labels that begin with "longshore\."/],
    ['a flag', `RUN ${nextLine}--mount=type=bind,from=other,target=/x ls`, /unusual space/],
  ])('does not hide %s', (_, line, sentence) => {
    expect(() => check(`FROM node:24\n${line}`)).toThrow(sentence);
  });

  test('does not hide a flag in a trigger of the base image', () => {
    const triggers = [`RUN ${nextLine}--mount=type=bind,from=other,target=/x ls`];
    expect(() => check('FROM node:24', { 'node:24': { ...plainImage, triggers } })).toThrow(/unusual space/);
  });

  test('stays where it is text', () => {
    const line = `RUN echo "a${nextLine}b \u00a0"`;
    expect(built(`FROM node:24\n${line}`)).toEqual(['FROM node:24', line]);
  });
});

describe('signs of a here-document that is none', () => {
  test.each([
    ['behind odd white space', `RUN cat a${nextLine}<<EOF`],
    ['behind an open quote', "RUN echo ' <<EOF"],
    ['a shift', 'RUN echo $((1<<2))'],
    ['a here-string', 'RUN cat <<<text'],
  ])('do not reach BuildKit: %s', (_, line) => {
    const lines = built(`FROM node:24\n${line}\nRUN echo next\n`);
    expect(lines.join('\n')).not.toContain('<<');
    expect(JSON.parse(lines[1]?.replace('RUN ', '') ?? '')).toEqual([
      '/bin/sh',
      '-c',
      line.replace('RUN ', ''),
    ]);
    expect(lines[2]).toBe('RUN echo next');
  });

  test('stay out of a list, and the shell of the stage is kept', () => {
    const shell = 'SHELL ["/bin/bash", "-c"]';
    expect(built(`FROM node:24\n${shell}\nRUN echo $((1<<2))\nRUN ["echo", "<<EOF"]`).slice(2)).toEqual([
      'RUN ["/bin/bash","-c","echo $((1\\u003c\\u003c2))"]',
      'RUN ["echo","\\u003c\\u003cEOF"]',
    ]);
  });

  test.each(["COPY a' <<EOF /x", 'ONBUILD RUN echo $((1<<2))'])('are refused in %s', (line) => {
    expect(() => check(`FROM node:24\n${line}`)).toThrow(/here-document/);
  });
});

test('a stage cannot be called scratch, which BuildKit would take for a base', () => {
  expect(() => check('FROM node:24 AS Scratch\nFROM scratch')).toThrow(/"scratch" and names of stages/);
});

test('a variable may be called like a part of JavaScript', () => {
  const text =
    'ARG constructor\nFROM node:24\nARG constructor\nARG __proto__=app\nADD $__proto__$constructor /x';
  expect(built(text).at(-1)).toBe('ADD ["app","/x"]');
});

describe('a file that is made to keep the runner busy', () => {
  const many = (count: number, line: (index: number) => string, between = '\n') =>
    Array.from({ length: count }, (_, index) => line(index)).join(between);
  const pairs = (of: number) => many(6_000, (index) => `v${of}_${index}=1`, ' ');
  test.each([
    ['variables', `FROM x\n${many(8, (of) => `ENV ${pairs(of)}`)}`, /more than 2000 variables/],
    ['arguments', `${many(8, (of) => `ARG ${pairs(of)}`)}\nFROM x`, /more than 2000 ARGs/],
    ['stages', `FROM x AS a\n${'FROM a\n'.repeat(4_900)}`, /more than 300 stages/],
    ['images', `FROM x\n${many(200, (index) => `COPY --from=image${index} /a /b`)}`, /more than 100 images/],
    ['directives', `${`# check=${' '.repeat(4_000)}x\n`.repeat(120)}FROM x`, null],
    ['spaces in a directive', `# check=${' '.repeat(2_000)}x${' '.repeat(2_000)}\u2028y\nFROM x`, null],
  ])('is refused or read soon: many %s', (_, text, sentence) => {
    const startedAt = performance.now();
    if (sentence === null) check(text).text(names);
    else expect(() => check(text)).toThrow(sentence);
    expect(performance.now() - startedAt).toBeLessThan(5_000); // a busy machine
  });
});
