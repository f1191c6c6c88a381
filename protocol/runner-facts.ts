/** The facts that a runner reports about its host: at enrolment, at every hello, and when they change. */

import { z } from 'zod';
import { note } from './note.ts';

const portBlockSchema = z.object({
  first: z.number().int().meta(note('First port of the block.', 41_000)),
  last: z.number().int().meta(note('Last port of the block.', 41_999)),
});

export const publicIpSchema = z
  .union([z.ipv4(), z.ipv6()], { error: 'must be an IPv4 or IPv6 address, or null' })
  .nullable();

/** Facts about the isolation of different tenants' containers on one host. */
const hostIsolationSchema = z.object({
  /** Longshore's own rules. `unsupported`: this host can't have them. */
  firewall: z.enum(['in-place', 'missing', 'unsupported']).describe('State of the firewall rules.'),
  firewallProblem: z.string().nullable().describe('Why the rules are not in place; null: they are.'),
  /** Root in a container is an ordinary user of the host: Docker's `userns-remap`, or rootless mode. */
  userNamespaces: z.boolean().describe('Whether Docker maps users of containers to others of the host.'),
  storageLimits: z.boolean().describe('Whether Docker can limit the disk space of a container.'),
});

/** How the last upgrade of the host ended. */
export const upgradeRecordSchema = z.object({
  version: z.string().describe('The release that was to be installed.'),
  ok: z.boolean().describe('Whether it runs now. Otherwise the one before does.'),
  detail: z
    .string()
    .meta(
      note(
        'What happened or what it waits for, as a sentence.',
        'shop.example.com answered 200 through the proxy in 13 ms.',
      ),
    ),
  at: z.number().int().meta(note('When, in epoch milliseconds.', 1_790_000_000_000)),
});
export type UpgradeRecord = z.infer<typeof upgradeRecordSchema>;

/**
 * The control plane reads the facts of every runner, even of one that is too old to work (worker/domain/hosts/minimum-runner.ts). So a
 * fact is never removed or changed, and a new fact has a default until the oldest supported runner reports it.
 */
export const runnerFactsSchema = z.object({
  version: z.string().meta(note('Version of the runner.', '0.2.0')),
  release: z
    .string()
    .nullable()
    .meta(
      note(
        'The release of runners: its version and the first characters of its checksum. Null: none, such as that of a clone.',
        '0.2.0-3f2a9c01d4e7',
      ),
    ),
  arch: z.string().meta(note('Architecture of its processors.', 'x64')),
  cpus: z.number().int().meta(note('Processors.', 4)),
  memoryMb: z.number().int().meta(note('Memory in megabytes.', 8192)),
  dockerVersion: z
    .string()
    .nullable()
    .meta(note('Version of Docker; null while Docker does not answer.', '27.3.1')),
  /** Whether Docker's builder has the fixes of CVE-2024-23651, 23652 and 23653. null: Docker does not answer. */
  buildFixes: z
    .boolean()
    .nullable()
    .describe('Whether Docker has the fixes of its builder of January 2024; null: unknown.'),
  runcVersion: z.string().nullable().meta(note('Version of runc; null: unknown.', '1.3.3')),
  /** Whether runc has the fixes of CVE-2025-31133, 52565 and 52881, by its version. null: the version is not known. */
  runcFixes: z.boolean().nullable().describe('Whether runc has the fixes of November 2025; null: unknown.'),
  initProcess: z
    .boolean()
    .nullable()
    .describe('Whether Docker has its init process, docker-init; null: unknown.'),
  appArmor: z
    .boolean()
    .nullable()
    .describe(
      'Whether running containers are in an AppArmor profile; null: Docker uses no AppArmor, or none runs.',
    ),
  takesUpgrades: z.boolean().describe('Whether the control plane may upgrade its runner.'),
  /** False for runners up to 0.2.0, which do not report it. */
  liveCommands: z
    .boolean()
    .default(false)
    .describe('Whether commands can run in containers that run already.'),
  /** False for runners up to 0.2.0, which do not report it. */
  imageDigests: z
    .boolean()
    .default(false)
    .describe('Whether the host can ask registries for the digest of an image.'),
  /** False for runners up to 0.2.0, which do not report it. */
  sourcePlans: z
    .boolean()
    .default(false)
    .describe('Whether the host can read a source before there is a service.'),
  manyMetrics: z
    .boolean()
    .default(false)
    .describe(
      'Whether the host answers for many services at once, and measures the 95th percentile and answers by status.',
    ),
  lastUpgrade: upgradeRecordSchema.nullable().describe('How its last upgrade ended; null: it had none.'),
  trouble: z
    .string()
    .max(2_000)
    .nullable()
    .describe("Why the host does no work: its runner can't start, or is too old. null: it works."),
  isolation: hostIsolationSchema.describe('How the host keeps tenants apart.'),
  /** The operator's setting, or else the address of the default route; null if there is none. */
  publicIp: publicIpSchema.meta(note('Address of the host for DNS records.', '203.0.113.7')),
  httpPort: z.number().int().meta(note('Port for HTTP.', 80)),
  httpsPort: z.number().int().meta(note('Port for HTTPS.', 443)),
  /** Blocks of loopback ports that were free at enrolment, for web and static services and for databases. */
  webPorts: portBlockSchema.describe('Ports for apps.'),
  databasePorts: portBlockSchema.describe('Ports for databases.'),
  busyPorts: z
    .array(z.number().int())
    .meta(note('Ports for databases on which a program listens.', [45_003])),
  foreignPorts: z.array(z.number().int()).describe('Ports for apps that another program has.'),
});

export type RunnerFacts = z.infer<typeof runnerFactsSchema>;
