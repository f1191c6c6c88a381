/** What a Dockerfile may ask of Docker, and the text that Docker gets for it. */
import { describe, expect, test } from 'vitest';
import { parseDockerfile } from '../../../../runner/builder/dockerfile/parse.ts';
import { ownArchitecture } from '../../../../runner/builder/dockerfile/references.ts';
import type { BaseImage } from '../../../../runner/builder/dockerfile/scope.ts';
import { built, check, names, plainImage } from '../../../support/runner/check-dockerfile.ts';

const foreign = 'longshore-svc_0123456789abcdef-dep_0123456789abcdef';

describe('a frontend', () => {
  test.each([
    ['in the first line', '# syntax=evil/frontend\nFROM node:24'],
    ['without spaces', '#syntax=evil/frontend\nFROM node:24'],
    ['in capitals', '# SYNTAX = evil/frontend\nFROM node:24'],
    ['behind escape', '# escape=`\n# syntax=evil/frontend\nFROM node:24'],
    ['behind check', '# check=skip=all\n# syntax=evil/frontend\nFROM node:24'],
    ['behind a byte order mark', '\ufeff# syntax=evil/frontend\nFROM node:24'],
    ['behind a shebang line', '#!/usr/bin/env docker\n# syntax=evil/frontend\nFROM node:24'],
    ['behind white space', '  # syntax=evil/frontend\nFROM node:24'],
    ['with the sign of C', '// syntax=evil/frontend\nFROM node:24'],
    ['in JSON', '{"syntax": "evil/frontend"}'],
    ['in JSON behind a shebang line', '#!x\n{"a": 1,\n "syntax": "evil/frontend"}'],
    ['with Windows line ends', '# syntax=evil/frontend\r\nFROM node:24\r\n'],
    ['that looks like the official one', '# syntax=docker/dockerfile-evil:1\nFROM node:24'],
    ['of another registry', '# syntax=evil.example/docker/dockerfile:1\nFROM node:24'],
  ])('is refused %s', (_, text) => {
    expect(() => check(text)).toThrow(/frontend "[\w./:-]*" is a program/);
  });

  test.each([
    'docker/dockerfile:1',
    'docker/dockerfile',
    'docker/dockerfile:1.7-labs',
    'docker.io/docker/dockerfile:1.4',
  ])('that is Docker’s own (%s) is not loaded, and the Dockerfile is built', (name) => {
    const text = `# syntax=${name}\nFROM node:24\nRUN true\n`;
    expect(parseDockerfile(Buffer.from(text)).frontend).toBe(name);
    expect(built(text)).toEqual(['FROM node:24', 'RUN true']);
  });

  test('in a later comment is a comment', () => {
    expect(built('FROM node:24\n# syntax=evil/frontend\nRUN true')).toEqual(['FROM node:24', 'RUN true']);
  });

  test.each(['ARG BUILDKIT_SYNTAX=evil/x', 'ARG BUILDKIT_"SYNTAX"=evil/x'])('is refused as %s', (line) => {
    expect(() => check(`${line}\nFROM node:24`)).toThrow(/line 1: BUILDKIT_SYNTAX is reserved/);
  });
});

describe('an image of another service, or of no registry', () => {
  test.each([
    ['FROM', `FROM ${foreign}`],
    ['FROM with a tag', `FROM ${foreign}:latest`],
    ['FROM with Docker Hub’s name', `FROM docker.io/library/${foreign}`],
    ['FROM over lines', `FROM \\\n# a comment\n${foreign}`],
    ['FROM by an argument', `ARG BASE=${foreign}\nFROM $BASE`],
    ['FROM by parts', `ARG A=longshore-svc_0123456789abcdef\nFROM \${A}-dep_0123456789abcdef`],
    ['FROM by a default', `FROM \${NOTHING:-${foreign}}`],
    ['COPY', `FROM node:24\nCOPY --from=${foreign} /a /b`],
    ['COPY in quotes', `FROM node:24\nCOPY --from="${foreign}" /a /b`],
    ['a mount', `FROM node:24\nRUN --mount=type=bind,from=${foreign},target=/x true`],
    ['a mount in capitals', `FROM node:24\nRUN --mount=type=bind,FROM=${foreign},target=/x true`],
    ['a stage with its name later', `FROM node:24\nCOPY --from=${foreign} /a /b\nFROM node:24 AS ${foreign}`],
    ['an id', `FROM ${'ab12'.repeat(16)}`],
    ['a digest alone', `FROM sha256:${'ab12'.repeat(16)}`],
    ['COPY from a digest alone', `FROM node:24\nCOPY --from=sha256:${'ab12'.repeat(16)} /a /b`],
  ])('is refused in %s', (_, text) => {
    expect(() => check(text)).toThrow(/^Dockerfile, line \d/);
  });

  test('is never found by the beginning of its id: every name gets a tag', () => {
    expect(built('FROM node:24\nFROM 0')[1]).toBe('FROM 0:latest');
    expect(built('FROM abc123')).toEqual(['FROM abc123:latest']);
  });

  test.each([
    ['COPY --from=$BASE /a /b', 'a variable'],
    ['RUN --mount=from=$BASE,target=/x true', 'a variable in a mount'],
    ['COPY --from=3 /a /b', 'a stage that is not there'],
    ['COPY --from=later /a /b', 'a stage that comes later'],
  ])('%s is refused or an image of that name: %s', (line) => {
    const text = `FROM node:24\n${line}\nFROM node:24 AS later`;
    const outcome = () => built(text)[1];
    if (line.includes('later')) expect(outcome()).toBe('COPY --from=later:latest /a /b');
    else expect(outcome).toThrow(/^Dockerfile, line 2/);
  });
});

describe('names of images and stages', () => {
  test('are resolved as in the build, and stages pass by name and by number', () => {
    const text = [
      'ARG VERSION=24',
      'ARG IMAGE=node:$' + '{VERSION}-slim',
      'FROM $' + '{IMAGE} AS Build',
      'FROM build AS test',
      'FROM gcr.io/distroless/nodejs24',
      'COPY --from=Build /a /a',
      'COPY --from=0 --chown=1000:1000 /b /b',
      'RUN --mount=type=cache,target=/root/.npm --mount=from=test,source=/x,target=/y,rw true',
    ];
    expect(built(text.join('\n')).slice(2)).toEqual([
      'FROM node:24-slim AS build',
      'FROM build AS test',
      'FROM gcr.io/distroless/nodejs24:latest',
      'COPY --from=Build /a /a',
      'COPY --from=0 --chown=1000:1000 /b /b',
      'RUN --mount=type=cache,target=/root/.npm --mount=from=test,source=/x,target=/y,rw true',
    ]);
  });

  test('of this host’s platform pass, others are refused', () => {
    const own = `linux/${ownArchitecture()}`;
    expect(built(`FROM --platform=$BUILDPLATFORM node:24\nFROM --platform=${own} node:24`)).toEqual([
      'FROM node:24',
      'FROM node:24',
    ]);
    expect(() => check('FROM --platform=linux/s390x node:24')).toThrow(/builds only for linux/);
  });

  test.each([
    `FROM $${'{A:?x}'}`,
    `FROM $${'{A%x}'}`,
    `FROM $${'{A/x/y}'}`,
    'FROM "node',
    'FROM node AS',
    'FROM node AS 1x',
  ])('that are not the same in every Docker are refused: %s', (line) => {
    expect(() => check(line)).toThrow(/^Dockerfile, line 1/);
  });
});

describe('ADD', () => {
  const from = 'FROM node:24\n';
  const urls = (text: string, images?: Record<string, BaseImage>) =>
    check(text, images).added.flatMap(({ source }) => (source.type === 'url' ? [source.url.href] : []));

  test.each([
    ['plain', 'ADD http://127.0.0.1/x /a'],
    ['in capitals', 'add HTTP://127.0.0.1/x /a'],
    ['in JSON', 'ADD ["http://127.0.0.1/x", "/a"]'],
    ['in quotes', 'ADD "http://127.0.0.1/x" /a'],
    ['in quotes by parts', `ADD h't'tp://127.0.0.1/x /a`],
    ['over lines', 'ADD \\\n# x\n  http://127.0.0.1/x \\\n /a'],
    ['by ARG', 'ARG U=http://127.0.0.1/x\nADD $U /a'],
    ['by ENV', 'ENV U http://127.0.0.1/x\nADD $' + '{U} /a'],
    ['by parts', 'ENV S=http\nADD $' + '{S}://127.0.0.1/x /a'],
    ['by a default', 'ADD $' + '{U:-http://127.0.0.1/x} /a'],
    ['escaped', 'ADD h\\ttp://127.0.0.1/x /a'],
  ])('of a URL is fetched by the runner: %s', (_, lines) => {
    expect(urls(from + lines)).toEqual(['http://127.0.0.1/x']);
    expect(built(from + lines).at(-1)).toBe('COPY --from=added ["/0/x","/a"]');
  });

  test('of a URL in the base image’s variable, and in one of a stage before', () => {
    const images = { 'node:24': { ...plainImage, env: { U: 'http://127.0.0.1/x' } } };
    expect(urls(`${from}ADD $U /a`, images)).toEqual(['http://127.0.0.1/x']);
    expect(urls(`FROM node:24 AS a\nENV U=http://127.0.0.1/y\nFROM a\nADD $U /a`, images)).toEqual([
      'http://127.0.0.1/y',
    ]);
  });

  test('keeps owner and mode, the order of sources, and Docker’s name for the file', () => {
    const line = `ADD --chown=1:1 --checksum=sha256:${'0'.repeat(64)} a.tar https://x.example/d/f.tgz?x=1 b.tar /to/`;
    const checked = check(from + line);
    expect(checked.added).toMatchObject([
      { path: '0/f.tgz', mode: 0o600, source: { checksum: `sha256:${'0'.repeat(64)}` } },
    ]);
    expect(() => built(from + line)).not.toThrow();
    expect(built(`${from}ADD --chown=1:1 a.tar https://x.example/d/f.tgz?x=1 b.tar /to/`).slice(1)).toEqual([
      'ADD --chown=1:1 ["a.tar","/to/"]',
      'COPY --from=added --chown=1:1 ["/0/f.tgz","/to/"]',
      'ADD --chown=1:1 ["b.tar","/to/"]',
    ]);
  });

  test.each([
    'ADD git@github.com:a/b.git /a',
    'ADD git://github.com/a/b /a',
    'ADD ssh://git@github.com/a/b /a',
    'ADD https://github.com/a/b.git /a',
    'ADD https://github.com/a/b.git#main:dir /a',
    'ADD ftp://x.example/f /a',
    'ADD [" http://127.0.0.1/x", "/a"]',
    'ADD https://x.example/a%20b%24c /a',
    'ADD --unpack=true https://x.example/a.tgz /a',
    'ADD $' + '{U:?x} /a',
    'ADD http://127.0.0.1/x\u00a0 /a',
    'ADD ["http://127.0.0.1/x" "/a"]',
  ])('of anything else outside the repository is refused: %s', (line) => {
    expect(() => check(from + line)).toThrow(/^Dockerfile, line 2/);
  });

  test('ADD of files of the repository is not changed', () => {
    expect(built(`${from}ADD --chown=a:b *.tar dir/ü /x/\nADD ["a b", "/x/"]`).slice(1)).toEqual([
      'ADD --chown=a:b *.tar dir/ü /x/',
      'ADD ["a b","/x/"]',
    ]);
  });
});

describe('ONBUILD', () => {
  const triggers = (...lines: string[]) => ({ 'node:24': { ...plainImage, triggers: lines } });

  test('of a base image is refused where it leaves the box, and passes where it does not', () => {
    expect(() => built('FROM node:24', triggers('COPY . /app', 'RUN npm ci'))).not.toThrow();
    for (const trigger of [
      'ADD http://127.0.0.1/x /a',
      'ADD $U /a',
      'ADD ["http://127.0.0.1/x", "/a"]',
      `COPY --from=${foreign} /a /b`,
      `RUN --mount=from=${foreign},target=/x true`,
      '# escape=`\nADD x y',
      'LABEL longshore.site=/',
      'RUN --network=host true',
    ])
      expect(() => built('FROM node:24', triggers(trigger)), trigger).toThrow(/^Dockerfile, line 1/);
  });

  test('in the Dockerfile is held to the same', () => {
    expect(built('FROM node:24\nONBUILD COPY . /app').at(-1)).toBe('ONBUILD COPY . /app');
    expect(() => check('FROM node:24\nONBUILD ADD http://127.0.0.1/x /a')).toThrow(/line 2/);
  });
});

describe('here-documents', () => {
  test('of RUN become what the shell gets, in JSON; instructions in them are text', () => {
    const text =
      "FROM node:24\nRUN <<EOF\nset -e\nADD http://127.0.0.1/x /a\nEOF\nRUN cat <<-'E' > /f\n\tx\n\tE\nRUN true";
    expect(built(text).slice(1)).toEqual([
      'RUN ["/bin/sh","-c","set -e\\nADD http://127.0.0.1/x /a\\n"]',
      `RUN ["/bin/sh","-c","cat \\u003c\\u003c-'E' > /f\\n\\tx\\nE"]`,
      'RUN true',
    ]);
  });

  test('use the shell of the stage', () => {
    const text = 'FROM node:24 AS a\nSHELL ["/bin/bash", "-ec"]\nFROM a\nRUN <<E\nx\nE';
    expect(built(text).at(-1)).toBe('RUN ["/bin/bash","-ec","x\\n"]');
    const images = { 'node:24': { ...plainImage, interpreter: ['/bin/zsh', '-c'] } };
    expect(built('FROM node:24\nRUN <<E\nx\nE', images).at(-1)).toBe('RUN ["/bin/zsh","-c","x\\n"]');
  });

  test('of COPY are files, their variables resolved where the name has no quotes', () => {
    const checked = check('FROM node:24\nENV A=1\nCOPY <<one <<"two" /to/\n$A "q"\none\n$A\ntwo\n');
    expect(checked.added).toEqual([
      { path: '0/one', mode: 0o644, source: { type: 'text', text: '1 "q"\n' } },
      { path: '1/two', mode: 0o644, source: { type: 'text', text: '$A\n' } },
    ]);
    expect(checked.text(names)).toContain('COPY --from=added ["/0/one","/1/two","/to/"]');
  });

  test.each(['RUN <<"E F"\nx\nE F', 'RUN <<E.F\nx\nE.F', 'RUN <<EOF\nx', 'COPY <<$A /x\ny\n$A'])(
    'that not every Docker reads the same way are refused: %s',
    (lines) => {
      expect(() => check(`FROM node:24\n${lines}`)).toThrow(/^Dockerfile, line 2/);
    },
  );

  test('are not seen where there are none', () => {
    const lines = ['RUN echo $((1 << 2)) "a <<EOF"', 'RUN cat <<< x', "RUN echo it's"];
    expect(built(`FROM node:24\n${lines.join('\n')}`)).toHaveLength(1 + lines.length);
  });
});

describe('names of the platform', () => {
  test.each([
    'LABEL longshore.tls-names=[]',
    'LABEL a=b "longshore.site"=/',
    'LABEL longshore.port 5432',
    'LABEL long\\shore.port=1',
    'LABEL $X=1',
    'ENV LONGSHORE_BUILD_SCOPE=x',
    'ENV A=1 LONGSHORE_BUILD_"SCOPE"=x',
    'ENV $' + '{A}=x',
    'ARG LONGSHORE_BUILD_SCOPE=x',
    'ARG BUILDKIT_CACHE_MOUNT_NS=x',
  ])('cannot be set: %s', (line) => {
    expect(() => check(`FROM node:24\n${line}`)).toThrow(/^Dockerfile, line 2/);
  });

  test('names of the platform cannot be set by a base image', () => {
    const images = { 'node:24': { ...plainImage, env: { LONGSHORE_BUILD_SCOPE: 'x' } } };
    expect(() => check('FROM node:24', images)).toThrow(/reserved/);
  });

  test('names of the platform are set in every stage', () => {
    const text = check('FROM node:24 AS a\nFROM a').text(names);
    expect(text).toBe('FROM node:24 AS a\nARG LONGSHORE_BUILD_SCOPE\nFROM a\nARG LONGSHORE_BUILD_SCOPE\n');
  });
});

describe('steps', () => {
  test.each(['--network=host', '--security=insecure', '--device=vendor.com/gpu', '--network=$X'])(
    'must not leave their box with RUN %s',
    (flag) => {
      expect(() => check(`FROM node:24\nRUN ${flag} true`)).toThrow(/^Dockerfile, line 2/);
    },
  );

  test('keep their lines’ numbers where there is room', () => {
    const text = check('# a comment\n\nFROM node:24\n\nRUN a \\\n  b\nRUN c\n').text(names);
    expect(text.split('\n')).toEqual([
      '',
      '',
      'FROM node:24',
      'ARG LONGSHORE_BUILD_SCOPE',
      'RUN a   b',
      '',
      'RUN c',
      '',
    ]);
  });
});

describe('a Dockerfile that is made to keep the runner busy', () => {
  test.each([
    ['many lines', `FROM node:24\n${'\n'.repeat(500_000)}`],
    ['many instructions', `FROM node:24\n${'ENV A=1\n'.repeat(60_000)}`],
    ['many stages', 'FROM node:24\n'.repeat(30_000)],
    ['a long comment at its head', `# a = ${' '.repeat(400_000)}x\nFROM node:24`],
    [
      'a long comment with a directive',
      `# syntax = docker/dockerfile:1${' '.repeat(400_000)}x\nFROM node:24`,
    ],
    ['a value that doubles', `FROM node:24\nENV A=xxxxxxxx\n${'ENV A=$A$A\n'.repeat(60)}ADD $A /x`],
    ['deep defaults', `FROM ${'$'}${'{A:-$'.repeat(10_000)}`],
    ['a large file', 'x'.repeat(10_000_000)],
    ['many flags', `FROM node:24\nRUN ${'--x '.repeat(15_000)}`],
  ])('is read or refused within a second: %s', (_, text) => {
    const startedAt = performance.now();
    try {
      check(text).text(names);
    } catch (error) {
      expect(error).toMatchObject({ name: 'JobFailure' });
    }
    expect(performance.now() - startedAt).toBeLessThan(5_000); // a busy machine
  });
});

describe('a text that Docker would read otherwise', () => {
  test.each([
    ['no instructions', ''],
    ['an unknown instruction', 'FROM node:24\nFOO x'],
    ['an instruction before FROM', 'RUN true\nFROM node:24'],
    ['no UTF-8', new Uint8Array([0x46, 0xff, 0xfe])],
    ['a flag behind the end of flags', 'FROM node:24\nRUN -- --mount=from=x,target=/y true'],
    ['a flag with a quote', 'FROM node:24\nRUN --mount="type=bind,from=a b" true'],
    ['a flag with an escape', `FROM node:24\nCOPY --fr\\om=${foreign} /a /b`],
    ['a flag of another instruction', 'FROM node:24\nENV --from=x A=1'],
    ['a line that goes on at the end', 'FROM node:24\nRUN a \\\\'],
    ['a line above 64 KB', `FROM node:24\nRUN ${'x'.repeat(70_000)}`],
  ])('is refused: %s', (_, text) => {
    expect(() => check(text).text(names)).toThrow(/^Dockerfile, line \d/);
  });

  test('has its own escape character', () => {
    expect(built('# escape=`\nFROM node:24\nRUN dir c:\\\nRUN a `\n b\n')).toEqual([
      '# escape=`',
      'FROM node:24',
      'RUN dir c:\\',
      'RUN a  b',
    ]);
  });
});
