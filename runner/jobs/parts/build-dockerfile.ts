/**
 * Builds a Dockerfile of the repository. It is checked first, and Docker gets the checked text. The runner pulls and inspects its base
 * images, and fetches its files from URLs (docs/decisions/0020).
 */
import { readFile, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { Readable } from 'node:stream';
import { JobFailure } from '../../base/job-failure.ts';
import { scopeArguments, scopeHost } from '../../builder/build-scope.ts';
import {
  argumentValues,
  type DockerfileValue,
  dockerfileValues,
  runOnlyNotes,
  secretValue,
} from '../../builder/build-variables.ts';
import { contextEntries, packContext, type SentDockerfile } from '../../builder/docker-context.ts';
import { packAdded, storeAdded } from '../../builder/dockerfile/added-image.ts';
import { type Inputs, inputsOf, proxyArguments } from '../../builder/dockerfile/build-arguments.ts';
import { checkDockerfile } from '../../builder/dockerfile/check.ts';
import { parseDockerfile, refuseLarge } from '../../builder/dockerfile/parse.ts';
import { imagesIn, platformArguments, referencesOf } from '../../builder/dockerfile/references.ts';
import type { CheckedDockerfile } from '../../builder/dockerfile/rewriting.ts';
import { untilTarget } from '../../builder/dockerfile/target-stage.ts';
import { dockerVersion } from '../../docker/client.ts';
import { buildImage } from '../../docker/image-build/build.ts';
import type { Builder } from '../../docker/image-build/builder.ts';
import { importImage } from '../../docker/image-files.ts';
import { removeImage } from '../../docker/images.ts';
import { pathInside } from '../../source/safe-path.ts';
import { systemResolve } from '../../source/system-resolve.ts';
import { type Attempt, cappedBuild } from './attempt.ts';
import { type PinnedImages, pinImages } from './pin-images.ts';
import { workDirectory } from './remove-attempt.ts';

export interface DockerfileBuild {
  /** The service root. */
  root: string;
  /** The path relative to the service root. */
  dockerfile: string;
  tag: string;
  labels: Record<string, string>;
}

/** @throws JobFailure with the codes of source, build and image */
export async function buildDockerfile(attempt: Attempt, build: DockerfileBuild): Promise<void> {
  const { parts, spec, secrets, context, facts } = attempt;
  context.log.line('system', `Building ${build.dockerfile}`);
  const found = await readDockerfile(build);
  const dockerfile = untilTarget(parseDockerfile(found.bytes), spec.build.buildTarget);
  if (dockerfile.frontend !== null) {
    const sentence = `"# syntax=${dockerfile.frontend}" is not loaded: the frontend that is built into Docker is used instead.`;
    context.log.line('system', sentence);
  }
  const automatic = platformArguments();
  const values = dockerfileValues(secrets, spec.container, facts.commitSha ?? null);
  const given = argumentValues(values, automatic);
  const references = referencesOf(dockerfile, automatic, given);
  const pinned = await pinImages(attempt, imagesIn(references.of));
  try {
    const inputs = inputsOf(dockerfile, references, given, pinned.images);
    const checked = checkDockerfile(
      { dockerfile, references, images: pinned.images, automatic, given },
      await knowsLink(attempt),
    );
    for (const line of [...runOnlyNotes(secrets), ...inputLines(inputs, values)])
      context.log.line('system', line);
    const added = await importAdded(attempt, build, checked);
    try {
      const text = checked.text({ image: pinned.nameOf, added });
      const host = scopeHost(parts.buildScope(spec.projectId), dockerfile, pinned.images);
      const passed = passedTo(inputs, values, given);
      await run(attempt, build, { path: found.path, mode: found.mode, text }, { pinned, host, ...passed });
    } finally {
      if (checked.added.length > 0) await removeImage(parts.docker, added);
    }
  } finally {
    await pinned.release();
  }
}

interface Passed {
  /** The build arguments: values of declared ARGs, and of proxies, which each step gets without a declaration. */
  named: (builder: Builder) => Record<string, string>;
  /** Values of secret mounts by id. */
  secrets: Map<string, string>;
}

function passedTo({ given, secretIds }: Inputs, values: Values, all: ReadonlyMap<string, string>): Passed {
  const declared = new Set(given);
  const isPassed = (name: string, builder: Builder) =>
    declared.has(name) || (builder === 'buildkit' && proxyArguments.test(name));
  return {
    named: (builder) => Object.fromEntries([...all].filter(([name]) => isPassed(name, builder))),
    secrets: new Map(secretIds.flatMap((id) => pairOf(id, secretValue(values, id)))),
  };
}

type Values = ReadonlyMap<string, DockerfileValue>;
const pairOf = (id: string, value: string | undefined): [string, string][] =>
  value === undefined ? [] : [[id, value]];

/** Says what the build gets, what it lacks, and which secrets it gets in a way that keeps them. */
function inputLines({ given, missing, declared, secretIds }: Inputs, values: Values): string[] {
  const found = secretIds.filter((id) => secretValue(values, id) !== undefined);
  const absent = secretIds.filter((id) => !found.includes(id));
  const risky = declared.filter(({ name }) => values.get(name)?.isSecret);
  const list = (names: readonly string[]) => names.join(', ');
  return [
    ...(given.length > 0 ? [`Build arguments (ARG) from variables of the service: ${list(given)}`] : []),
    ...(missing.length > 0
      ? [
          `Build arguments (ARG) without a value or default: ${list(missing)}. Set variables of these names if the build needs them.`,
        ]
      : []),
    ...(found.length > 0 ? [`Secret mounts from variables of the service: ${list(found)}`] : []),
    ...(absent.length > 0
      ? [
          `Warning: no variable has the name of these secret mounts, so their steps get no file: ${list(absent)}`,
        ]
      : []),
    ...risky.map(warningOf),
  ];
}

const warningOf = ({ name, line, isKept }: Inputs['declared'][number]) =>
  `Warning: line ${line} takes the secret variable ${name} by ARG${
    isKept
      ? ', which leaves its value in the history of the image'
      : ', and each later step of that stage sees it'
  }. Use RUN --mount=type=secret,id=${name},env=${name} in the step that needs it instead.`;

async function readDockerfile({ root, dockerfile }: DockerfileBuild) {
  const real = await pathInside(root, dockerfile, 'Dockerfile');
  if (real === undefined)
    throw new JobFailure('build_method_missing', `The repository has no ${dockerfile}.`);
  const { mode, size } = await stat(real);
  refuseLarge(size);
  const realRoot = (await pathInside(root, '.', 'rootDir')) ?? root;
  const path = relative(realRoot, real).split(sep).join('/');
  return { bytes: await readFile(real), path, mode: mode & 0o777 };
}

/** True if Docker supports `COPY --link`, as since 23.0, the first version with BuildKit 0.10. */
async function knowsLink({ parts }: Attempt): Promise<boolean> {
  return Number.parseInt((await dockerVersion(parts.docker)) ?? '', 10) >= 23;
}

/** @returns the name of the image with the added files; a placeholder if there are none */
async function importAdded(
  { parts, spec, context }: Attempt,
  { labels }: DockerfileBuild,
  { added }: CheckedDockerfile,
): Promise<string> {
  if (added.length === 0) return 'scratch';
  const directory = join(workDirectory(parts.dataDirectory, spec.deploymentId), 'added');
  for (const { source } of added)
    if (source.type === 'url') context.log.line('system', `Fetching ${source.url.href}`);
  const { files, digest } = await storeAdded(added, directory, {
    allowPrivate: parts.allowPrivateSources,
    resolve: systemResolve,
    signal: context.signal,
  });
  const tag = `longshore-${spec.serviceId}-added-${digest.slice(0, 16)}`;
  await importImage(parts.docker, { tag, labels }, Readable.from(packAdded(files)), context.signal);
  return tag;
}

async function run(
  attempt: Attempt,
  { root, tag, labels }: DockerfileBuild,
  sent: SentDockerfile,
  { pinned, host, named, secrets }: Passed & { pinned: PinnedImages; host: string | undefined },
): Promise<void> {
  const { parts, spec, context } = attempt;
  const entries = await contextEntries(root, sent.path);
  const request = {
    tag,
    labels,
    context: () => packContext(root, entries, sent),
    dockerfile: sent.path,
    buildArguments: (builder: Builder) => ({
      ...named(builder),
      ...scopeArguments(parts.buildScope(spec.projectId), builder),
    }),
    secrets,
    ...(host === undefined ? {} : { scopeHost: host }),
    ...cappedBuild(attempt),
  };
  await buildImage(parts.docker, request, pinned.readable(context.log), context.signal, parts.builders);
}
