/**
 * The configuration of workerd for the embedded control plane, as Cap'n Proto text (its schema is `workerd/workerd.capnp`). D1 and R2 are
 * Miniflare's simulators, used as files, the same that `wrangler dev` runs. Miniflare itself would be a Node of 220 to 320 MB beside
 * workerd. Its 5.x is a beta, so it is pinned to exactly the version that the pinned wrangler depends on, and both are updated together.
 * Services, objects and directories have Miniflare's names, so that data written under Miniflare is found.
 */
import { join, relative } from 'node:path';
import type { WorkerBundle } from '../worker-bundle/worker-bundle.ts';
import { Raw, text } from './capnp-text.ts';
import { type SimulatorFile, simulators } from './simulators.ts';

export interface WorkerdConfigOptions {
  bundle: WorkerBundle;
  /** The directory of the file that the text is written to: embedded files are named relative to it. */
  directory: string;
  /** The directory in which D1, R2 and the objects store their files. It must contain the directories of {@link storageDirectories}. */
  persistDirectory: string;
  /** Names of secrets, which workerd reads from its environment: the file holds none. */
  secretNames: string[];
  /** Certificates in PEM form that outgoing connections trust besides the system's. */
  certificates: string[];
  /** Opens the socket `network`, too. */
  hasNetworkSocket?: boolean;
  /** `host:port` of a server that answers D1's queries over HTTP, in place of the simulator. */
  databaseAddress?: string | undefined;
}

export const storageDirectories = ['do', 'd1', 'r2'];

/** The sockets that workerd opens: for clients, and for the start itself (see `doors.mjs`). */
export const socketNames = ['api', 'admin'] as const;

/** The variable with the token of the socket `admin`. */
export const adminTokenName = 'ADMIN_TOKEN';

/** @returns the text of the whole configuration. */
export function workerdConfig(options: WorkerdConfigOptions): string {
  const { bundle, persistDirectory, certificates } = options;
  const embed = (path: string) => new Raw(`embed ${JSON.stringify(relative(options.directory, path))}`);
  const simulator = (path: SimulatorFile) => embed(join(simulators(), path));
  const disk = (name: string) => ({
    name: `${name}:storage`,
    disk: { path: join(persistDirectory, name), writable: true },
  });
  const config = {
    structuredLogging: true,
    // Each Worker and object is an isolate with a heap of its own, and V8 gives little of it back. By default it takes up to 16 MB for
    // young objects, and collects old ones for the first time at 32 MB. After 12,000 reads workerd had 528 MB with these defaults,
    // 332 MB with the first flag and 228 MB with both, with the same CPU time.
    v8Flags: ['--max-semi-space-size=1', '--initial-old-space-size=4', '--heap-growing-percent=30'],
    // The simulators import these.
    extensions: [
      {
        modules: [
          { name: 'miniflare:shared', esModule: simulator('shared/index.worker.js') },
          { name: 'miniflare:zod', esModule: simulator('shared/zod.worker.js') },
        ],
      },
    ],
    sockets: [
      { name: 'api', address: '127.0.0.1:0', http: {}, service: 'doors' },
      door('admin'),
      ...(options.hasNetworkSocket ? [door('network')] : []),
    ],
    services: [
      {
        name: 'doors',
        worker: doors(bundle, embed(join(import.meta.dirname, 'doors.mjs')), options.databaseAddress),
      },
      {
        name: userService,
        worker: userWorker(bundle, embed(bundle.script), options.secretNames, options.databaseAddress),
      },
      ...['do', 'd1', 'r2'].map(disk),
      ...(bundle.staticFiles === undefined
        ? []
        : [{ name: 'static-files', disk: { path: bundle.staticFiles } }]),
      ...(options.databaseAddress === undefined
        ? []
        : [{ name: 'd1:outside', external: { address: options.databaseAddress, http: {} } }]),
      ...simulated('d1:db', 'D1DatabaseObject', {
        entry: simulator('d1/entry.worker.js'),
        object: simulator('d1/database.worker.js'),
        entryFlags: ['enhanced_error_serialization'],
      }),
      ...simulated('r2:bucket', 'R2BucketObject', {
        entry: simulator('shared/object-entry.worker.js'),
        object: simulator('r2/bucket.worker.js'),
        entryFlags: [],
      }),
      // Both simulators send their log lines here.
      {
        name: 'loopback',
        worker: { ...module(new Raw('"export default { fetch: () => new Response() }"')) },
      },
      // Access without a binding. workerd checks the address that a name has when it connects.
      network('internet', ['public'], certificates),
      network(innerNetwork, ['public', 'private'], certificates),
    ],
  };
  return `using Workerd = import "/workerd/workerd.capnp";\nconst config :Workerd.Config = ${text(config)};\n`;
}

const door = (name: string) => ({
  ...{ name, address: '127.0.0.1:0', http: {} },
  service: { name: 'doors', entrypoint: name },
});
const userService = 'worker';
/** Network access to addresses that the operator has allowed or set (worker/gateways/networks.ts). */
const innerNetwork = 'inner-network';

const network = (name: string, allow: string[], certificates: string[]) => ({
  name,
  network: { allow, tlsOptions: { trustBrowserCas: true, trustedCertificates: certificates } },
});
const simulatorDate = '2023-07-24';

const module = (code: Raw, compatibilityDate = simulatorDate) => ({
  modules: [{ name: 'index.js', esModule: code }],
  compatibilityDate,
});

function doors(bundle: WorkerBundle, code: Raw, databaseAddress: string | undefined) {
  return {
    ...module(code, bundle.config.compatibilityDate),
    compatibilityFlags: ['service_binding_extra_handlers'],
    bindings: [
      { name: 'WORKER', service: userService },
      ...(bundle.staticFiles === undefined ? [] : [{ name: 'FILES', service: 'static-files' }]),
      { name: adminTokenName, fromEnvironment: adminTokenName },
      ...bundle.config.databaseBindings
        .slice(0, 1)
        .map((binding) => ({ ...database(binding, databaseAddress), name: 'DB' })),
    ],
  };
}

function userWorker(
  { config }: WorkerBundle,
  code: Raw,
  secretNames: string[],
  databaseAddress: string | undefined,
) {
  const objects = Object.entries(config.durableObjects);
  return {
    ...module(code, config.compatibilityDate),
    compatibilityFlags: config.compatibilityFlags,
    bindings: [
      ...Object.entries(config.vars).map(([name, value]) => ({
        name,
        ...(typeof value === 'string' ? { text: value } : { json: JSON.stringify(value) }),
      })),
      ...secretNames.map((name) => ({ name, fromEnvironment: name })),
      { name: 'INNER_NETWORK', service: innerNetwork },
      ...config.databaseBindings.map((name) => database(name, databaseAddress)),
      ...config.bucketBindings.map((name) => ({
        name,
        r2Bucket: { name: 'r2:bucket:entry', props: { json: namespace(name.toLowerCase()) } },
      })),
      ...objects.map(([name, { className }]) => ({ name, durableObjectNamespace: className })),
    ],
    durableObjectNamespaces: objects.map(([, { className, useSQLite }]) => ({
      className,
      enableSql: useSQLite,
      uniqueKey: `${config.name}-${className}`,
    })),
    durableObjectStorage: { localDisk: 'do:storage' },
  };
}

/**
 * Named after the binding, not after wrangler.toml's ids: a deployment to Cloudflare changes the ids, and so would change the file names.
 */
const namespace = (binding: string) => JSON.stringify({ MINIFLARE_NAMESPACE: `local-${binding}` });

const database = (name: string, address: string | undefined) => ({
  name,
  wrapped: {
    moduleName: 'cloudflare-internal:d1-api',
    innerBindings: [
      {
        name: 'fetcher',
        service:
          address === undefined
            ? { name: 'd1:db:entry', props: { json: namespace(name) } }
            : { name: 'd1:outside' },
      },
    ],
  },
});

/** A simulator: an entry that finds the object of a namespace, and the objects with their files. */
function simulated(
  name: string,
  className: string,
  { entry, object, entryFlags }: { entry: Raw; object: Raw; entryFlags: string[] },
) {
  const storage = `${name.split(':')[0]}:storage`;
  return [
    {
      name: `${name}:entry`,
      worker: {
        ...module(entry),
        compatibilityFlags: entryFlags,
        bindings: [{ name: 'MINIFLARE_OBJECT', durableObjectNamespace: { serviceName: name, className } }],
      },
    },
    {
      name,
      worker: {
        ...module(object),
        compatibilityFlags: ['nodejs_compat', 'experimental'],
        durableObjectNamespaces: [{ className, uniqueKey: `miniflare-${className}` }],
        durableObjectStorage: { localDisk: storage },
        bindings: [
          { name: 'MINIFLARE_BLOBS', service: storage },
          { name: 'MINIFLARE_LOOPBACK', service: 'loopback' },
        ],
      },
    },
  ];
}
