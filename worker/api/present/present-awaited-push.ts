/** A push that waits for the checks of its commit, as the API shows it. */
import { z } from 'zod';
import { note } from '../../../protocol/note.ts';
import { notes } from '../../domain/values/field-notes.ts';
import { timestamp, timestampOrNull, timestampSchema } from '../../http/timestamps.ts';
import type { AwaitedPush } from '../../store/sources/awaited-push-store.ts';
import { startedBySchema } from './present-initiator.ts';

export const awaitedPushSchema = z
  .strictObject({
    commitSha: z.string().meta(note('The commit.', '9b2c1f0e4d6a8b7c5d3e1f2a4b6c8d0e1f3a5b7c')),
    commitMessage: z
      .string()
      .nullable()
      .meta(note('First line of its message; null if the git host did not send it.', 'Fix the cart')),
    branch: z.string().meta(note('Branch of the push.', 'main')),
    startedBy: startedBySchema,
    state: z
      .enum(['waiting', 'failed', 'unread', 'over'])
      .describe(
        '`waiting`: for its checks. `failed`: a check is red; if it turns green within the hour, the push is deployed. `unread`: the checks can not be read. `over`: not deployed, and no longer looked at.',
      ),
    detail: z
      .string()
      .nullable()
      .meta(
        note('What the last look saw, as a sentence; null before it.', 'Waits for the check build (queued).'),
      ),
    lookedAt: timestampSchema
      .nullable()
      .meta(note('Time of the last look; null before it.', '2026-11-21T10:00:00.000Z')),
    createdAt: timestampSchema.meta(notes.createdAt),
  })
  .nullable()
  .describe(
    'The newest push that waits for the checks of its commit, or that they keep from being deployed (setting `waitForChecks`); null: there is none.',
  );

export function presentAwaitedPush(push: AwaitedPush | undefined): z.infer<typeof awaitedPushSchema> {
  if (!push || push.state === 'dropped') return null;
  const { commitSha, commitMessage, branch, startedBy, state, detail, lookedAt, createdAt } = push;
  return {
    ...{ commitSha, commitMessage, branch, startedBy, state, detail },
    lookedAt: timestampOrNull(lookedAt),
    createdAt: timestamp(createdAt),
  };
}
