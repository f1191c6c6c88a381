/** Events of the instance, as its webhook tells them: what can be told, in which words, and how often the telling is tried. */

export const eventTypes = [
  'backup.failed',
  'backup.missed',
  'restore.failed',
  'import.failed',
  'drill.failed',
] as const;
export type EventType = (typeof eventTypes)[number];
