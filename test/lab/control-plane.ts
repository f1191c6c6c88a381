/** A control plane on this computer that the machines reach, without a host of its own: the real Worker on the bridge's address. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { apiClient } from '../../local/api-client.ts';
import { ensureApiKey } from '../../local/api-key.ts';
import { startControlPlane } from '../../local/control-plane/control-plane.ts';
import { readJson } from '../../local/instance/private-file.ts';
import { ensureSecrets, rememberApiKey, workerSecrets } from '../../local/instance/secrets.ts';
import { startScheduledTimer } from '../../local/scheduled-timer.ts';
import { ensureWorkerBundle } from '../../local/worker-bundle/worker-bundle.ts';
import { networkUp } from './network.ts';
import { labDirectory, network } from './places.ts';

const projectRoot = fileURLToPath(new URL('../..', import.meta.url));
export const controlPlanePort = 8_790;
const places = { directory: join(labDirectory, 'control-plane') };
const accessSchema = z.object({ url: z.string(), operatorToken: z.string(), apiKey: z.string() });

export type ControlPlaneAccess = z.infer<typeof accessSchema>;

export interface LabControlPlane extends ControlPlaneAccess {
  stop(): Promise<void>;
}

const accessFile = () => join(places.directory, 'access.json');

/** What `npm run lab -- control-plane` has written; undefined when it never ran. */
export const controlPlaneAccess = (): ControlPlaneAccess | undefined => readJson(accessFile(), accessSchema);

/** Continues with the data of the time before. */
export async function startLabControlPlane(): Promise<LabControlPlane> {
  await networkUp();
  const { directory } = places;
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const bundle = await ensureWorkerBundle({
    projectRoot,
    cache: join(projectRoot, 'node_modules/.cache/longshore'),
  });
  const secretsFile = join(directory, 'secrets.json');
  const secrets = ensureSecrets(secretsFile);
  const controlPlane = await startControlPlane({
    bundle,
    migrationsDirectory: join(projectRoot, 'migrations'),
    persistDirectory: join(directory, 'data'),
    port: controlPlanePort,
    listen: network.gateway,
    secrets: workerSecrets(secrets),
    logFile: join(directory, 'control-plane.log'),
  });
  const { url } = controlPlane;
  const clock = {
    now: Date.now,
    wait: (ms: number, signal: AbortSignal) => sleep(ms, undefined, { signal }).catch(() => {}),
  };
  const endTimer = startScheduledTimer(clock, controlPlane.runScheduled, (error) => console.error(error));
  const refused = async (token: string) => (await apiClient(url, token).status('/api/projects')) === 401;
  const operator = apiClient(url, secrets.operatorToken);
  const apiKey = await ensureApiKey(operator, secrets.apiKey, refused, 'npm run lab');
  rememberApiKey(secretsFile, secrets, apiKey);
  const access = { url, operatorToken: secrets.operatorToken, apiKey };
  await writeFile(accessFile(), JSON.stringify(access), { mode: 0o600 });
  return {
    ...access,
    async stop() {
      await endTimer();
      await controlPlane.stop();
    },
  };
}
