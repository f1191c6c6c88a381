/** Settings for running versions of a service: port, replicas, limits, health check and shutdown. */
import { z } from 'zod';
import {
  appProtocols,
  defaultDrainSeconds,
  defaultStopGraceSeconds,
  stopSignals,
} from '../../../../protocol/container-settings.ts';
import {
  apps,
  between,
  integer,
  optionalInteger,
  optionalNumber,
  optionalText,
  orNull,
  pathText,
  type Setting,
} from './setting.ts';

const portRange = 'must be a port from 1 to 65535';
const hostRule =
  'must be a host name of at most 253 characters, such as "shop.example.com", with an optional port';
const seconds = ' seconds';
/** Half of the time limit of a whole deployment. */
const startPeriodMax = 900;

const running = { appliedBy: 'restart', stored: 'column', group: 'Running' } as const;
const ofWeb = { kinds: apps, isForWeb: true } as const;
const health = { ...ofWeb, appliedBy: 'restart', group: 'Health check' } as const;
const healthTime = {
  ...health,
  stored: 'healthSettings',
  spec: 'health',
  refusals: {
    database:
      'is not for databases: leave it out, because a database goes live with its first answer to a query.',
  },
} as const;
const ending = {
  appliedBy: 'restart',
  stored: 'stopSettings',
  spec: 'stop',
  kinds: apps,
  refusals: { database: 'is not for databases: leave it out, because the engine decides how it stops.' },
  group: 'End of a version',
} as const;

/** The port of a service that names none. */
export const defaultInternalPort = 8080;

export const runningSettings = {
  internalPort: {
    ...running,
    ...integer(z.int().min(1, portRange).max(65535, portRange)),
    default: defaultInternalPort,
    spec: 'version',
    ...ofWeb,
    ...{ label: 'Port', example: 8080 },
    note: 'Port on which the app listens in its container; it also gets it as PORT.',
  },
  protocol: {
    appliedBy: 'restart',
    stored: 'containerSettings',
    spec: 'container',
    ...ofWeb,
    control: 'choice',
    choices: appProtocols,
    schema: z.enum(appProtocols),
    answer: z.enum(appProtocols).nullable(),
    default: 'http1',
    refusals: {
      database: 'is not for databases: leave it out, because clients speak the protocol of the engine.',
    },
    group: 'Running',
    ...{ label: 'Protocol', example: 'h2c' },
    note: 'What the app speaks on its port: http1, or h2c, which is HTTP/2 without TLS, for gRPC. Null for databases.',
  },
  replicas: {
    // A deployment starts this many new containers in addition to the old ones.
    ...running,
    ...integer(between(z.int(), 1, 10)),
    default: 1,
    spec: 'web',
    ...ofWeb,
    ...{ label: 'Replicas', example: 1 },
    note: 'How many containers serve it, 1 to 10; each has the limits of memory and processors.',
  },
  sleepAfterMinutes: {
    ...running,
    ...optionalInteger(between(z.int(), 5, 1_440, ' minutes').nullable()),
    spec: 'web',
    ...ofWeb,
    ...{ label: 'Sleep after minutes', example: 30 },
    note: 'Minutes without a request after which its containers stop until the next one, 5 to 1,440; null: never.',
  },
  memoryLimitMb: {
    // Docker refuses less than 6 MB, and no runtime starts with less than 16 MB.
    ...running,
    ...optionalInteger(between(z.int(), 16, 4 * 1024 * 1024, ' megabytes').nullable()),
    spec: 'service',
    ...{ label: 'Memory limit in MB', example: 512 },
    note: 'Memory limit in megabytes, at least 16; null: none of its own.',
  },
  cpuLimit: {
    ...running,
    ...optionalNumber(between(z.number(), 0.01, 512, ' processors').nullable()),
    spec: 'service',
    ...{ label: 'Processor limit', example: 0.5 },
    note: 'Limit in processors, such as 0.5; null: none of its own.',
  },
  healthCheckPath: {
    ...health,
    ...optionalText(
      orNull(pathText.regex(/^\/[\x21-\x7e]*$/, 'must be a path that starts with "/", without spaces')),
    ),
    stored: 'column',
    spec: 'version',
    ...{ label: 'Path', example: '/healthz' },
    note: 'Path that must answer with 2xx or 3xx before a version goes live; null: only its port must open.',
  },
  healthCheckHost: {
    ...healthTime,
    ...optionalText(
      orNull(
        z
          .string()
          .max(253, hostRule)
          .regex(/^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?(:[0-9]{1,5})?$/, hostRule),
      ),
    ),
    ...{ label: 'Host', example: 'shop.example.com' },
    note: 'Host header of health checks; null: the name that visitors use, which is the first active domain or the generated name.',
  },
  healthCheckIntervalSeconds: {
    ...healthTime,
    ...optionalNumber(between(z.number(), 0.1, 60, seconds).nullable()),
    ...{ label: 'Interval in seconds', example: 2 },
    note: 'Seconds between two health checks of a new version, 0.1 to 60; null: 0.02 at first, growing to 0.2.',
  },
  healthCheckTimeoutSeconds: {
    ...healthTime,
    ...optionalNumber(between(z.number(), 1, 60, seconds).nullable()),
    ...{ label: 'Timeout in seconds', example: 10 },
    note: 'Seconds that one health check may take, 1 to 60; null: 5.',
  },
  healthCheckStartPeriodSeconds: {
    ...healthTime,
    ...optionalNumber(between(z.number(), 5, startPeriodMax, seconds).nullable()),
    ...{ label: 'Start period in seconds', example: 300 },
    note: 'Seconds that a new version may take to its first good answer, 5 to 900; null: 60.',
  },
  drainSeconds: {
    ...ending,
    ...optionalInteger(between(z.int(), 0, 3_600, seconds)),
    default: defaultDrainSeconds,
    isForWeb: true,
    ...{ label: 'Drain in seconds', example: 120 },
    note: 'Seconds that what is open to a version goes on after another one has taken over, 0 to 3,600. Null for databases.',
  },
  stopGraceSeconds: {
    ...ending,
    ...optionalInteger(between(z.int(), 0, 600, seconds)),
    default: defaultStopGraceSeconds,
    ...{ label: 'Grace period in seconds', example: 60 },
    note: 'Seconds that a version has to end after its stop signal, before it is killed, 0 to 600. Null for databases.',
  },
  stopSignal: {
    ...ending,
    control: 'text',
    schema: z.enum(stopSignals).nullable(),
    answer: z.enum(stopSignals).nullable(),
    ...{ label: 'Stop signal', example: 'SIGQUIT' },
    note: "The signal that asks a version to end; null: its image's own, usually SIGTERM.",
  },
} as const satisfies Record<string, Setting>;
