/** A deployment and its log lines as the API shows them. */
import { z } from 'zod';
import { note } from '../../../protocol/note.ts';
import { deploymentTriggers } from '../../domain/jobs/deployment-state.ts';
import { queueReason } from '../../domain/jobs/queue-reason.ts';
import { idOf, notes } from '../../domain/values/field-notes.ts';
import type { DetailedDeployment, StartedDeployment } from '../../store/deployments/deployment-store.ts';
import { startedBySchema } from './present-initiator.ts';

const timestampSchema = z.iso.datetime();

export const deploymentSchema = z.object({
  id: idOf('deployment'),
  serviceId: z.string().meta(notes.serviceId),
  ref: z
    .string()
    .nullable()
    .meta(note("Commit id, tag or branch that the request named; null: the service's branch.", 'v1.4.0')),
  commitSha: z
    .string()
    .nullable()
    .meta(
      note(
        'The commit; of an uploaded folder, the one that its client named. Null until it is known, and without one.',
        '9b2c1f0e4d6a8b7c5d3e1f2a4b6c8d0e1f3a5b7c',
      ),
    ),
  status: z.enum(['queued', 'building', 'running', 'superseded', 'failed', 'aborted']).meta(notes.state),
  trigger: z.enum(deploymentTriggers).describe('What started it. `image-update`: a new digest of its image.'),
  startedBy: startedBySchema,
  commitMessage: z
    .string()
    .nullable()
    .meta(
      note(
        "The commit's first line, or the line that its client sent. Null until it is known, and without one.",
        'Fix the cart',
      ),
    ),
  commitAuthor: z.string().nullable().meta(note("Name of the commit's author.", 'Ann Lee')),
  branch: z.string().nullable().meta(note('Branch that is deployed.', 'main')),
  sourceDigest: z
    .string()
    .nullable()
    .meta(
      note(
        'Checksum of its uploaded folder; null for other sources.',
        '9b2c1f0e4d6a8b7c5d3e1f2a4b6c8d0e1f3a5b7c',
      ),
    ),
  failureCode: z
    .string()
    .nullable()
    .meta(note('Why it failed, for programs; null unless it has.', 'build_failed')),
  failureMessage: z
    .string()
    .nullable()
    .meta(
      note(
        'Why it failed, as a sentence; null unless it has.',
        'The build failed: npm ended with exit code 1.',
      ),
    ),
  waitsFor: z
    .string()
    .nullable()
    .meta(
      note(
        'What a queued deployment waits for, or a started one whose host went away, as a sentence; else null.',
        'Waits for another job of this service to end.',
      ),
    ),
  imageTag: z
    .string()
    .nullable()
    .meta(
      note(
        'Tag of the image that was built; null until then.',
        'longshore-svc_3kq9x7m2v5c8b1n4-dep_5t8r2y6u1i4o7p9a',
      ),
    ),
  imageDigest: z
    .string()
    .nullable()
    .meta(
      note(
        'Digest of the pulled image at its registry; null until it is known, and for other sources.',
        'sha256:9b2c1f0e4d6a8b7c5d3e1f2a4b6c8d0e1f3a5b7c9d1e3f5a7b9c1d3e5f7a9b1c',
      ),
    ),
  containerName: z
    .string()
    .nullable()
    .meta(note('Name of the container once it runs.', 'longshore-svc_3kq9x7m2v5c8b1n4-stable')),
  startedAt: timestampSchema.nullable().meta(notes.startedAt),
  finishedAt: timestampSchema.nullable().meta(notes.finishedAt),
  createdAt: timestampSchema.meta(notes.createdAt),
});

export const logEntrySchema = z.object({
  id: z.int().meta(note('Place of the line in the log: later lines have greater numbers.', 42)),
  deploymentId: z.string().meta(notes.deploymentId),
  line: z.string().meta(note('Text of the line, with secrets masked.', 'Done.')),
  stream: z.enum(['stdout', 'stderr', 'system']).describe('`system` lines are from the platform.'),
  createdAt: timestampSchema.meta(notes.createdAt),
});

export function presentDeployment(
  row: StartedDeployment & Partial<DetailedDeployment>,
): z.infer<typeof deploymentSchema> {
  return {
    id: row.id,
    serviceId: row.serviceId,
    ref: row.ref,
    commitSha: row.commitSha,
    status: row.status,
    trigger: row.trigger,
    startedBy: row.startedBy,
    commitMessage: row.commitMessage,
    commitAuthor: row.commitAuthor,
    branch: row.branch,
    sourceDigest: row.sourceDigest,
    failureCode: row.failureCode ?? null,
    failureMessage: row.failureMessage ?? null,
    waitsFor: row.queue ? queueReason(row.queue) : null,
    imageTag: row.imageTag,
    imageDigest: row.imageDigest,
    containerName: row.containerName,
    startedAt: timestamp(row.startedAt),
    finishedAt: timestamp(row.finishedAt),
    createdAt: new Date(row.createdAt).toISOString(),
  };
}

function timestamp(moment: number | null): string | null {
  return moment === null ? null : new Date(moment).toISOString();
}
