/** How a version of a service ends, after another one has taken over or when it is to stop. */
import { z } from 'zod';

/** Those that ask a program to end; SIGKILL follows after the grace period. */
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
  /** How long its open connections go on after a switch, before it gets its signal. Absent: 30. */
  drainSeconds: z.number().int().min(0).optional(),
  /** From the signal to SIGKILL. Absent: 10. */
  stopGraceSeconds: z.number().int().min(0).optional(),
  /** Absent: the image's own, which is SIGTERM unless it says otherwise. */
  stopSignal: z.enum(stopSignals).optional(),
});

export type StopSettings = z.infer<typeof stopSettingsSchema>;
export const stopSettingNames = [
  'drainSeconds',
  'stopGraceSeconds',
  'stopSignal',
] as const satisfies readonly (keyof StopSettings)[];

export const defaultDrainSeconds = 30;
export const defaultStopGraceSeconds = 10;

/** @param stop of a service; absent: none are set */
export const drainSecondsOf = (stop: StopSettings | undefined): number =>
  stop?.drainSeconds ?? defaultDrainSeconds;
