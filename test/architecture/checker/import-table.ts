/**
 * Who may import whom: the layout of docs/design/architecture.md as data, and the check of one import against it.
 * A layer may import its own files and the layers that it names. Inside `runner/` the layers are floors: each may import
 * the floors below it; so are the folders of `dashboard/`.
 */
import type { Import, SourceFile } from './source-file.ts';

interface Layer {
  /** Files of this layer; the first layer that matches a file is its own. */
  files: RegExp;
  /** Own files that it may import, beside its own layer. */
  may: RegExp[];
  /** Packages that it may import; absent: any that no other rule forbids. */
  packages?: RegExp;
}

const protocol = /^protocol\//;
const domain = /^worker\/domain\//;
const store = /^worker\/store\//;
const gateways = /^worker\/gateways\//;
const security = /^worker\/security\//;
const usecases = /^worker\/usecases\//;
const http = /^worker\/http\//;
const env = /^worker\/env\.ts$/;
/** The one place of the version, which the API document shows. */
const packageFile = /^package\.json$/;

/** The folders of `runner/`, from the ground up. */
const runnerFloors = [
  'base',
  'setup',
  'engines',
  'build-caps',
  'journal',
  'job-log',
  'docker',
  'firewall',
  'source',
  'registry',
  'builder',
  'database-tls',
  'databases',
  'proxy',
  'metrics',
  'storage',
  'jobs',
  'runtime-logs',
  'kept-logs',
  'drains',
  'shells',
  'scheduling',
  'host',
  'connection',
] as const;

/** The folders of `dashboard/`, from the ground up. A page may show parts of the pages below it. */
const dashboardFloors = [
  'text',
  'api',
  'ui',
  'log',
  'shell',
  'pages/service',
  'pages/home',
  'pages/account',
  'pages/project',
  'pages/instance',
] as const;

export const layers: Record<string, Layer> = {
  protocol: { files: protocol, may: [], packages: /^(zod|ipaddr\.js)$/ },
  // ipaddr.js knows ranges of addresses, tldts the public suffixes, croner and cronstrue cron expressions; none of them does I/O.
  'worker/domain': {
    files: domain,
    may: [protocol],
    packages: /^(zod|ipaddr\.js|tldts|croner|cronstrue|semver)$/,
  },
  'worker/security': { files: security, may: [domain, protocol] },
  'worker/store': { files: store, may: [domain, protocol, /^migrations\/meta\/_journal\.json$/] },
  'worker/gateways': { files: gateways, may: [domain, protocol] },
  'worker/usecases': {
    files: usecases,
    may: [store, gateways, security, domain, protocol],
    packages: /^(zod|drizzle-orm(\/.*)?)$/,
  },
  'worker/http': { files: http, may: [usecases, store, gateways, security, domain, protocol, env] },
  'worker/api': {
    files: /^worker\/api\//,
    may: [http, usecases, store, gateways, security, domain, protocol, packageFile],
  },
  'worker/objects': {
    files: /^worker\/objects\//,
    may: [usecases, store, gateways, security, domain, protocol, env, /^worker\/context\.ts$/],
  },
  'worker/env.ts': { files: env, may: [gateways] },
  'worker entries': { files: /^worker\/[^/]+$/, may: [/^worker\//, protocol] },
  ...floorsOf('runner', runnerFloors, [protocol]),
  'runner entries': { files: /^runner\/[^/]+$/, may: [/^runner\//, protocol] },
  client: { files: /^client\//, may: [] },
  // Runs in browsers: of the instance it knows the API alone.
  ...floorsOf('dashboard', dashboardFloors, [
    /^client\//,
    /^protocol\/env-text\.ts$/,
    /^protocol\/logs\/(?:lines|query)\//,
    /^dashboard\/styles\//,
  ]),
  'dashboard entries': { files: /^dashboard\/[^/]+$/, may: [/^dashboard\//] },
  cli: {
    files: /^cli\//,
    may: [
      /^client\//,
      /^protocol\/env-text\.ts$/,
      /^protocol\/logs\/query\//,
      /^runner\/builder\/ignore-rules\.ts$/,
    ],
  },
  local: {
    files: /^local\//,
    may: [
      protocol,
      /^runner\/(base\/(bundled|replace-file)|setup\/(config|reserved-ports)|docker\/(build-fixes|dockerode))\.ts$/,
    ],
  },
  host: {
    files: /^host\//,
    may: [
      /^local\/((setup|docker|instance)\/|(output|start-error)\.ts$)/,
      /^runner\/(base\/replace-file|setup\/(config-file|connection-record|reserved-ports|upgrade-record))\.ts$/,
    ],
  },
};

/** @param may what all floors of the folder may import, besides the floors below them */
function floorsOf(folder: string, floors: readonly string[], may: RegExp[]): Record<string, Layer> {
  const below = (own: readonly string[]) => new RegExp(`^${folder}/(${own.join('|')})/`);
  return Object.fromEntries(
    floors.map((floor, height) => [
      `${folder}/${floor}`,
      { files: below([floor]), may: [...(height === 0 ? [] : [below(floors.slice(0, height))]), ...may] },
    ]),
  );
}

/** The only places that may import these packages. */
const packageOwners: [RegExp, RegExp][] = [
  [/^dockerode$/, /^(runner|local)\/docker\//],
  // Encoders that know nothing of HTTP.
  [/^hono\/utils\/encode$/, /^worker\/(api|http|security)\//],
  [/^hono(\/|$)/, /^worker\/(api\/|http\/|[^/]+$)/],
  [/^drizzle-orm(\/|$)/, /^worker\/(store|usecases|http)\//],
  [/^@ai-sdk\//, /^worker\/gateways\/ai\//],
  [/^miniflare$/, /^local\/restore\/embedded-store\.ts$/],
  [/^wrangler$/, /^local\/worker-bundle\//],
  [/^@(stricli|clack)\//, /^cli\//],
  [/^(vite|vite-plugin-solid)$/, /^dashboard\/build\.ts$/],
  [/^(solid-js|@solidjs\/|@tanstack\/)/, /^dashboard\//],
  [/^@xterm\//, /^dashboard\/pages\/service\/commands\/shell\//],
  [/^esbuild$/, /^((cli|host)\/bundle|local\/package\/make-package)\.ts$/],
  [/^vitest/, /^test\//],
];

/** Folders below these are siblings that never import each other; what they share lies above them, or for jobs in `parts`. */
const siblings: [parent: RegExp, reason: string][] = [
  [/^runner\/jobs\/([^/]+)\//, 'jobs never import jobs'],
  [/^runner\/engines\/(clickhouse|mongodb|mysql|postgres|redis)(?:\/|\.ts$)/, 'engines never import engines'],
];

/** Steps that several jobs share; they import no job. */
const jobParts = /^runner\/jobs\/parts\//;

/** One sentence for every import of the file that the table does not allow. */
export function importViolations(file: SourceFile): string[] {
  const [name, layer] = Object.entries(layers).find(([, { files }]) => files.test(file.path)) ?? [];
  if (name === undefined || layer === undefined) return [`${file.path} belongs to no layer`];
  return file.imports.flatMap((one) => {
    const reason = one.own
      ? ownReason(file.path, one, name, layer)
      : packageReason(file.path, one, name, layer);
    return reason === undefined ? [] : [`${file.path} imports ${one.target}: ${reason}`];
  });
}

function ownReason(path: string, { target }: Import, name: string, layer: Layer): string | undefined {
  for (const [parent, reason] of siblings) {
    if (jobParts.test(target)) continue;
    const [from, to] = [parent.exec(path)?.[1], parent.exec(target)?.[1]];
    if (from !== undefined && to !== undefined && from !== to) return reason;
  }
  if (layer.files.test(target) || layer.may.some((allowed) => allowed.test(target))) return undefined;
  return `${name} may not`;
}

function packageReason(path: string, { specifier }: Import, name: string, layer: Layer): string | undefined {
  const owner = packageOwners.find(([pattern]) => pattern.test(specifier));
  if (owner !== undefined && !owner[1].test(path)) return `only ${owner[1].source} may`;
  if (layer.packages !== undefined && !layer.packages.test(specifier)) return `${name} may not`;
  return undefined;
}
