/**
 * Reads the secrets that steps mount (docs.docker.com, "RUN --mount=type=secret"). Only new versions of BuildKit know the field `env`, so a
 * step with one is rewritten: the secret is mounted as a file, and a shell puts it into the environment of the command.
 */
import { posix } from 'node:path';
import type { Instruction } from './parse.ts';
import { mountFields } from './references.ts';
import { unreadable } from './refusal.ts';
import { defaultInterpreter } from './scope.ts';
import type { Flag } from './words.ts';

const directory = '/run/secrets';
const targetKeys = ['target', 'dst', 'destination'];

type Fields = ReturnType<typeof mountFields>;

const isSecretMount = ({ name, value }: Flag) =>
  name === 'mount' && mountFields(value ?? '').some(([key, of]) => key === 'type' && of === 'secret');

const fieldOf = (fields: Fields, keys: readonly string[]) =>
  fields.findLast(([key]) => keys.includes(key))?.[1];

/** BuildKit takes the id of a secret without one from the name of its file. */
const idOf = (fields: Fields) =>
  fieldOf(fields, ['id', 'source']) || posix.basename(fieldOf(fields, targetKeys) ?? '');

/** The ids of the secrets that a RUN mounts. */
export const secretIdsOf = ({ keyword, flags }: Instruction): string[] =>
  keyword === 'RUN'
    ? flags
        .filter(isSecretMount)
        .map(({ value }) => idOf(mountFields(value ?? '')))
        .filter(Boolean)
    : [];

/** A step whose secrets in the environment are files, and the words that start a command with them; none for a step without such secrets. */
export interface SecretStep {
  flags: Flag[];
  launcher: string[];
}

/**
 * Rewrites the mounts with `env`.
 * @throws JobFailure `build_failed` for a name that no variable can have
 */
export function withSecretFiles({ flags, line }: Instruction): SecretStep {
  const exports: string[] = [];
  const rewritten = flags.flatMap((flag) => {
    if (!isSecretMount(flag)) return [flag];
    const fields = mountFields(flag.value ?? '');
    const env = fieldOf(fields, ['env']);
    if (env === undefined) return [flag];
    if (!/^[A-Za-z_]\w*$/.test(env))
      throw unreadable(line, `"${env}" (env=) can't be the name of a variable.`);
    const id = idOf(fields) || env;
    const file = posix.join(directory, `longshore-env-${env}`);
    // Keeps line ends of the value: $( ) would drop those at its end.
    exports.push(
      `if [ -e ${file} ]; then ${env}="$(cat ${file}; printf .)"; export ${env}="\${${env}%.}"; fi;`,
    );
    const required = fields.filter(([key]) => key === 'required').map(written);
    const mount = ['type=secret', `id=${id}`, `target=${file}`, 'mode=0444', ...required].join(',');
    const others = fields.filter(([key]) => key !== 'env');
    const isFile = fieldOf(fields, targetKeys) !== undefined;
    return [
      ...(isFile ? [{ ...flag, value: others.map(written).join(',') }] : []),
      { ...flag, value: mount },
    ];
  });
  const launcher = exports.length > 0 ? [...defaultInterpreter, `${exports.join(' ')} exec "$@"`, 'sh'] : [];
  return { flags: rewritten, launcher };
}

const written = ([key, value]: Fields[number]) => (value === undefined ? key : `${key}=${value}`);
