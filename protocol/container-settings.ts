/** What a service sets of its container in place of what its image says. */
import { z } from 'zod';

export const containerSettingsSchema = z.object({
  /** Arguments of the entrypoint. */
  command: z.array(z.string()).optional(),
  /** The program and its first arguments. The image's own command does not apply then. */
  entrypoint: z.array(z.string()).optional(),
  /** User and optionally group, by name or id. */
  user: z.string().optional(),
  /** Size of `/dev/shm` in units of 2^20 bytes. */
  shmSizeMb: z.number().int().optional(),
  /** Names that variables have in the container in place of their keys. */
  variableNames: z.array(z.object({ key: z.string(), name: z.string() })).optional(),
});

/** The name that a variable has in the container. */
export const nameInContainer = (key: string, settings?: ContainerSettings): string =>
  settings?.variableNames?.find((one) => one.key === key)?.name ?? key;

export type ContainerSettings = z.infer<typeof containerSettingsSchema>;
export const containerSettingNames = [
  'command',
  'entrypoint',
  'user',
  'shmSizeMb',
  'variableNames',
] as const satisfies readonly (keyof ContainerSettings)[];
