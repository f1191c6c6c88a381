/** How this host reaches the registries of npm and Debian, so that the bare machine reaches them in the same way. */
import { cp, mkdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { runCommand } from '../../local/setup/command.ts';

export interface RegistryAccess {
  /** Environment of everything that runs in the machine. */
  env: Record<string, string>;
  /** Lines of apt's configuration. */
  apt: string[];
}

const proxies = ['http_proxy', 'https_proxy', 'all_proxy', 'no_proxy'];
const variables = [
  ...proxies,
  ...proxies.map((name) => name.toUpperCase()),
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
];
const npmSettings = ['registry', 'proxy', 'https-proxy', 'noproxy', 'cafile'];
const queryTimeoutMs = 30_000;

/** Reads the host's environment and the configuration of npm and apt. Credentials are not among what it reads. */
export async function registryAccess(): Promise<RegistryAccess> {
  const env: Record<string, string> = {};
  for (const name of variables) {
    const value = process.env[name];
    if (value) env[name] = value;
  }
  const answer = await runCommand('npm', ['config', 'list', '--json'], { timeoutMs: queryTimeoutMs });
  const settings = JSON.parse(answer) as Record<string, unknown>;
  for (const name of npmSettings) {
    const value = settings[name];
    if (typeof value === 'string' && value !== '') env[`npm_config_${name.replaceAll('-', '_')}`] = value;
  }
  const dump = await runCommand('apt-config', ['dump'], { timeoutMs: queryTimeoutMs });
  return { env, apt: dump.split('\n').filter((line) => /^Acquire::(https?|Check-)/i.test(line)) };
}

/** Writes apt's settings below `root` and copies the certificates that the environment names. */
export async function copyRegistryAccess({ env, apt }: RegistryAccess, root: string): Promise<void> {
  await writeFile(join(root, 'etc/apt/apt.conf.d/99host'), `${apt.join('\n')}\n`);
  const certificates = [env.NODE_EXTRA_CA_CERTS, env.SSL_CERT_FILE, env.npm_config_cafile];
  for (const file of certificates) {
    if (!file || !(await isFile(file))) continue;
    await mkdir(dirname(join(root, file)), { recursive: true });
    await cp(file, join(root, file), { dereference: true });
  }
}

const isFile = (path: string) =>
  stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
