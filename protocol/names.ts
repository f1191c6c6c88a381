/** Names that control plane and runner must agree on: containers, images, networks, Docker labels. They contain ids only, never user text. */

/** The container that currently serves a service. */
export const stableContainerName = (serviceId: string) => `longshore-${serviceId}-stable`;

/** The containers of a service with several replicas: the first one has the plain name. @param index from 0 */
export const replicaName = (name: string, index: number) => (index === 0 ? name : `${name}-${index + 1}`);

/** A container that does not serve yet, or has just stopped serving. */
export const deploymentContainerName = (serviceId: string, deploymentId: string) =>
  `longshore-${serviceId}-${deploymentId}`;

/** The image of one deployment, kept for rollbacks. */
export const imageTag = (serviceId: string, deploymentId: string) => `longshore-${serviceId}-${deploymentId}`;

/** The volume with a database's data. It belongs to the service and outlives its containers. */
export const dataVolumeName = (serviceId: string) => `longshore-${serviceId}-data`;

/** The volume into which a restore loads. @param suffix of the restore's id */
export const restoredVolumeName = (serviceId: string, suffix: string) =>
  `${dataVolumeName(serviceId)}-${suffix}`;

/** A volume of a service that is no database. It belongs to the service and outlives its containers. */
export const serviceVolumeName = (serviceId: string, volumeId: string) =>
  `longshore-${serviceId}-${volumeId}`;

/** Other containers of a restore: the engine that loads, the new container, the previous one, and the one that is kept for the undo of an upgrade. */
export const restoreContainerName = (
  serviceId: string,
  part: 'loading' | 'restored' | 'before' | 'kept',
  suffix: string,
) => `longshore-${serviceId}-${part}-${suffix}`;

/** The network that a project's containers share. */
export const projectNetworkName = (projectId: string) => `longshore-${projectId}`;

/** The nftables table (family `inet`) with the firewall rules for a runner's networks. */
export const firewallTable = (runnerId: string) => `longshore_${runnerId}`;

/** The nftables table (family `inet`) that redirects connections by internal names to live versions. */
export const namesTable = (runnerId: string) => `longshore_${runnerId}_names`;

/** The nftables tables (families `inet` and `bridge`) with the firewall rules for build steps, of all runners of a host. */
export const buildsTable = 'longshore_builds';

/** Docker labels. `instance` is the runner's id: a runner only touches objects with its own id. */
export const labels = {
  instance: 'longshore.instance',
  project: 'longshore.project',
  service: 'longshore.service',
  deployment: 'longshore.deployment',
  epoch: 'longshore.epoch',
  /** `app` (serves or will serve), `build` (helper of a build), `load` (temporary, for a restore) or `kept` (never started: needed to undo an upgrade). */
  role: 'longshore.role',
  /** On a container of a service with several replicas: its index, from 0. Empty: it is the only one. */
  replica: 'longshore.replica',
  /** On an image: the directory in it that is served as a static site. Images without this label are run. */
  site: 'longshore.site',
  /** On a database's container: the engine's port. */
  port: 'longshore.port',
  /** On a database's container with TLS: the additional names in its certificate, as JSON. */
  tlsNames: 'longshore.tls-names',
  /** On a database's container: the tenant that it belongs to; without it, the default tenant. */
  tenant: 'longshore.tenant',
  /** On a volume that a restore has loaded: the volume that it replaced. */
  replaces: 'longshore.replaces',
  /** On a service's container: the variables whose values are masked in its log, as JSON. Empty: its whole environment. */
  secretKeys: 'longshore.secret-keys',
  /** On a container: how much it may write outside its data volume, in units of 2^20 bytes; absent or empty: no limit. */
  diskLimit: 'longshore.disk-limit-mb',
  /** On a service's container: how many seconds its open connections may continue when the service moves away; empty: the default time. */
  drainSeconds: 'longshore.drain-seconds',
  /** On a service's container: its volumes by their names in Docker with id, name and size, as JSON; empty: none. */
  volumes: 'longshore.volumes',
  /** On an image of a static site: `true` if unknown paths are answered with index.html. */
  spa: 'longshore.spa',
  /** On a built image: the release command that its source names; empty: none. */
  release: 'longshore.release',
  /** On an image: `true` if the analyzer made it. Its containers get Docker's init process. */
  init: 'longshore.init',
} as const;

/** All labels. Labels without a value are set to an empty text, because otherwise Docker copies an image's label to the container. */
export const withEveryLabel = (given: Readonly<Record<string, string>>): Record<string, string> => ({
  ...Object.fromEntries(Object.values(labels).map((name) => [name, ''])),
  ...given,
});
