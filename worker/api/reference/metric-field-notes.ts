/** Fields of metrics and alerts. */
import type { FieldNotes } from './instance-field-notes.ts';

export const metricFieldNotes: FieldNotes = {
  metrics: ['What was measured, in steps of time.', undefined],
  alert: ['The alert.', undefined],
  alerts: ['The alerts, newest first.', undefined],
  stepSeconds: [
    'Length of each step. Point n is for the step that begins at `from` + n × `stepSeconds`.',
    10,
  ],
  lastAt: ['When something was last measured; null: never.', '2026-11-23T09:30:00.000Z'],
  ageSeconds: ['How long ago that was; null: never.', 4],
  limits: ['What may be used; null: no limit, or not known.', undefined],
  cpu: ['Processors.', 1.5],
  memory: ['Bytes of memory.', 536_870_912],
  disk: ['Bytes of the disk; null for services.', null],
  series: ['The series, in the order of the request.', undefined],
  average: ['The mean of each step; a count: its sum. null: not known.', [null, 52_428_800]],
  maximum: ['The largest part of each step; null: not known.', [null, 56_623_104]],
};
