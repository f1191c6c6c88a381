/** A deployment and its log lines as the API shows them. */
import { z } from 'zod';
import { queueReason } from '../../domain/jobs/queue-reason.ts';
import type { DetailedDeployment, ShownDeployment } from '../../store/deployments/deployment-store.ts';

const timestampSchema = z.iso.datetime();

export const deploymentSchema = z.object({
  id: z.string(),
  serviceId: z.string(),
  commitSha: z.string().nullable(),
  status: z.enum(['queued', 'building', 'running', 'superseded', 'failed', 'aborted']),
  trigger: z.enum(['manual', 'rollback', 'webhook', 'restore', 'restart']),
  /** The commit's first line; null until it is known, and for images and databases. */
  commitMessage: z.string().nullable(),
  commitAuthor: z.string().nullable(),
  branch: z.string().nullable(),
  /** Checksum of the uploaded folder; null for other sources. */
  sourceDigest: z.string().nullable(),
  /** Why it failed; null unless it has. */
  failureCode: z.string().nullable(),
  failureMessage: z.string().nullable(),
  /** A sentence; null unless it is queued, or its host went away. */
  waitsFor: z.string().nullable(),
  imageTag: z.string().nullable(),
  containerName: z.string().nullable(),
  startedAt: timestampSchema.nullable(),
  finishedAt: timestampSchema.nullable(),
  createdAt: timestampSchema,
});

export const logEntrySchema = z.object({
  id: z.int(),
  deploymentId: z.string(),
  line: z.string(),
  stream: z.enum(['stdout', 'stderr', 'system']),
  createdAt: timestampSchema,
});

export function presentDeployment(
  row: ShownDeployment & Partial<DetailedDeployment>,
): z.infer<typeof deploymentSchema> {
  return {
    id: row.id,
    serviceId: row.serviceId,
    commitSha: row.commitSha,
    status: row.status,
    trigger: row.trigger,
    commitMessage: row.commitMessage,
    commitAuthor: row.commitAuthor,
    branch: row.branch,
    sourceDigest: row.sourceDigest,
    failureCode: row.failureCode ?? null,
    failureMessage: row.failureMessage ?? null,
    waitsFor: row.queue ? queueReason(row.queue) : null,
    imageTag: row.imageTag,
    containerName: row.containerName,
    startedAt: timestamp(row.startedAt),
    finishedAt: timestamp(row.finishedAt),
    createdAt: new Date(row.createdAt).toISOString(),
  };
}

function timestamp(moment: number | null): string | null {
  return moment === null ? null : new Date(moment).toISOString();
}
