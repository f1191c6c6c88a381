/** What a Dockerfile takes from the variables of its service, and what the check makes of it. */
import { describe, expect, test } from 'vitest';
import { inputsOf } from '../../../../runner/builder/dockerfile/build-arguments.ts';
import { parseDockerfile } from '../../../../runner/builder/dockerfile/parse.ts';
import { platformArguments, referencesOf } from '../../../../runner/builder/dockerfile/references.ts';
import { untilTarget } from '../../../../runner/builder/dockerfile/target-stage.ts';
import { built, check, plainImage } from '../../../support/runner/check-dockerfile.ts';

const values = (of: Record<string, string>) => new Map(Object.entries(of));
const brace = (name: string) => `\${${name}}`;

function inputs(lines: string[], given: Record<string, string> = {}, triggers: string[] = []) {
  const dockerfile = parseDockerfile(Buffer.from(lines.join('\n')));
  const references = referencesOf(dockerfile, platformArguments(), values(given));
  return inputsOf(dockerfile, references, values(given), new Map([['node:24', { ...plainImage, triggers }]]));
}

describe('the check uses the values that Docker gets', () => {
  test.each([
    ['before FROM', ['ARG V', `FROM node:${brace('V')}`], 'FROM node:22'],
    ['before FROM in place of a default', ['ARG V=24', `FROM node:${brace('V')}`], 'FROM node:22'],
    ['in another ARG', ['ARG V=24', `ARG I=node:${brace('V')}`, 'FROM $I'], 'FROM node:22'],
    ['with a quoted name', ['ARG "V"=24', 'FROM node:$V'], 'FROM node:22'],
    ['not without a declaration', ['ARG W=1', `FROM node:24${brace('V')}`], 'FROM node:24'],
  ])('in FROM, %s', (_, lines, from) => {
    expect(built(lines.join('\n'), {}, values({ V: '22' }))).toContain(from);
  });

  test.each([
    ['declared in the stage', ['FROM node:24', 'ARG U', 'ADD $U /x']],
    ['with a default', ['FROM node:24', 'ARG U=file', 'ADD $U /x']],
    ['from before FROM', ['ARG U=file', 'FROM node:24', 'ARG U', 'ADD $U /x']],
    ['by ENV', ['FROM node:24', 'ARG U', 'ENV W=$U', 'ADD $W /x']],
  ])('in ADD, %s: the runner fetches the URL', (_, lines) => {
    const { added } = check(lines.join('\n'), {}, values({ U: 'http://127.0.0.1/x' }));
    expect(added.map(({ source }) => source.type)).toEqual(['url']);
  });

  test('an image of another service is refused by an argument too', () => {
    const given = values({ BASE: 'longshore-svc_0123456789abcdef-dep_0123456789abcdef' });
    expect(() => check('ARG BASE=node:24\nFROM $BASE', {}, given)).toThrow(/^Dockerfile, line 2/);
  });

  test('a stage that does not declare it does not see it', () => {
    const given = values({ U: 'http://127.0.0.1/x' });
    expect(check('FROM node:24\nARG U\nFROM node:24\nADD $U /x', {}, given).added).toEqual([]);
  });
});

describe('what the build takes', () => {
  test('every declaration in the stages that are built counts, those of others do not', () => {
    const found = inputs(
      [
        ...['ARG GLOBAL', 'ARG LACKED', 'FROM node:24 AS base', 'ARG A', 'ARG B=1 C "D"'],
        ...['FROM node:24 AS unused', 'ARG NOBODY', 'FROM base AS builder', 'ARG A E'],
        ...['FROM node:24', 'ARG F TARGETARCH TARGETVARIANT http_proxy', 'COPY --from=builder /a /b'],
      ],
      { GLOBAL: '1', A: '2', E: '3', NOBODY: '4' },
    );
    expect(found).toMatchObject({ given: ['A', 'E', 'GLOBAL'], missing: ['C', 'D', 'F', 'LACKED'] });
  });

  test('a default before FROM is one for the stages', () => {
    expect(inputs(['ARG V=1', 'FROM node:24', 'ARG V']).missing).toEqual([]);
  });

  test('an argument of a trigger counts', () => {
    expect(inputs(['FROM node:24'], { A: '1' }, ['ARG A', 'RUN make']).given).toEqual(['A']);
  });

  test('the history of the image keeps what its stage and the stages below it take', () => {
    const { declared } = inputs(
      [
        'FROM node:24 AS base',
        'ARG A',
        'FROM node:24 AS build',
        'ARG A B',
        'FROM base',
        'COPY --from=build /a /',
      ],
      { A: '1', B: '2' },
    );
    expect(declared).toEqual([
      { name: 'A', line: 2, isKept: true },
      { name: 'B', line: 4, isKept: false },
    ]);
  });

  test('secrets are found by id, by source and by the name of their file', () => {
    const mounts = [
      '--mount=type=secret,id=TOKEN',
      '--mount=type=secret,source=other,target=/x',
      '--mount=type=secret,dst=/root/.npmrc --mount=type=cache,id=cache,target=/y',
    ];
    expect(inputs(['FROM node:24', ...mounts.map((mount) => `RUN ${mount} true`)]).secretIds).toEqual([
      '.npmrc',
      'TOKEN',
      'other',
    ]);
  });
});

describe('a secret in the environment of a step', () => {
  const file = '/run/secrets/longshore-env-T';
  const script = `if [ -e ${file} ]; then T="$(cat ${file}; printf .)"; export T="\${T%.}"; fi; exec "$@"`;
  const mount = `--mount=type=secret,id=TOKEN,target=${file},mode=0444`;
  const launched = (...words: string[]) => JSON.stringify(['/bin/sh', '-c', script, 'sh', ...words]);

  test.each([
    ['npm ci', launched('/bin/sh', '-c', 'npm ci')],
    ['["npm", "ci"]', launched('npm', 'ci')],
  ])('is a file that a shell reads: RUN %s', (command, expected) => {
    expect(built(`FROM node:24\nRUN --mount=type=secret,id=TOKEN,env=T ${command}`)[1]).toBe(
      `RUN ${mount} ${expected}`,
    );
  });

  test('keeps its own file, and takes its id from its name', () => {
    const text = 'FROM node:24\nRUN --mount=type=secret,id=TOKEN,env=T,target=/t,required true';
    expect(built(text)[1]).toMatch(`RUN --mount=type=secret,id=TOKEN,target=/t,required ${mount},required `);
    expect(built('FROM node:24\nRUN --mount=type=secret,env=T true')[1]).toContain('id=T,');
  });

  test('goes through the shell of the image and through here-documents', () => {
    const text =
      'FROM node:24\nSHELL ["/bin/bash", "-c"]\nRUN --mount=type=secret,id=TOKEN,env=T <<EOF\nmake\nEOF';
    expect(built(text)[2]).toBe(`RUN ${mount} ${launched('/bin/bash', '-c', 'make\n')}`);
  });

  test.each(['1A', 'A-B', '$A', ''])('is refused with the name "%s"', (name) => {
    expect(() => check(`FROM node:24\nRUN --mount=type=secret,id=T,env=${name} true`)).toThrow(/line 2/);
  });
});

describe('the target', () => {
  const text = 'FROM a AS base\nRUN one\nFROM b AS Dev\nRUN two\nFROM c\nRUN three';
  const until = (target?: string) =>
    untilTarget(parseDockerfile(Buffer.from(text)), target).instructions.map(({ rest }) => rest);

  test('is the last stage, a name in any case, or a number', () => {
    expect(until()).toHaveLength(6);
    expect(until('dev').at(-1)).toBe('two');
    expect(until('0').at(-1)).toBe('one');
    expect(until('2')).toHaveLength(6);
  });

  test.each(['prod', '3'])('%s, which is no stage, is refused with the stages that exist', (target) => {
    expect(() => until(target)).toThrow(
      `The Dockerfile has no stage "${target}" (buildTarget): its stages are base, dev. Set buildTarget to one of them, or to null for the last stage.`,
    );
  });
});
