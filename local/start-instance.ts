/** The steps of a start, run by the starter. The keeper starts the parts that stay, and undoes them. */

import { bundled } from '../runner/base/bundled.ts';
import { apiClient } from './api-client.ts';
import { ensureApiKey, signInLink } from './api-key.ts';
import { type Demo, ensureDemo, serveExample } from './demo/demo.ts';
import { type DataDirectory, dataDirectory, makeDataDirectory } from './instance/data-directory.ts';
import { takeLock } from './instance/instance-lock.ts';
import type { LocalFile } from './instance/local-file.ts';
import { writePrivateJson } from './instance/private-file.ts';
import { proxyProcesses } from './instance/proxy-processes.ts';
import { rotateLog } from './instance/rotate-log.ts';
import { ensureSecrets, rememberApiKey, type Secrets, workerSecrets } from './instance/secrets.ts';
import { stopCommand } from './instance/shell-command.ts';
import type { KeeperLink } from './keeper/keeper-link.ts';
import {
  ensureEnrolled,
  type LocalRunnerSettings,
  readRunnerConfig,
  waitUntilConnected,
} from './local-runner.ts';
import type { StartOptions } from './options.ts';
import type { Output } from './output.ts';
import { requireFreePort } from './ports.ts';
import { typed } from './program.ts';
import { readyLines } from './ready-lines.ts';
import { setUpHost } from './set-up.ts';
import { StartError } from './start-error.ts';
import { ensureWorkerBundle, readBundle, type WorkerBundle } from './worker-bundle/worker-bundle.ts';

export interface StartContext {
  projectRoot: string;
  options: StartOptions;
  output: Output;
  link: Pick<KeeperLink, 'ask'>;
}

/** Resolves when everything answers. @throws StartError; the keeper runs the undos. */
export async function startInstance({ projectRoot, options, output, link }: StartContext): Promise<void> {
  const from = performance.now();
  const data = dataDirectory(options.data);
  makeDataDirectory(data);
  await takeLock(data.root, process.ppid);
  await requirePorts(options, data);
  for (const log of [data.runnerLog, data.controlPlaneLog]) rotateLog(log);

  const tools = await setUpHost(data, output);
  const bundle = await output.step('Worker bundle', () =>
    bundled
      ? packagedBundle(projectRoot)
      : ensureWorkerBundle({ projectRoot, cache: `${projectRoot}/node_modules/.cache/longshore` }),
  );
  const secrets = ensureSecrets(data.secretsFile);
  const url = await output.step('control plane', () =>
    bringUpControlPlane({ projectRoot, options, output, link }, { data, bundle, secrets }),
  );

  if (options.paused) {
    output.box([
      `Paused: ${url} answers only its operator. Next (docs/operate/recovery.md):`,
      `  OPERATOR_TOKEN=$(node -p 'JSON.parse(fs.readFileSync(process.argv[1])).operatorToken' ${data.secretsFile})`,
      `  curl -s -X POST -H "Authorization: Bearer $OPERATOR_TOKEN" ${url}/api/system/restored`,
    ]);
    return;
  }

  const { httpPort, httpsPort } = options;
  const settings = {
    projectRoot,
    directory: data.runner,
    url,
    caddyPath: tools.caddyPath,
    httpPort,
    httpsPort,
  };
  const local = await output.step('runner', () => bringUpRunner(settings, { data, secrets, link }));
  writePrivateJson(data.localFile, local);

  const demo = options.demo
    ? await output.step('demo', () => bringUpDemo(projectRoot, local, data, link))
    : undefined;
  const signIn = await signInLink(url, apiClient(url, local.apiKey), apiClient(url, local.operatorToken));
  const seconds = (performance.now() - from) / 1000;
  output.box(
    readyLines({
      local,
      signIn,
      demo,
      localFile: data.localFile,
      standIns: tools.standIns,
      seconds,
      options,
      isPackage: bundled,
    }),
  );
}

/** @throws StartError `bundle_failed` if files of the package are missing */
async function packagedBundle(projectRoot: string): Promise<WorkerBundle> {
  const made = await readBundle(`${projectRoot}/worker`);
  if (made !== undefined) return { ...made, built: false };
  throw new StartError('bundle_failed', `Files are missing in ${projectRoot}: install the package again.`);
}

/** The proxy of this instance may already be running: it continues to serve while the control plane is down. */
async function requirePorts(options: StartOptions, data: DataDirectory): Promise<void> {
  await requireFreePort(options.port, '--port', '127.0.0.1');
  if (options.listen !== undefined) await requireFreePort(options.port, '--port', options.listen);
  if (proxyProcesses(data.runner).length === 0) {
    await requireFreePort(options.httpPort, '--http-port', '0.0.0.0');
    await requireFreePort(options.httpsPort, '--https-port', '0.0.0.0');
    return;
  }
  const known = readRunnerConfig(data.runner);
  if (known === undefined || (known.httpPort === options.httpPort && known.httpsPort === options.httpsPort))
    return;
  throw new StartError(
    'port_taken',
    `The proxy of this instance runs on ports ${known.httpPort} and ${known.httpsPort}; stop it before you change its ports.`,
    { command: stopCommand(options.data, '--all') },
  );
}

interface Parts {
  data: DataDirectory;
  secrets: Secrets;
}

async function bringUpControlPlane(
  { projectRoot, options, link }: StartContext,
  { data, bundle, secrets }: Parts & { bundle: WorkerBundle },
): Promise<string> {
  const { startControlPlane } = await import('./control-plane/control-plane.ts');
  const controlPlane = await startControlPlane({
    bundle,
    migrationsDirectory: `${projectRoot}/migrations`,
    persistDirectory: data.controlPlane,
    port: options.port,
    listen: options.listen,
    secrets: { ...workerSecrets(secrets), ...(options.paused ? { PAUSED: 'yes' } : {}) },
    logFile: data.controlPlaneLog,
    async launch(given) {
      const ports = await link.ask('workerd', given);
      // The keeper stops workerd, however this process ends.
      return { ports: () => ports, stop: async () => {} };
    },
  });
  await link.ask('minutes', { adminToken: controlPlane.adminToken });
  return controlPlane.url;
}

/** Provides the key and the runner. A client needs both and the URL. */
async function bringUpRunner(
  settings: LocalRunnerSettings,
  { data, secrets, link }: Parts & Pick<StartContext, 'link'>,
): Promise<LocalFile> {
  const { url, httpPort, httpsPort } = settings;
  const operator = apiClient(url, secrets.operatorToken);
  const refused = async (token: string) => (await apiClient(url, token).status('/api/projects')) === 401;
  const apiKey = await ensureApiKey(operator, secrets.apiKey, refused, typed('start'));
  rememberApiKey(data.secretsFile, secrets, apiKey);
  const runnerId = await ensureEnrolled(operator, settings);
  const { projectRoot } = settings;
  await link.ask('runner', { projectRoot, directory: data.runner, logFile: data.runnerLog });
  await waitUntilConnected(operator, runnerId, data.runnerLog);
  return { url, operatorToken: secrets.operatorToken, apiKey, runnerId, httpPort, httpsPort };
}

async function bringUpDemo(
  projectRoot: string,
  local: LocalFile,
  data: DataDirectory,
  link: StartContext['link'],
): Promise<Demo | undefined> {
  const gitUrl = await serveExample(projectRoot, data, (example) => link.ask('example', example));
  return ensureDemo(apiClient(local.url, local.apiKey), gitUrl, data);
}
