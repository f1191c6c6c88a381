/** Fields about the containers that get the requests to a service. */
import type { FieldNotes } from './instance-field-notes.ts';

export const trafficFieldNotes: FieldNotes = {
  validFrom: ['When the certificate begins to be valid.', '2026-11-23T09:30:00.000Z'],
  drainSeconds: [
    'Seconds that what is open to a version goes on after another one has taken over. Null for databases.',
    120,
  ],
  stopGraceSeconds: [
    'Seconds that a version has to end after its stop signal, before it is killed. Null for databases.',
    60,
  ],
  stopSignal: ["The signal that asks a version to end; null: its image's own, usually SIGTERM.", 'SIGQUIT'],
  memoryLimitMb: ['Memory limit in megabytes; null: none of its own.', 512],
  cpuLimit: ['Limit in processors; null: none of its own.', 0.5],
  replicas: ['How many containers serve it; each has the limits of memory and processors.', 1],
  sleepAfterMinutes: [
    'Minutes without a request after which its containers stop until the next one; null: never.',
    30,
  ],
  sleep: [
    'Its sleep since its live version was deployed; null: it has not slept yet.',
    { asleep: true, asleepSince: '2026-11-21T10:00:00.000Z', lastWokeAt: null, lastWakeMs: null },
  ],
  asleep: ['Whether its containers are stopped until the next request.', true],
  asleepSince: ['When it fell asleep; null while it is awake.', '2026-11-21T10:00:00.000Z'],
  lastWokeAt: [
    'When requests last went to it again; null: it has not woken yet.',
    '2026-11-21T09:00:00.000Z',
  ],
  lastWakeMs: ['How long the request that woke it waited for its containers, in milliseconds.', 850],
};
