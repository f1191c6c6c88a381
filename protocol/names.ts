/** Names that both programs must agree on: containers, images, networks, Docker labels. All are made of ids, never of user text. */

/** The container that serves a service now. */
export const stableContainerName = (serviceId: string) => `longshore-${serviceId}-stable`;

/** A container that is starting and does not serve yet, or has just stopped serving. */
export const deploymentContainerName = (serviceId: string, deploymentId: string) =>
  `longshore-${serviceId}-${deploymentId}`;

/** The image of one deployment; kept for rollback. */
export const imageTag = (serviceId: string, deploymentId: string) => `longshore-${serviceId}-${deploymentId}`;

/** The volume with a database's data: it belongs to the service, and outlives its containers. */
export const dataVolumeName = (serviceId: string) => `longshore-${serviceId}-data`;

/** The volume that a restore has loaded. @param suffix of the restore's id */
export const restoredVolumeName = (serviceId: string, suffix: string) =>
  `${dataVolumeName(serviceId)}-${suffix}`;

/** What a restore works with besides: the engine that loads, the container that is to serve, and the one that has served before. */
export const restoreContainerName = (
  serviceId: string,
  part: 'loading' | 'restored' | 'before',
  suffix: string,
) => `longshore-${serviceId}-${part}-${suffix}`;

/** The network that the containers of one project share. */
export const projectNetworkName = (projectId: string) => `longshore-${projectId}`;

/** Docker labels. `instance` is the runner's id: a runner looks only at what carries its own. */
export const labels = {
  instance: 'longshore.instance',
  project: 'longshore.project',
  service: 'longshore.service',
  deployment: 'longshore.deployment',
  epoch: 'longshore.epoch',
  /** `app` (serves or will serve), `build` (helper of a build) or `load` (of a restore: nobody's, but for its time). */
  role: 'longshore.role',
  /** Of an image: the directory in it that is served as a static site; images without it are run. */
  site: 'longshore.site',
  /** Of a database's container: the port of its engine. */
  port: 'longshore.port',
  /** Of a database's container that offers TLS: the names that its certificate has beside those that every one has, as JSON. */
  tlsNames: 'longshore.tls-names',
  /** Of a volume that a restore has loaded: the one whose place it has taken. */
  replaces: 'longshore.replaces',
  /** Of such an image: `true` when unknown paths are answered with index.html. */
  spa: 'longshore.spa',
} as const;

/** All of them, empty where none is given: Docker takes an image's label for a container's where the container has none of that name. */
export const withEveryLabel = (given: Readonly<Record<string, string>>): Record<string, string> => ({
  ...Object.fromEntries(Object.values(labels).map((name) => [name, ''])),
  ...given,
});
