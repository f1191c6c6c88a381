/** The values of variables that exist only for references: URLs of a database, addresses of a service. */

import type { Settings } from '../../domain/instance/settings.ts';
import { percentEncoded, type ValuePart } from '../../domain/values/value-parts.ts';
import type { NamedService } from '../../domain/variables/environment-references.ts';
import { isSecretByRule } from '../../domain/variables/secret-variables.ts';
import type { OpenedVariables } from './resolve-variables.ts';

export interface DerivedValue {
  key: string;
  /** Empty if the caller may not see it. */
  value: string;
  secret: boolean;
}

/** @param sees the values that the caller may see */
export function derivedValues(
  { derived }: Pick<NamedService, 'derived'>,
  { values, secretKeys }: Pick<OpenedVariables, 'values' | 'secretKeys'>,
  sees: Settings['readKeysSee'],
): DerivedValue[] {
  const textOf = (part: ValuePart) => {
    if (part.type === 'text') return part.text;
    const value = values.get(part.key);
    if (value === undefined) return part.text;
    return part.encoded ? percentEncoded(value) : value;
  };
  return [...(derived ?? [])].map(([key, parts]) => {
    const value = parts.map(textOf).join('');
    const names = parts.flatMap((part) => (part.type === 'reference' ? [part.key] : []));
    const secret = names.some((name) => secretKeys.has(name)) || isSecretByRule(key, value);
    const isShown = sees === 'all' || (sees === 'plain' && !secret);
    return { key, value: isShown ? value : '', secret };
  });
}
