/** Enrols this host with a control plane: keys, facts, registration, settings file. */
import { hostname } from 'node:os';
import { RunnerError } from './base/runner-error.ts';
import { register } from './connection/register.ts';
import { hostFacts } from './host/host-facts.ts';
import { withPortBlocks } from './host/port-blocks.ts';
import type { AcmeSettings } from './setup/acme-settings.ts';
import type { RunnerConfig } from './setup/config.ts';
import { runnerConfigSchema } from './setup/config.ts';
import { configPath, isEnrolled, writeConfig } from './setup/config-file.ts';
import { ensureIdentity } from './setup/identity.ts';

export interface EnrolOptions {
  dataDirectory: string;
  url: string;
  token: string;
  /** The host's name by default. */
  name?: string | undefined;
  httpPort: number;
  httpsPort: number;
  caddyPath: string;
  allowPrivate: RunnerConfig['allowPrivate'];
  publicIp: string | null;
  /** CA settings that the operator gave; the others keep their defaults. */
  acme: Partial<AcmeSettings>;
}

/**
 * Enrols the host. Writes the settings last: if a step before fails, the same call can be repeated with a new token.
 * @param withPorts chooses the ports of services, and by default reserves them for this host
 * @returns the runner's settings
 * @throws RunnerError
 */
export async function enroll(
  options: EnrolOptions,
  withPorts: typeof withPortBlocks = withPortBlocks,
): Promise<RunnerConfig> {
  const { dataDirectory, url, token, name = hostname(), acme, ...settings } = options;
  refuseSecondEnrolment(dataDirectory);
  return withPorts(dataDirectory, async (blocks) => {
    const { identityKey, sealingKey } = ensureIdentity(dataDirectory);
    const config = runnerConfigSchema.parse({ url, runnerId: '', name, ...settings, ...acme, ...blocks });
    const facts = await hostFacts(config, null);
    const runnerId = await register(url, { token, name, identityKey, sealingKey, facts });
    const enrolled = { ...config, runnerId };
    writeConfig(dataDirectory, enrolled);
    return enrolled;
  });
}

function refuseSecondEnrolment(dataDirectory: string): void {
  if (!isEnrolled(dataDirectory)) return;
  throw new RunnerError(
    'already_enrolled',
    `This host is enrolled already (${configPath(dataDirectory)}): choose another --data, or revoke the runner and move that directory away.`,
  );
}
