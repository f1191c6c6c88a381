/** Settings of a service that replace those of its image. */
import { z } from 'zod';

/** What an app speaks on its port. `h2c`: HTTP/2 without TLS from the first byte (RFC 9113, section 3.3). */
export const appProtocols = ['http1', 'h2c'] as const;

export const containerSettingsSchema = z.object({
  /** Absent: `http1`. */
  protocol: z.enum(appProtocols).optional(),
  /** Arguments of the entrypoint. */
  command: z.array(z.string()).optional(),
  /** The program and its first arguments. With it, the image's own command does not apply. */
  entrypoint: z.array(z.string()).optional(),
  /** User and optionally group, by name or id. */
  user: z.string().optional(),
  /** Size of `/dev/shm` in units of 2^20 bytes. */
  shmSizeMb: z.number().int().optional(),
  /** Names of variables in the container that replace their keys. */
  variableNames: z.array(z.object({ key: z.string(), name: z.string() })).optional(),
});

/** The name that a variable has in the container. */
export const nameInContainer = (key: string, settings?: ContainerSettings): string =>
  settings?.variableNames?.find((one) => one.key === key)?.name ?? key;

export type ContainerSettings = z.infer<typeof containerSettingsSchema>;

/** Times for the health check of a new version, which replace the runner's own. */
export const healthSettingsSchema = z.object({
  /** Host header of the checks. Absent: the name that visitors use. */
  healthCheckHost: z.string().optional(),
  /** Between two tries. Absent: 20 ms at first, growing to 0.2 s. */
  healthCheckIntervalSeconds: z.number().optional(),
  /** Timeout of one try. Absent: 5. */
  healthCheckTimeoutSeconds: z.number().optional(),
  /** Time from the start of the new version to its first good answer. Absent: 60. */
  healthCheckStartPeriodSeconds: z.number().optional(),
});

export type HealthSettings = z.infer<typeof healthSettingsSchema>;

/** Signals that ask a version of a service to end, after another version has taken over or at a stop. SIGKILL follows after the grace period. */
export const stopSignals = [
  'SIGTERM',
  'SIGINT',
  'SIGQUIT',
  'SIGHUP',
  'SIGUSR1',
  'SIGUSR2',
  'SIGWINCH',
] as const;

export const stopSettingsSchema = z.object({
  /** How long open connections may continue after a switch, before the version gets its signal. Absent: 30. */
  drainSeconds: z.number().int().min(0).optional(),
  /** Time from the signal to SIGKILL. Absent: 10. */
  stopGraceSeconds: z.number().int().min(0).optional(),
  /** Absent: the image's own signal, by default SIGTERM. */
  stopSignal: z.enum(stopSignals).optional(),
});

export type StopSettings = z.infer<typeof stopSettingsSchema>;

export const defaultDrainSeconds = 30;
export const defaultStopGraceSeconds = 10;

/** @param stop the settings of a service; absent: the default applies */
export const drainSecondsOf = (stop: StopSettings | undefined): number =>
  stop?.drainSeconds ?? defaultDrainSeconds;
