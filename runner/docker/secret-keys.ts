/** A label on each container lists the environment variables whose values are masked in its log. It survives a restart of the runner. */
import { z } from 'zod';
import { type ContainerSettings, nameInContainer } from '../../protocol/container-settings.ts';
import type { DeploySecrets } from '../../protocol/job-spec.ts';
import { labels } from '../../protocol/names.ts';

/** The label for a service's container; none if the control plane did not send the list of secret variables. */
export const secretKeysLabel = (
  { secretKeys }: Pick<DeploySecrets, 'secretKeys'>,
  settings?: ContainerSettings,
): Record<string, string> =>
  secretKeys === undefined
    ? {}
    : { [labels.secretKeys]: JSON.stringify(secretKeys.map((key) => nameInContainer(key, settings))) };

const keysSchema = z.array(z.string());

/** The values to mask in a container's output: all values, if it has no such label or an unreadable one. */
export function secretsIn(
  env: Readonly<Record<string, string>>,
  containerLabels: Readonly<Record<string, string>>,
): string[] {
  const keys = secretKeysIn(containerLabels[labels.secretKeys] ?? '') ?? Object.keys(env);
  return keys.flatMap((key) => env[key] ?? []);
}

function secretKeysIn(label: string): string[] | undefined {
  try {
    return keysSchema.parse(JSON.parse(label));
  } catch {
    return undefined;
  }
}
