/** Fields about the containers that get the requests to a service. */
import type { FieldNotes } from './instance-field-notes.ts';

export const trafficFieldNotes: FieldNotes = {
  memoryLimitMb: ['Memory limit in megabytes; null: none of its own.', 512],
  cpuLimit: ['Limit in processors; null: none of its own.', 0.5],
  replicas: ['How many containers serve it; each has the limits of memory and processors.', 1],
  sleepAfterMinutes: [
    'Minutes without a request after which its containers stop until the next one; null: never.',
    30,
  ],
};
