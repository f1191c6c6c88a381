/** Who may import whom: the table of README and DESIGN as data, and the check of one import against it. */
import type { Import, SourceFile } from './source-file.ts';

interface Layer {
  /** Files of this layer; the first layer that matches a file is its own. */
  files: RegExp;
  /** Own files it may import, beside its own layer. */
  may: RegExp[];
  /** Own files of which it may import types: gone at run time, so they make no dependency. */
  mayTypes?: RegExp[];
  /** Packages it may import; left out: any that no other rule forbids. */
  packages?: RegExp;
}

const protocol = /^protocol\//;
const domain = /^worker\/domain\//;
const store = /^worker\/store\//;
const gateways = /^worker\/gateways\//;
const security = /^worker\/security\//;
const usecases = /^worker\/usecases\//;
const edge = /^worker\/(api|middleware)\//;
const objects = /^worker\/objects\//;
const env = /^worker\/env\.ts$/;
/** The one place of the version, which the API document shows. */
const packageFile = /^package\.json$/;

export const layers: Record<string, Layer> = {
  protocol: { files: protocol, may: [], packages: /^zod$/ },
  // ipaddr.js knows ranges of addresses, tldts the public suffixes; neither does I/O.
  'worker/domain': { files: domain, may: [protocol], packages: /^(zod|ipaddr\.js|tldts)$/ },
  'worker/security': { files: security, may: [domain, protocol] },
  'worker/store': { files: store, may: [domain, protocol] },
  'worker/gateways': { files: gateways, may: [domain, protocol, env], mayTypes: [objects] },
  'worker/usecases': {
    files: usecases,
    may: [store, gateways, security, domain, protocol],
    packages: /^(zod|drizzle-orm(\/.*)?)$/,
  },
  'worker/api and middleware': {
    files: edge,
    may: [usecases, store, gateways, security, domain, protocol, env, packageFile],
  },
  'worker/objects': {
    files: objects,
    may: [usecases, store, gateways, security, domain, protocol, env, /^worker\/context\.ts$/],
  },
  'worker entries': { files: /^worker\/[^/]+$/, may: [/^worker\//, protocol] },
  'runner/engines': {
    files: /^runner\/engines\//,
    may: [/^runner\/(?!jobs\/|proxy\/|storage\/|[^/]+$)/, protocol],
  },
  runner: { files: /^runner\//, may: [protocol] },
  client: { files: /^client\//, may: [] },
  local: { files: /^local\//, may: [protocol, /^runner\/(config|reserved-ports)\.ts$/] },
};

/** The only places that may import these packages. */
const packageOwners: [RegExp, RegExp][] = [
  [/^dockerode$/, /^(runner|local)\/docker\//],
  // Encoders that know nothing of HTTP.
  [/^hono\/utils\/encode$/, /^worker\/(api|middleware|security)\//],
  [/^hono(\/|$)/, /^worker\/(api\/|middleware\/|[^/]+$)/],
  [/^drizzle-orm(\/|$)/, /^worker\/(store|usecases|api)\//],
  [/^@ai-sdk\//, /^worker\/gateways\/ai\//],
  [/^miniflare$/, /^local\/control-plane\.ts$/],
  [/^wrangler$/, /^local\/worker-bundle\//],
  [/^vitest/, /^test\//],
];

/** Job files are named after their kind; the files beside them are their parts. */
const jobFile = /^runner\/jobs\/(deploy|backup|restore|import)\.ts$/;

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

function ownReason(
  path: string,
  { target, typeOnly }: Import,
  name: string,
  layer: Layer,
): string | undefined {
  if (jobFile.test(path) && jobFile.test(target)) return 'jobs never import jobs';
  if (layer.files.test(target) || layer.may.some((allowed) => allowed.test(target))) return undefined;
  if (typeOnly && layer.mayTypes?.some((allowed) => allowed.test(target))) return undefined;
  return `${name} may not`;
}

function packageReason(path: string, { specifier }: Import, name: string, layer: Layer): string | undefined {
  const owner = packageOwners.find(([pattern]) => pattern.test(specifier));
  if (owner !== undefined && !owner[1].test(path)) return `only ${owner[1].source} may`;
  if (layer.packages !== undefined && !layer.packages.test(specifier)) return `${name} may not`;
  return undefined;
}
