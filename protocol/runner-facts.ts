/** The facts that a runner reports about its host: at enrolment, at every hello, and when they change. */
import { z } from 'zod';

const portBlockSchema = z.object({ first: z.number().int(), last: z.number().int() });

export const publicIpSchema = z
  .union([z.ipv4(), z.ipv6()], { error: 'must be an IPv4 or IPv6 address, or null' })
  .nullable();

/** What isolates the containers of different tenants on one host. */
const hostIsolationSchema = z.object({
  /** Longshore's own rules. `unsupported`: this host can't have them. */
  firewall: z.enum(['in-place', 'missing', 'unsupported']),
  /** Why they are not in place, and what to do; null if they are. */
  firewallProblem: z.string().nullable(),
  /** Root in a container is an ordinary user of the host: Docker's `userns-remap`, or rootless mode. */
  userNamespaces: z.boolean(),
  /** Docker can limit the disk space of a container. */
  storageLimits: z.boolean(),
});

/** How the last upgrade of the host ended. */
export const upgradeRecordSchema = z.object({
  /** The release that was offered. */
  version: z.string(),
  /** Whether it runs now. Otherwise the one before does. */
  ok: z.boolean(),
  /** A sentence that says what happened. */
  detail: z.string(),
  /** Epoch milliseconds of the host's clock. */
  at: z.number().int(),
});
export type UpgradeRecord = z.infer<typeof upgradeRecordSchema>;

export const runnerFactsSchema = z.object({
  version: z.string(),
  /** The release that runs: its version and the first characters of its checksum. null: it was set up from a clone. Absent: an old runner. */
  release: z.string().nullable().optional(),
  arch: z.string(),
  cpus: z.number().int(),
  memoryMb: z.number().int(),
  dockerVersion: z.string().nullable(),
  /** Docker's builder has the fixes of CVE-2024-23651, 23652 and 23653. null: Docker does not answer. Absent: an old runner. */
  buildFixes: z.boolean().nullable().optional(),
  /** The version and build of Docker's runc. null: Docker does not answer, or names no runc. Absent: an old runner. */
  runcVersion: z.string().nullable().optional(),
  /** runc has the fixes of CVE-2025-31133, 52565 and 52881, by its version. null: the version is not known. Absent: an old runner. */
  runcFixes: z.boolean().nullable().optional(),
  /** Docker has its init process, docker-init. null: Docker does not answer. Absent: an old runner. */
  initProcess: z.boolean().nullable().optional(),
  /** Running containers are in an AppArmor profile. null: Docker does not claim to use AppArmor or does not answer, or none runs. Absent: an old runner. */
  appArmor: z.boolean().nullable().optional(),
  /** It mounts volumes of services. Absent: an old runner, which would start them without their data. */
  mountsVolumes: z.boolean().optional(),
  /** Whether it backs up and restores volumes of services. Absent: it is too old. */
  backsUpVolumes: z.boolean().optional(),
  /** Whether it tests backups of volumes. */
  drillsVolumes: z.boolean().optional(),
  /** Whether it takes volumes of services that move to it. */
  fillsVolumes: z.boolean().optional(),
  /** Whether it prepares the image of a service that moves to it, while the old host still serves. */
  preparesMoves: z.boolean().optional(),
  /** Whether it measures volumes when it is asked to. Absent: it is too old. */
  measuresVolumes: z.boolean().optional(),
  /** Whether it writes and reads encrypted backups. Absent: it is too old. */
  encryptsBackups: z.boolean().optional(),
  /** It writes mounted files into containers. Absent: an old runner, which would start them without. */
  mountsFiles: z.boolean().optional(),
  /** Whether it applies traffic rules. Absent: an old runner, which would route requests past them. */
  appliesTrafficRules: z.boolean().optional(),
  /** Whether it knows the traffic rule `idleTimeoutSeconds`. Absent: an old runner, which would ignore it. */
  endsIdleStreams: z.boolean().optional(),
  /** Whether it keeps logs of requests. Absent: an old runner, which would ignore that they are asked for. */
  keepsAccessLogs: z.boolean().optional(),
  /** Whether it serves certificates that owners bring along. Absent: an old runner, which would serve automatic ones. */
  servesOwnCertificates: z.boolean().optional(),
  /** Whether it routes wildcard names. Absent: an old runner, which would refuse all names of such a service. */
  routesWildcards: z.boolean().optional(),
  /** Whether it runs several containers of a service. Absent: an old runner, which would start one. */
  runsReplicas: z.boolean().optional(),
  /** Whether it lets services sleep that nobody asks. Absent: an old runner, which would keep them awake. */
  sleepsWhenIdle: z.boolean().optional(),
  /** Whether it opens shells in containers. Absent: it is too old. */
  opensShells: z.boolean().optional(),
  /** It keeps metrics of its services and of itself. Absent: it is too old. */
  keepsMetrics: z.boolean().optional(),
  /** Absent: it is too old for services that are built from an uploaded folder. */
  buildsUploads: z.boolean().optional(),
  /** Whether it keeps the logs of services and searches in them. Absent: it is too old. */
  keepsLogs: z.boolean().optional(),
  /** Whether it watches the alert rules that people make. Absent: it is too old. */
  watchesOwnRules: z.boolean().optional(),
  /** Whether it sends kept lines to the drains of projects. Absent: it is too old. */
  drainsLogs: z.boolean().optional(),
  /** Whether `POST /api/system/runners/:id/upgrade` upgrades it. Absent: an old runner. */
  takesUpgrades: z.boolean().optional(),
  /** How its last upgrade ended; null: it had none. Absent: an old runner. */
  lastUpgrade: upgradeRecordSchema.nullable().optional(),
  /** Why the runner can't start its parts, so that the host does no work; null: it works. Absent: an old runner, which does not connect then. */
  trouble: z.string().max(2_000).nullable().optional(),
  /** Absent: an old runner. */
  isolation: hostIsolationSchema.optional(),
  /** The operator's setting, or else the address of the default route; null if there is none. */
  publicIp: publicIpSchema,
  httpPort: z.number().int(),
  httpsPort: z.number().int(),
  /** Blocks of loopback ports that were free at enrolment, for web and static services and for databases. */
  webPorts: portBlockSchema,
  databasePorts: portBlockSchema,
  /** Ports of `databasePorts` on which some program listens, which may be one of Longshore's databases. Absent: an old runner. */
  busyPorts: z.array(z.number().int()).optional(),
  /** Ports of `webPorts` that another program has. Absent: an old runner. */
  foreignPorts: z.array(z.number().int()).optional(),
});

export type RunnerFacts = z.infer<typeof runnerFactsSchema>;
