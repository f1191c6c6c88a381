/** The operator's CA settings, from flags of `enroll` or from the environment. */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { messageOf } from '../base/logger.ts';
import { RunnerError } from '../base/runner-error.ts';
import { type RunnerConfig, runnerConfigSchema } from './config.ts';

export type AcmeSettings = Pick<RunnerConfig, 'acmeDirectory' | 'acmeEmail' | 'acmeCaRoot'>;

/** The original texts; undefined or empty means not set. */
export interface AcmeInput {
  ca: string | undefined;
  email: string | undefined;
  caRoot: string | undefined;
}

export const acmeInputFrom = (environment: NodeJS.ProcessEnv): AcmeInput => ({
  ca: environment.LONGSHORE_ACME_CA,
  email: environment.LONGSHORE_ACME_EMAIL,
  caRoot: environment.LONGSHORE_ACME_CA_ROOT,
});

/** @returns only the settings that were given. @throws RunnerError `usage` */
export function acmeSettings({ ca, email, caRoot }: AcmeInput): Partial<AcmeSettings> {
  return {
    ...(ca ? { acmeDirectory: acmeDirectory(ca) } : {}),
    ...(email ? { acmeEmail: acmeEmail(email) } : {}),
    ...(caRoot ? { acmeCaRoot: acmeCaRoot(caRoot) } : {}),
  };
}

function acmeDirectory(text: string): string {
  // Normalised to Caddy's form: without the default https port.
  const parsed = runnerConfigSchema.shape.acmeDirectory.safeParse(URL.parse(text)?.href ?? text);
  if (parsed.success) return parsed.data;
  throw usage(`The ACME CA "${text}" is neither "internal" nor the https address of an ACME directory.`);
}

function acmeEmail(text: string): string | null {
  const parsed = runnerConfigSchema.shape.acmeEmail.safeParse(text);
  if (parsed.success) return parsed.data;
  throw usage(`The ACME e-mail "${text}" is not an e-mail address.`);
}

/** Checked here, because a proxy would not start with an unreadable file. */
function acmeCaRoot(path: string): string {
  const file = resolve(path);
  try {
    new X509Certificate(readFileSync(file));
    return file;
  } catch (error) {
    throw usage(`The ACME CA's root ${file} is not a PEM certificate: ${messageOf(error)}.`);
  }
}

const usage = (sentence: string) => new RunnerError('usage', sentence);
