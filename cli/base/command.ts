/** A command whose usage line shows all its arguments. The framework shows either none of the optional ones, or every single flag as well. */
import { buildCommand as build, type Command } from '@stricli/core';

type Parameters = Command<never>['parameters'];
type Flag = NonNullable<Parameters['flags']>[string];

/** As the framework's. The usage line is `longshore env push [flags] [file]`: flags that must be given are in it by name. */
export const buildCommand: typeof build = (given) => {
  // Their types differ only in the framework's parameters for flags and arguments.
  const usage = usageOf(given.parameters as unknown as Parameters);
  const command = build({ ...given, docs: { ...given.docs, customUsage: [usage] } });
  return { ...command, formatUsageLine: ({ prefix }) => [...prefix, usage].join(' ') };
};

function usageOf({ flags = {}, positional }: Parameters): string {
  const all = Object.entries(flags).filter(([, { hidden }]) => hidden !== true);
  const required = all.filter(([, flag]) => isRequired(flag)).map(([name]) => `--${kebab(name)} <value>`);
  return [
    ...(required.length < all.length ? ['[flags]'] : []),
    ...required,
    ...(positional === undefined ? [] : argumentsOf(positional)),
  ].join(' ');
}

const isRequired = (flag: Flag): boolean =>
  flag.kind !== 'counter' && flag.optional !== true && flag.default === undefined;

function argumentsOf(positional: NonNullable<Parameters['positional']>): string[] {
  if (positional.kind === 'array') {
    const name = positional.parameter.placeholder ?? 'argument';
    return [(positional.minimum ?? 0) > 0 ? `<${name}>...` : `[${name}]...`];
  }
  return positional.parameters.map(({ placeholder = 'argument', optional, default: usual }) =>
    optional || usual !== undefined ? `[${placeholder}]` : `<${placeholder}>`,
  );
}

const kebab = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
