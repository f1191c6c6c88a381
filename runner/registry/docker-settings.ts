/** The operator's settings for registries in Docker (`registry-mirrors`, `insecure-registries` of daemon.json), which pulls respect. */
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { dockerHub, type RegistryLogin, registryName } from '../../protocol/credentials.ts';
import { call, type DockerHost } from '../docker/client.ts';
import type { ImageRef } from '../docker/image-ref.ts';
import type { RepositoryAddress } from './remote-repository.ts';

export interface DockerSettings {
  /** The mirrors of Docker Hub, in the order of requests. */
  mirrors: string[];
  insecureNetworks: string[];
  insecureHosts: string[];
}

const infoSchema = z.object({
  RegistryConfig: z.object({
    Mirrors: z.array(z.string()).nullish(),
    InsecureRegistryCIDRs: z.array(z.string()).nullish(),
    IndexConfigs: z.record(z.string(), z.object({ Secure: z.boolean() })).nullish(),
  }),
});

/** @throws DockerError */
export async function dockerSettings(host: DockerHost, signal: AbortSignal): Promise<DockerSettings> {
  const info = await call('report its settings for registries', () => host.engine.info(), { signal });
  const { RegistryConfig: config } = infoSchema.catch({ RegistryConfig: {} }).parse(info);
  return {
    mirrors: config.Mirrors ?? [],
    insecureNetworks: config.InsecureRegistryCIDRs ?? [],
    insecureHosts: Object.entries(config.IndexConfigs ?? {}).flatMap(([name, { Secure }]) =>
      Secure ? [] : [name],
    ),
  };
}

const hub = 'https://registry-1.docker.io';

/** The possible addresses of the image, in Docker's order. `trusted` are the origins that the operator chose. */
export function addressesOf(
  { registry, repository }: ImageRef,
  settings: DockerSettings,
  access: {
    allowPrivate: boolean;
    trusted?: ReadonlySet<string>;
    logins?: readonly RegistryLogin[] | undefined;
  },
): { addresses: RepositoryAddress[]; trusted: ReadonlySet<string> } {
  const path = registry === undefined ? repository : repository.slice(registry.length + 1);
  const wanted = registryName(registry);
  const login = access.logins?.find(({ host }) => host === wanted);
  if (wanted === dockerHub) {
    const mirrors = settings.mirrors.flatMap((mirror) => URL.parse(mirror) ?? []);
    const official = path.includes('/') ? path : `library/${path}`;
    return {
      // A login is for the registry itself: mirrors are asked without it, and not at all for images that need a login.
      addresses: [
        ...(login ? [] : mirrors.map((base) => ({ base, path: official }))),
        { base: new URL(hub), path: official, login },
      ],
      trusted: new Set(mirrors.map(({ origin }) => origin)),
    };
  }
  const chosen = access.trusted?.has(registry ?? '') ?? false;
  const plain = (chosen || access.allowPrivate) && isInsecure(registry ?? '', settings);
  const bases = (plain ? ['https', 'http'] : ['https']).map((scheme) => new URL(`${scheme}://${registry}`));
  return {
    // Anyone on the path could read the login without TLS.
    addresses: bases.map((base) => ({
      base,
      path,
      login: base.protocol === 'https:' || chosen || access.allowPrivate ? login : undefined,
    })),
    trusted: new Set(chosen ? bases.map(({ origin }) => origin) : []),
  };
}

function isInsecure(registry: string, settings: DockerSettings): boolean {
  if (settings.insecureHosts.includes(registry)) return true;
  const name = registry.replace(/:\d+$/, '');
  const host = name === 'localhost' ? '127.0.0.1' : name;
  if (!ipaddr.isValid(host)) return false;
  const address = ipaddr.parse(host);
  return settings.insecureNetworks
    .map((network) => ipaddr.parseCIDR(network))
    .some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits));
}
